"""What the network expects of a position: who wins, by how much, with which moves, and where.

``look(position)`` answers from the network alone, or more deeply with an analysis of an engine::

    insight = look(position)
    analysis = engine.analyse(position, Limit(time=1.0), lines=20)
    deeper = look(position, analysis=analysis)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import exp, log

import numpy as np

from patchwork.engine.analysis import Analysis, Line
from patchwork.engine.evaluators.features import new_inputs, write_inputs
from patchwork.engine.evaluators.network import SHIPPED, NetworkEvaluator, NetworkOutputs
from patchwork.engine.evaluators.policy import legal_logits, new_frame
from patchwork.engine.kernel.rules import play, score, winner
from patchwork.engine.kernel.state import (
    OVER,
    PHASE,
    TURN,
    Numbers,
    from_move,
    from_position,
    to_move,
)
from patchwork.engine.kernel.symmetry import (
    SYMMETRIES,
    SYMMETRY_CELLS,
    turned,
    turned_back,
    turned_move,
    turned_states,
)
from patchwork.engine.search.tree import utility
from patchwork.rules.moves import ADVANCE, MOST_LEGAL_MOVES, Buy, Move
from patchwork.rules.position import Phase, Position
from patchwork.rules.quilt import CELLS

TEMPERATURE = "temperature"
"""The entry of a network's metadata by which to divide the logits of its win probabilities."""

Pair = tuple[float, float]
Filling = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Prospect:
    """A move and what is expected after it, for the seat to move."""

    move: Move
    win: float
    """Probability to win, 0 to 1."""
    margin: float
    """Final score less the other seat's."""
    share: float
    """Its probability in the network's policy, before any search. Placements that differ only by a
    symmetry of the quilt count as one, and their probabilities are added up."""
    visits: int
    """Its visits in a search; with 0, win and margin are from the network alone."""


@dataclass(frozen=True, slots=True)
class PatchInsight:
    """A patch that can be bought, and its best placements."""

    patch: int
    placements: tuple[Prospect, ...]
    """The best first; at least one."""
    gain: float
    """Probability to win when it is bought and placed best, less that of an advance."""
    points: float
    """The same in points."""
    share: float
    """Its probability in the network's policy, all placements together."""

    @property
    def best(self) -> Prospect:
        """The best place."""
        return self.placements[0]


@dataclass(frozen=True, slots=True)
class Insight:
    """What is expected of a position; pairs are for seat 0 and seat 1."""

    seat: int
    """The seat to move."""
    win: Pair
    """Probabilities to win; they sum to 1, since no game is drawn."""
    scores: Pair
    """Expected final scores."""
    filling: Filling
    """For each of the 81 spaces of both quilts, the probability that it is filled in the end."""
    advance: Prospect | None
    """What an advance leads to; None while a leather patch is placed."""
    patches: tuple[PatchInsight, ...]
    """The patches that can be bought, in the order of the offer; empty for a leather patch."""
    leather: tuple[Prospect, ...]
    """The best spaces for a leather patch just taken, the best first."""
    exact: bool
    """Whether win and scores are proven, not estimated."""

    @property
    def margin(self) -> float:
        """The points by which the seat to move is expected to be ahead in the end."""
        return self.scores[self.seat] - self.scores[1 - self.seat]

    @property
    def filled(self) -> Pair:
        """How many spaces of each quilt are expected to be filled in the end."""
        return sum(self.filling[0]), sum(self.filling[1])


@cache
def shipped_network() -> NetworkEvaluator:
    """Returns the network that comes with the package.

    Raises:
        NetworkError: there is none, or it cannot be used.
    """
    return NetworkEvaluator(SHIPPED)


