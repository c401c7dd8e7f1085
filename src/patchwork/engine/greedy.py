"""The simple opponent, where the library has it for everybody; its play is in ``baselines``."""

from patchwork.engine.baselines.greedy import greedy

__all__ = ["greedy"]
