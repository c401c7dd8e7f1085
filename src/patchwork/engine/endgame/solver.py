"""The end of a game, solved: what is the result if both play perfectly from here on?

Alpha-beta on the kernel. Two facts keep the tree small. Spaces that no patch still to come can
cover are alike: only their number counts. And of two places for a patch, the one that leaves more
open is never worse, since the quilts do not touch each other; so most places need no look. Both
hold only where the special tile is out of reach, since a square asks for particular spaces.

Values are for seat 0: twice the points ahead; where those are 0, 1 or -1 for who wins the tie.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import TIMEOUT_MAX, Event, Timer
from typing import NamedTuple

import numpy as np

from patchwork.engine.endgame.bounds import ahead, most_money, open_spaces, outlook
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import (
    ANCHORS,
    LANES,
    LEATHER_PIECE,
    OFFSETS,
    PIECE_COST,
    PIECE_INCOME,
    PIECE_SIZE,
    PIECE_TIME,
)
from patchwork.engine.kernel.rules import (
    OFFER,
    SCRATCH,
    covered,
    lines_crossed,
    list_places,
    offered,
    play,
    score,
    winner,
)
from patchwork.engine.kernel.simd import free_places, popcount
from patchwork.engine.kernel.state import (
    BUTTONS,
    CIRCLE,
    HIGH,
    HOME,
    INCOME,
    LEATHER,
    LEFT,
    LOW,
    MOST_DECISIONS,
    MOST_MOVES,
    OVER,
    PASS,
    PHASE,
    PLACING,
    SEAT,
    TILE,
    TIME,
    TOKEN,
    TURN,
    WORDS,
    Numbers,
    from_position,
    to_move,
)
from patchwork.rules.moves import Move
from patchwork.rules.position import Position
from patchwork.rules.timeboard import LAST

EXACT, AT_LEAST, AT_MOST = range(1, 4)
"""What an entry of the table says about a value."""
KEY, VALUE, KIND, MOVE = range(4)

NODES, LIMIT, MOVES = range(3)
"""What is counted: states, how many may be, and how many moves count as one more; 0 if none do."""

INFINITY = 1 << 20
_ANY = -INFINITY, INFINITY
"""Bounds that every value is between."""


class Memory(NamedTuple):
    """The working memory of a solver."""

    states: Numbers
    """[MOST_DECISIONS, WORDS]: the line being looked at."""
    codes: Numbers
    """[MOST_DECISIONS, MOST_MOVES]: the moves from each of its states."""
    worths: Numbers
    """[MOST_DECISIONS, MOST_MOVES]: by which they are ordered."""
    open: Numbers
    """[MOST_MOVES, 2]: what each of some places leaves open."""
    scratch: Numbers
    table: Numbers
    """[a power of 2, 4]: key, value, kind and best move of states met before."""
    best: Numbers
    """[1]: the best move from the first state of the line."""
    counts: Numbers
    """[3]: see NODES."""


class Solution(NamedTuple):
    """The result of a position under perfect play."""

    points: int
    """How far seat 0 ends ahead."""
    winner: int
    moves: tuple[Move, ...]
    """One perfect way to play on, to the end of the game."""


class Proof(NamedTuple):
    """Who wins a position under perfect play."""

    winner: int
    move: Move | None
    """One that wins, if the one who decides does."""


class Solver:
    """Solves the ends of games."""

    def __init__(self, entries: int, moves_per_state: int = 0) -> None:
        """Makes a solver.

        Args:
            entries: states that it remembers, a power of 2.
            moves_per_state: moves of a state that count as one more state visited; with 0, all
                states count alike. Where a 7 x 7 square is in reach, a state with all its moves can
                take a hundred times as long as another one.
        """
        self._memory = _new_memory(entries)
        self._memory.counts[MOVES] = moves_per_state
        self.visits = 0
        """States looked at for the last position, as they are counted."""

    def solve(self, position: Position, nodes: int, stopped: Callable[[], bool]) -> Solution | None:
        """Returns the solution of an unfinished position, or None if it takes more nodes.

        Whoever wants it to end earlier first sees to it that ``stopped`` is true, then calls
        ``stop``; so it ends also if that happens before it has begun.
        """
        state, circle = self._begin(position)
        return self._solution(state, circle, nodes, stopped, _ANY)

    def prove(
        self, position: Position, nodes: int, stopped: Callable[[], bool]
    ) -> Solution | Proof | None:
        """Returns the solution, or at least who wins: that is known some moves earlier."""
        state, circle = self._begin(position)
        value = self._value(state, circle, nodes, stopped, (0, 1))
        if value is None:
            return None
        winner = 0 if value > 0 else 1
        move = to_move(int(self._memory.best[0])) if winner == state[TURN] else None
        bounds = (0, INFINITY) if winner == 0 else (-INFINITY, 0)
        solution = self._solution(state, circle, nodes - self.visits, stopped, bounds)
        return solution or Proof(winner, move)

    def test(
        self,
        position: Position,
        moves: Iterable[Move],
        nodes: int,
        stopped: Callable[[], bool],
    ) -> tuple[Move | None, list[Move]]:
        """Tests moves of a position, one after the other, until one of them does not lose.

        Returns the one that is proven to win, if it is, and those that are proven to lose.
        """
        turn = position.turn
        self._begin(position)
        lost: list[Move] = []
        for move in moves:
            state, circle = from_position(position.play(move))
            value = self._value(state, circle, nodes - self.visits, stopped, (0, 1))
            if value is None:
                break
            if (value > 0) == (turn == 0):
                return move, lost
            lost.append(move)
        return None, lost

    def _begin(self, position: Position) -> tuple[Numbers, Numbers]:
        self._memory.table[:, KIND] = 0  # the keys of another circle mean other patches
        self.visits = 0
        return from_position(position)

    def _solution(
        self,
        state: Numbers,
        circle: Numbers,
        nodes: int,
        stopped: Callable[[], bool],
        bounds: tuple[int, int],
    ) -> Solution | None:
        """Returns the solution of a state whose value is between bounds."""
        value = self._value(state, circle, nodes, stopped, bounds)
        if value is None:
            return None
        visits = self.visits
        moves = []
        while state[PHASE] != OVER:
            moves.append(int(self._memory.best[0]))
            play(state, circle, moves[-1])
            if state[PHASE] != OVER and self._value(state, circle, nodes, stopped, _ANY) is None:
                break
        self.visits = visits  # the way to play on is hardly more than read off
        return Solution(
            points=(abs(value) // 2) * (1 if value > 0 else -1),
            winner=0 if value > 0 else 1,
            moves=tuple(map(to_move, moves)),
        )

    @contextmanager
    def limited(
        self, seconds: float | None, stopped: Callable[[], bool]
    ) -> Iterator[Callable[[], bool]]:
        """Ends what it is at after so many seconds, if there is such a limit.

        Gives what tells whether it is to end, for that or the reason ``stopped`` knows of.
        """
        if seconds is None:
            yield stopped
            return
        late = Event()

        def end() -> None:
            late.set()
            self.stop()

        alarm = Timer(min(seconds, TIMEOUT_MAX), end)
        alarm.start()
        try:
            yield lambda: late.is_set() or stopped()
        finally:
            alarm.cancel()
            alarm.join()

    def stop(self) -> None:
        """Ends the work of another thread."""
        self._memory.counts[LIMIT] = 0

    def _value(
        self,
        state: Numbers,
        circle: Numbers,
        nodes: int,
        stopped: Callable[[], bool],
        bounds: tuple[int, int],
    ) -> int | None:
        counts = self._memory.counts
        self._memory.states[0] = state
        counts[NODES], counts[LIMIT] = 0, nodes
        if stopped():
            return None
        value = solve(self._memory, circle, 0, *bounds)
        self.visits += int(counts[NODES])
        return None if counts[NODES] > counts[LIMIT] else value


def _new_memory(entries: int) -> Memory:
    return Memory(
        states=np.empty((MOST_DECISIONS, WORDS), np.int64),
        codes=np.empty((MOST_DECISIONS, MOST_MOVES), np.int64),
        worths=np.empty((MOST_DECISIONS, MOST_MOVES), np.int64),
        open=np.empty((MOST_MOVES, 2), np.int64),
        scratch=np.empty((SCRATCH, LANES), np.int64),
        table=np.zeros((entries, 4), np.int64),
        best=np.zeros(1, np.int64),
        counts=np.zeros(3, np.int64),
    )


@compiled
def mixed(key: int, word: int) -> int:
    """Returns a key with one more word mixed in."""
    value = (np.uint64(key) ^ np.uint64(word)) * np.uint64(0x9E3779B97F4A7C15)
    value ^= value >> np.uint64(29)
    value *= np.uint64(0xBF58476D1CE4E5B9)
    return int(np.int64(value ^ value >> np.uint64(32)))


@compiled
def filled(state: Numbers, number: int) -> int:
    """Returns the number of filled spaces of a seat's quilt, and some more for its frame."""
    seat = SEAT * number
    return int(popcount(state[seat + LOW]) + popcount(state[seat + HIGH]))