def look(
    position: Position,
    network: NetworkEvaluator | None = None,
    *,
    placements: int = 3,
    views: int = SYMMETRIES,
    analysis: Analysis | None = None,
) -> Insight:
    """Returns what a network expects of an unfinished position.

    The value of a move is that of the position after it. For each patch, and for leather, only the
    likeliest placements are evaluated.

    Args:
        position: the position.
        network: the one that comes with the package if not given.
        placements: how many placements of each patch to evaluate; with 0, no moves are evaluated.
        views: how many of the eight symmetries of the quilts to average over: one is fastest,
            eight are steadier.
        analysis: what an engine found in this position, with any number of lines. The moves in it
            have its values.

    Raises:
        ValueError: the game is over, a number is out of range, or the analysis is of another
            position.
        NetworkError: there is no network.
    """
    if position.phase is Phase.OVER:
        raise ValueError("the game is over: there is nothing left to expect")
    if placements < 0:
        raise ValueError(f"placements is a number from 0 on, not {placements}")
    if views not in range(1, SYMMETRIES + 1):
        raise ValueError(f"views is a number from 1 to {SYMMETRIES}, not {views}")
    if analysis is not None:
        _check(analysis, position)
    averaged = _AveragedNetwork(network or shipped_network(), position, views)
    win, scores, filling = averaged.outlook()
    insight = Insight(position.turn, win, scores, filling, None, (), (), exact=False)
    if placements > 0:
        lines = {line.moves[0]: line for line in analysis.lines} if analysis else {}
        insight = _with_moves(insight, averaged, placements, lines)
    return insight if analysis is None else _deepened(insight, analysis, averaged.temperature)


def calibrated(win: float, temperature: float) -> float:
    """Returns a probability whose logit is divided by a temperature."""
    if not 0 < win < 1:
        return win
    return 1 / (1 + exp(-log(win / (1 - win)) / temperature))


def _check(analysis: Analysis, position: Position) -> None:
    legal = set(position.legal_moves())
    if analysis.seat != position.turn or any(line.moves[0] not in legal for line in analysis.lines):
        raise ValueError("the analysis is of another position")


def _deepened(insight: Insight, analysis: Analysis, temperature: float) -> Insight:
    win = calibrated(analysis.win, temperature)
    return replace(
        insight,
        win=_by_seat(win, 1 - win, insight.seat),
        scores=_apart(insight.scores, insight.seat, analysis.margin),
        exact=analysis.exact,
    )


def _with_moves(
    insight: Insight, averaged: "_AveragedNetwork", placements: int, lines: Mapping[Move, Line]
) -> Insight:
    """Returns the insight with what its moves are worth."""
    position = averaged.position
    shares, first = averaged.shares()
    tried = _unlike([move for move, line in lines.items() if line.visits > 0], first)
    evaluated = list(tried)
    if position.phase is Phase.TURN:
        evaluated.append(ADVANCE)
    for piece in position.offer if position.phase is Phase.TURN else (None,):
        places = [move for move in shares if move != ADVANCE and _piece(move) == piece]
        evaluated += sorted(places, key=lambda move: -shares[move])[:placements]
    prospects = {}
    for move in tried:
        line = lines[move]
        win = calibrated(line.win, averaged.temperature)
        prospects[move] = Prospect(move, win, line.margin, shares[first[move]], line.visits)
    new = [move for move in _unlike(evaluated, first) if move not in prospects]
    for move, (win, margin) in zip(new, averaged.worth(new), strict=True):
        prospects[move] = Prospect(move, win, margin, shares[first[move]], visits=0)
    # Moves of the search come first, in its order: the most visited ones are the best known.
    order = {move: number for number, move in enumerate(tried)}
    ranked = sorted(
        prospects.values(),
        key=lambda found: (
            order.get(found.move, len(order)),
            -utility(found.win, found.margin),
        ),
    )
    if position.phase is Phase.LEATHER:
        return replace(insight, leather=tuple(ranked[:placements]))
    advance = prospects[ADVANCE]
    patches = []
    for patch in position.offer:
        best = [found for found in ranked if _piece(found.move) == patch][:placements]
        if best:
            share = sum(share for move, share in shares.items() if _piece(move) == patch)
            gain, points = best[0].win - advance.win, best[0].margin - advance.margin
            patches.append(PatchInsight(patch, tuple(best), gain, points, share))
    return replace(insight, advance=advance, patches=tuple(patches))


def _unlike(moves: Sequence[Move], first: Mapping[Move, Move]) -> list[Move]:
    """Returns moves without those that differ from an earlier one only by a symmetry."""
    kept: dict[Move, Move] = {}
    for move in moves:
        kept.setdefault(first[move], move)
    return list(kept.values())


def _piece(move: Move) -> int | None:
    return move.patch if isinstance(move, Buy) else None


def _by_seat(mine: float, theirs: float, seat: int) -> Pair:
    return (mine, theirs) if seat == 0 else (theirs, mine)


def _apart(scores: Pair, seat: int, margin: float) -> Pair:
    """Returns scores with the same sum, the one of a seat ahead by a margin."""
    middle = sum(scores) / 2
    return _by_seat(middle + margin / 2, middle - margin / 2, seat)


