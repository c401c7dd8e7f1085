"""Which moves of the positions just evaluated deserve a look: on the processor.

``ranking_cuda`` does the same on a GPU, which spares the processor a third of its work.
"""

import numpy as np
from numpy.typing import NDArray

from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.engine.evaluators.network import INNER_CANDIDATES
from patchwork.engine.evaluators.policy import keep_best, legal_logits, new_frame
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.rng import draw
from patchwork.engine.kernel.state import Floats, Numbers, Randoms
from patchwork.rules.moves import MOST_LEGAL_MOVES

GUMBEL = (-np.log(-np.log((np.arange(1 << 14) + 0.5) / (1 << 14)))).astype(np.float32)
"""Draws of a Gumbel distribution, each equally likely."""


@compiled
def rank(
    words: Numbers,
    pieces: Numbers,
    luck: Floats,
    planes: Floats,
    biases: Floats,
    codes: NDArray[np.int32],
    priors: Floats,
    logits: Floats,
    keys: Floats,
    counts: NDArray[np.int32],
    norms: Floats,
    random: Randoms,
) -> None:
    """Writes the best moves of each position, the best first.

    A position with ``luck`` is a root: chance is added to the logits of its moves before they are
    compared, and ``CANDIDATES`` of them are kept, otherwise ``INNER_CANDIDATES``. ``keys`` are the
    logits with chance; ``norms`` is the logarithm of the sum over all legal moves, ``priors`` the
    shares of it.
    """
    every, likely = np.empty(MOST_LEGAL_MOVES, np.int64), np.empty(MOST_LEGAL_MOVES, np.float32)
    lucky = np.empty(MOST_LEGAL_MOVES, np.float32)
    best = np.empty(CANDIDATES, np.int64)
    framed = new_frame()
    for number in range(len(words)):
        count = legal_logits(
            words[number], pieces[number], planes[number], biases[number], every, likely, framed
        )
        chance = luck[number]
        highest, total = likely[0], 0.0
        for move in range(count):
            highest = max(highest, likely[move])
        for move in range(count):
            total += np.exp(likely[move] - highest)
            lucky[move] = likely[move]
            if chance > 0:
                lucky[move] += chance * GUMBEL[draw(random, len(GUMBEL))]
        kept = keep_best(lucky, count, best, CANDIDATES if chance >= 0 else INNER_CANDIDATES)
        norm = highest + np.log(total)
        for place in range(kept):
            move = best[place]
            codes[number, place] = every[move]
            priors[number, place] = np.exp(likely[move] - norm)
            logits[number, place], keys[number, place] = likely[move], lucky[move]
        counts[number] = kept
        norms[number] = norm
