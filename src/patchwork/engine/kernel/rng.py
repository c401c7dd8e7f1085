"""Random numbers for compiled code: the same sequence for the same seed on every machine."""

import numpy as np

from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.state import Randoms

GUMBEL_STEPS = 1 << 14
"""Values of the random numbers from which Gumbel noise is made."""


@compiled
def seeded(seed: int, number: int) -> np.uint64:
    """Returns the start of a sequence of its own for each number: splitmix64, never 0."""
    word = np.uint64(seed) + np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (word ^ (word >> np.uint64(31))) | np.uint64(1)


@compiled
def draw(random: Randoms, below: int) -> int:
    """Returns a random number from 0 to ``below`` - 1, ``below`` less than 2**31: xorshift64."""
    word = random[0]
    word ^= word << np.uint64(13)
    word ^= word >> np.uint64(7)
    word ^= word << np.uint64(17)
    random[0] = word
    return int(np.int64(word >> np.uint64(33)) * below) >> 31


@compiled
def gumbel(random: Randoms) -> float:
    """Draws a number from the standard Gumbel distribution."""
    return float(-np.log(-np.log((draw(random, GUMBEL_STEPS) + 0.5) / GUMBEL_STEPS)))
