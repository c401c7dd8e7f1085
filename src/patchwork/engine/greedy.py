"""The simple opponent under its documented name; ``baselines.greedy`` has its code."""

from patchwork.engine.baselines.greedy import greedy

__all__ = ["greedy"]