class _AveragedNetwork:
    """A network asked about a position, and those a move away, and averaged over symmetries."""

    def __init__(self, network: NetworkEvaluator, position: Position, views: int) -> None:
        self.position = position
        self.temperature = float(network.card.get(TEMPERATURE, 1.0))
        self._network = network
        self._turns = SYMMETRY_CELLS[:views]
        self._state, self._circle = from_position(position)
        outputs = self._ask(self._state[np.newaxis])
        self._outputs = NetworkOutputs(
            # The logit of a place is a sum over such planes: averaging these averages logits.
            shapes=turned_back(outputs.shapes, self._turns).mean(0),
            biases=outputs.biases.mean(0),
            values=outputs.values.mean(0),
            scores=outputs.scores.mean(0),
            filling=turned_back(outputs.filling, self._turns).mean(0),
        )

    def outlook(self) -> tuple[Pair, Pair, Filling]:
        """Returns win probabilities, expected scores and expected filling, seat 0 first."""
        seat = self.position.turn
        win = calibrated(float(self._outputs.values[0]), self.temperature)
        mine, theirs = self._outputs.scores.tolist()
        scores = _apart((mine, theirs), 0, float(self._outputs.values[1]))
        own, other = (
            _with_filled(self._outputs.filling[number].tolist(), self.position.players[who].quilt)
            for number, who in enumerate((seat, 1 - seat))
        )
        filling = (own, other) if seat == 0 else (other, own)
        return _by_seat(win, 1 - win, seat), _by_seat(*scores, seat), filling

    def shares(self) -> tuple[dict[Move, float], dict[Move, Move]]:
        """Returns moves with their shares of the policy, and one of these for each legal move.

        Of placements that differ only by a symmetry of the quilt, the first stands for all.
        """
        inputs = new_inputs(1)
        write_inputs(self._state[np.newaxis], self._circle, inputs)
        codes, logits = np.empty(MOST_LEGAL_MOVES, np.int64), np.empty(MOST_LEGAL_MOVES, np.float32)
        count = legal_logits(
            inputs.words[0],
            inputs.pieces[0],
            self._outputs.shapes,
            self._outputs.biases,
            codes,
            logits,
            new_frame(),
        )
        weights = np.exp(logits[:count] - logits[:count].max())
        weights /= weights.sum()
        quilt = self.position.players[self.position.turn].quilt
        alike = [turn for turn in SYMMETRY_CELLS[1:].tolist() if turned(quilt, turn) == quilt]
        shares: dict[Move, float] = {}
        firsts: dict[Move, Move] = {}
        for code, share in zip(codes[:count].tolist(), weights.tolist(), strict=True):
            move = to_move(code)
            images = (turned_move(move, turn) for turn in alike)
            first = next((image for image in images if image in shares), move)
            shares[first] = shares.get(first, 0.0) + share
            firsts[move] = first
        return shares, firsts

    def worth(self, moves: Sequence[Move]) -> list[Pair]:
        """Returns win probability and margin after each move, for the seat to move now."""
        seat = self.position.turn
        states = np.repeat(self._state[np.newaxis], len(moves), 0)
        for state, move in zip(states, moves, strict=True):
            play(state, self._circle, from_move(move))
        going_on = states[:, PHASE] != OVER
        values = np.empty((len(moves), 2))
        for number in np.flatnonzero(~going_on):
            state = states[number]
            values[number] = winner(state) == seat, score(state, seat) - score(state, 1 - seat)
        if going_on.any():
            outputs = self._ask(states[going_on]).values
            values[going_on] = outputs.reshape(-1, len(self._turns), 2).mean(1)
        found = []
        for state, (win, margin) in zip(states, values.tolist(), strict=True):
            win = calibrated(win, self.temperature)
            other = state[PHASE] != OVER and state[TURN] != seat
            found.append((1 - win, -margin) if other else (win, margin))
        return found

    def _ask(self, states: Numbers) -> NetworkOutputs:
        """Returns the outputs for each state in all views, one after another."""
        shown = turned_states(states, self._turns)
        inputs = new_inputs(len(shown))
        write_inputs(shown, self._circle, inputs)
        return self._network.ask(inputs.planes, inputs.scalars)


def _with_filled(chances: list[float], quilt: int) -> tuple[float, ...]:
    """Returns the chances of the spaces of a quilt, 1 for those already filled."""
    return tuple(1.0 if quilt >> cell & 1 else chances[cell] for cell in range(CELLS))
