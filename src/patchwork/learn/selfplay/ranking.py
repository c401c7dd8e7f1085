"""Picks the candidate moves of the positions just evaluated, on the processor.

``ranking_cuda`` does the same on a GPU, which spares the processor a third of its work.
"""

import numpy as np
from numpy.typing import NDArray

from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.engine.evaluators.network import INNER_CANDIDATES
from patchwork.engine.evaluators.policy import keep_best, legal_logits, new_frame
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.rng import GUMBEL_STEPS, draw
from patchwork.engine.kernel.state import Floats, Numbers, Randoms
from patchwork.rules.moves import MOST_LEGAL_MOVES

GUMBEL = (-np.log(-np.log((np.arange(GUMBEL_STEPS) + 0.5) / GUMBEL_STEPS))).astype(np.float32)
"""Draws of a Gumbel distribution, each equally likely."""


@compiled
def rank(
    words: Numbers,
    pieces: Numbers,
    gumbel_scales: Floats,
    planes: Floats,
    biases: Floats,
    codes: NDArray[np.int32],
    priors: Floats,
    logits: Floats,
    gumbel_logits: Floats,
    counts: NDArray[np.int32],
    norms: Floats,
    random: Randoms,
) -> None:
    """Writes the best moves of each position, the best first; see ``games.InferenceBuffers``.

    The root of a search has a Gumbel scale of 0 or more: that much noise is added to the logits
    before the moves are compared, and ``CANDIDATES`` of them are kept. Other positions keep
    ``INNER_CANDIDATES``.
    """
    every, likely = np.empty(MOST_LEGAL_MOVES, np.int64), np.empty(MOST_LEGAL_MOVES, np.float32)
    noisy = np.empty(MOST_LEGAL_MOVES, np.float32)
    best = np.empty(CANDIDATES, np.int64)
    framed = new_frame()
    for number in range(len(words)):
        count = legal_logits(
            words[number], pieces[number], planes[number], biases[number], every, likely, framed
        )
        scale = gumbel_scales[number]
        highest, total = likely[0], 0.0
        for move in range(count):
            highest = max(highest, likely[move])
        for move in range(count):
            total += np.exp(likely[move] - highest)
            noisy[move] = likely[move]
            if scale > 0:
                noisy[move] += scale * GUMBEL[draw(random, len(GUMBEL))]
        kept = keep_best(noisy, count, best, CANDIDATES if scale >= 0 else INNER_CANDIDATES)
        norm = highest + np.log(total)
        for place in range(kept):
            move = best[place]
            codes[number, place] = every[move]
            priors[number, place] = np.exp(likely[move] - norm)
            logits[number, place], gumbel_logits[number, place] = likely[move], noisy[move]
        counts[number] = kept
        norms[number] = norm