@compiled
def final_value(state: Numbers) -> int:
    """Returns the value of a finished game."""
    points = score(state, 0) - score(state, 1)
    if points != 0:
        return 2 * points
    return 1 if winner(state) == 0 else -1


@compiled
def solve(memory: Memory, circle: Numbers, depth: int, least: int, most: int) -> int:
    """Returns the value of a state of the line, or a bound on it outside ``least`` to ``most``.

    Once the states looked at exceed the limit, what is returned means nothing.
    """
    state = memory.states[depth]
    if state[PHASE] == OVER:
        return final_value(state)
    memory.counts[NODES] += 1
    if memory.counts[NODES] > memory.counts[LIMIT]:
        return 0
    turn = state[TURN]
    spaces = 2 * LAST - state[TIME] - state[SEAT + TIME]
    coming = ahead(state[LEFT], state[TOKEN], spaces)
    key = mixed(
        mixed(coming << 6 | state[TOKEN], state[LEATHER]),
        turn | state[PHASE] << 2 | (state[TILE] + 1) << 4 | (state[HOME] + 1) << 6,
    )
    low_bound, high_bound, square = 0, 0, False
    for number in range(2):
        base, gain, low, high, whole = outlook(state, circle, number, coming)
        if number == 0:
            low_bound += base
            high_bound += base + gain
        else:
            low_bound -= base + gain
            high_bound -= base
        if number == turn:
            square = whole
        seat = SEAT * number
        key = mixed(mixed(key, low), high << 1 | whole)
        key = mixed(key, state[seat + INCOME] << 8 | state[seat + TIME])
        key = mixed(key, state[seat + BUTTONS] << 16 | filled(state, number))
    # At the root, a move is wanted even if the bounds are enough.
    if depth > 0 and 2 * low_bound - 1 >= most:
        return 2 * low_bound - 1
    if depth > 0 and 2 * high_bound + 1 <= least:
        return 2 * high_bound + 1
    entry = memory.table[key & (len(memory.table) - 1)]
    hint = -1
    if entry[KEY] == key and entry[KIND] != 0:
        hint = entry[MOVE]
        # Not at the root, where the move counts: it may be one of another quilt that is as good.
        if depth > 0 and (
            entry[KIND] == EXACT
            or (entry[KIND] == AT_LEAST and entry[VALUE] >= most)
            or (entry[KIND] == AT_MOST and entry[VALUE] <= least)
        ):
            return int(entry[VALUE])
    count = list_moves(memory, circle, depth, spaces, coming, square, hint)
    if memory.counts[MOVES] > 0:
        memory.counts[NODES] += count // memory.counts[MOVES]
    best = -INFINITY if turn == 0 else INFINITY
    chosen = -1
    low_limit, high_limit = least, most
    for number in range(count):
        pick(memory.codes[depth], memory.worths[depth], number, count)
        code = memory.codes[depth, number]
        memory.states[depth + 1] = state
        play(memory.states[depth + 1], circle, code)
        # A guess that the first move is best costs little to test: is another one better at all?
        if number == 0:
            value = solve(memory, circle, depth + 1, low_limit, high_limit)
        elif turn == 0:
            value = solve(memory, circle, depth + 1, low_limit, low_limit + 1)
            if low_limit < value < high_limit:
                value = solve(memory, circle, depth + 1, value, high_limit)
        else:
            value = solve(memory, circle, depth + 1, high_limit - 1, high_limit)
            if low_limit < value < high_limit:
                value = solve(memory, circle, depth + 1, low_limit, value)
        if memory.counts[NODES] > memory.counts[LIMIT]:
            return 0
        if turn == 0:
            if value > best:
                best, chosen = value, code
            low_limit = max(low_limit, best)
        else:
            if value < best:
                best, chosen = value, code
            high_limit = min(high_limit, best)
        if low_limit >= high_limit:
            break
    entry[KEY] = key
    entry[VALUE] = best
    entry[KIND] = AT_MOST if best <= least else AT_LEAST if best >= most else EXACT
    entry[MOVE] = chosen
    if depth == 0:
        memory.best[0] = chosen
    return best


