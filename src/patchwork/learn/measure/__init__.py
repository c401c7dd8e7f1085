"""Measuring: how strong networks are while they learn and afterwards, and plots of runs.

It imports the arena, ``selfplay`` for matches on a device, and files of runs. Start with
``gauntlet``.
"""
