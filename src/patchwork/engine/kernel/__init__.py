"""The rules once more, on flat numbers and compiled: what search and learning run all the time.

Start with ``state``, then ``rules``. It imports ``patchwork.rules`` and nothing of the engine.
"""