@compiled
def pick(codes: Numbers, worths: Numbers, start: int, count: int) -> None:
    """Brings the most promising move not yet looked at to the front."""
    best = start
    for number in range(start + 1, count):
        if worths[number] > worths[best]:
            best = number
    codes[start], codes[best] = codes[best], codes[start]
    worths[start], worths[best] = worths[best], worths[start]


@compiled
def list_moves(
    memory: Memory,
    circle: Numbers,
    depth: int,
    spaces: int,
    coming: int,
    square: bool,
    hint: int,
) -> int:
    """Writes the moves that can matter, and what they promise; returns how many there are."""
    state = memory.states[depth]
    codes, worths = memory.codes[depth], memory.worths[depth]
    seat = SEAT * state[TURN]
    low, high = state[seat + LOW], state[seat + HIGH]
    money = most_money(state, circle, state[TURN], coming)
    if state[PHASE] == PLACING:
        free_places(low, high, OFFSETS[LEATHER_PIECE], ANCHORS[LEATHER_PIECE], memory.scratch)
        count = keep_best(
            memory, circle, state, depth, LEATHER_PIECE, 0, 0, coming, state[TOKEN], money, square
        )
    else:
        codes[0], worths[0] = PASS, 0
        count = 1
        start = state[seat + TIME]
        lines = lines_crossed(start, LAST)
        spots = memory.scratch[3 * OFFER]
        for number in range(offered(state, spots)):
            spot = spots[number]
            piece = circle[spot]
            if PIECE_COST[piece] <= state[seat + BUTTONS]:
                time = min(PIECE_TIME[piece], LAST - start)
                worth = (
                    2 * PIECE_SIZE[piece] + PIECE_INCOME[piece] * lines - PIECE_COST[piece] - time
                )
                left = state[LEFT] ^ 1 << spot
                token = (spot + 1) % CIRCLE
                then = 0 if start + time == LAST else ahead(left, token, spaces - time)
                free_places(low, high, OFFSETS[piece], ANCHORS[piece], memory.scratch)
                count = keep_best(
                    memory, circle, state, depth, piece, worth, count, then, token, money, square
                )
    for number in range(count):
        if codes[number] == hint:
            worths[number] = INFINITY
    return count


