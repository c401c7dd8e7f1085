"""The rules once more, compiled, on rows of numbers: what search and learning run all the time.

Start with ``state``, then ``rules``. Imports ``patchwork.rules`` and nothing of the engine.
"""