@compiled
def keep_best(
    memory: Memory,
    circle: Numbers,
    state: Numbers,
    depth: int,
    piece: int,
    worth: int,
    count: int,
    coming: int,
    token: int,
    money: int,
    square: bool,
) -> int:
    """Appends the places of a piece, without those that leave less open than another one.

    Returns how many moves there are then.
    """
    codes, worths = memory.codes[depth], memory.worths[depth]
    seat = SEAT * state[TURN]
    first = count
    total = list_places(piece, memory.scratch, codes, count)
    for number in range(first, total):
        code = codes[number]
        low, high = covered(code)
        open_low, open_high = open_spaces(
            state[seat + LOW] | low, state[seat + HIGH] | high, coming, token, money, circle
        )
        if not square:
            worse = False
            kept = first
            for other in range(first, count):
                if (
                    open_low & ~memory.open[other, 0] == 0
                    and open_high & ~memory.open[other, 1] == 0
                ):
                    worse = True
                    break
            if worse:
                continue
            for other in range(first, count):
                if (
                    memory.open[other, 0] & ~open_low == 0
                    and memory.open[other, 1] & ~open_high == 0
                ):
                    continue
                codes[kept], worths[kept] = codes[other], worths[other]
                memory.open[kept] = memory.open[other]
                kept += 1
            count = kept
        memory.open[count, 0], memory.open[count, 1] = open_low, open_high
        codes[count] = code
        worths[count] = 128 * worth + popcount(open_low) + popcount(open_high)
        count += 1
    return count
