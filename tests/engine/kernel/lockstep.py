"""Plays games on the rules and on the kernel at once, and compares everything in every position.

    python tests/engine/kernel/lockstep.py [POSITIONS]    compares five million, or as many

Uniform play almost never fills a quilt, wins the special tile or ends level, so several styles of
play meet, and half of the games begin late, with quilts that are nearly full.
"""

import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from random import Random

import numpy as np

import patchwork as pw
from patchwork.engine.baselines.greedy import exposed_edge
from patchwork.engine.kernel import rules
from patchwork.engine.kernel.pieces import LANES
from patchwork.engine.kernel.state import from_move, from_position, to_move, to_position
from patchwork.rules.moves import MOST_LEGAL_MOVES

Move = pw.Advance | pw.Buy | pw.Leather
Style = Callable[[Random, pw.Position, list[Move]], Move]

FULL = (1 << 81) - 1
SQUARES = [
    sum(1 << (9 * r + c) for r in range(top, top + 7) for c in range(left, left + 7))
    for top in range(3)
    for left in range(3)
]
PARTS = 100
"""Positions of one part of a long run; processors share the parts."""


def whim(random: Random, position: pw.Position, moves: list[Move]) -> Move:
    """Returns any legal move."""
    return random.choice(moves)


def saver(random: Random, position: pw.Position, moves: list[Move]) -> Move:
    """Advances whenever possible."""
    return moves[0] if position.phase is pw.Phase.TURN else random.choice(moves)


def miser(random: Random, position: pw.Position, moves: list[Move]) -> Move:
    """Advances half of the time, and so gets many buttons."""
    return random.choice([saver, whim])(random, position, moves)


def tailor(random: Random, position: pw.Position, moves: list[Move]) -> Move:
    """Buys the fastest patch and packs tightly, and so fills quilts and wins the special tile."""
    quilt = position.players[position.turn].quilt

    def waste(move: Move) -> tuple[float, float]:
        match move:
            case pw.Buy(patch, cells):
                bought = pw.PATCHES[patch]
                return bought.time / bought.size, exposed_edge(quilt | cells) + random.random()
            case pw.Leather(cell):
                return 0, exposed_edge(quilt | 1 << cell) + random.random()
        return 9, 0

    return min(moves, key=waste)


PAIRINGS: tuple[tuple[Style, Style], ...] = (
    (whim, whim),
    (miser, whim),
    (saver, saver),
    (tailor, saver),
    (tailor, tailor),
    (miser, tailor),
)


def has_square(quilt: int) -> bool:
    return any(quilt & square == square for square in SQUARES)


def early(random: Random) -> pw.Position:
    """Returns the start of a game."""
    edition = random.choice((pw.CLASSIC, pw.REVISED))
    return pw.Setup.random(random.getrandbits(53), edition, random.randrange(2)).start()


def late(random: Random) -> pw.Position:
    """Returns a position near the end: each quilt lacks one patch to come and a few spaces.

    Some of them end level if nobody buys anything.
    """
    edition = random.choice((pw.CLASSIC, pw.REVISED))
    circle = random.sample(range(33), random.randint(6, 18))
    ahead = random.randint(24, 53)
    longest = random.random() < 0.3  # an advance of 7 may cross two income lines
    times = [ahead, ahead - 6 if longest else random.randint(ahead - 6, min(ahead, 52))]
    random.shuffle(times)
    players = []
    for patch, time in zip(circle, times, strict=False):
        quilt = FULL & ~random.choice(pw.PATCHES[patch].placements)
        for cell in random.sample(range(81), random.choice((0, 0, 0, 1, 3, 12))):
            quilt &= ~(1 << cell)
        players.append(pw.Player(quilt, random.randint(0, 30), random.randint(0, 15), time))
    squares = [seat for seat in range(2) if has_square(players[seat].quilt)]
    tile = random.choice(squares) if squares else None
    if random.random() < 0.7:
        ends = [end_by_advances(player) + 7 * (tile == seat) for seat, player in enumerate(players)]
        poorer = ends.index(min(ends))
        player = players[poorer]
        players[poorer] = replace(player, buttons=player.buttons + max(ends) - min(ends))
    behind = random.randrange(2) if times[0] == times[1] else times.index(min(times))
    return pw.Position(
        edition=edition,
        turn=behind,
        phase=pw.Phase.TURN,
        players=(players[0], players[1]),
        circle=tuple(circle),
        leather=tuple(line for line in edition.leather if line > ahead),
        tile=tile,
        first_home=1 - behind if ahead == 53 else None,
    )


def end_by_advances(player: pw.Player) -> int:
    """Returns the final score of a player who buys nothing, without leather and the tile."""
    lines = 9 - (player.time + 1) // 6
    empty = (FULL ^ player.quilt).bit_count()
    return player.buttons + 53 - player.time + player.income * lines - 2 * empty


def compare(positions: int, seed: int) -> Counter[str]:
    """Compares at least that many positions; returns how often each rare event took place."""
    codes = np.empty(MOST_LEGAL_MOVES, np.int64)
    scratch = np.empty((rules.SCRATCH, LANES), np.int64)
    random = Random(seed)
    seen: Counter[str] = Counter()
    while seen["positions"] < positions:
        styles = PAIRINGS[seen["games"] // 2 % len(PAIRINGS)]
        position = (early, late)[seen["games"] % 2](random)
        edition = position.edition
        state, circle = from_position(position)
        while True:
            seen["positions"] += 1
            assert to_position(state, circle, edition) == position
            fresh, rest = from_position(position)
            assert to_position(fresh, rest, edition) == position
            moves = position.legal_moves()
            count = rules.legal_moves(state, circle, codes, scratch)
            assert [to_move(code) for code in codes[:count].tolist()] == moves, str(position)
            assert (rules.score(state, 0), rules.score(state, 1)) == position.scores
            if not moves:
                break
            move = styles[position.turn](random, position, moves)
            before, position = position, position.play(move)
            rules.play(state, circle, from_move(move))
            note_events(seen, before, position)
        outcome = position.outcome
        assert outcome is not None
        assert rules.winner(state) == outcome.winner
        seen["games"] += 1
        seen[edition.name] += 1
        seen["ties"] += outcome.tie_break
        seen["tile races"] += all(has_square(player.quilt) for player in position.players)
    return seen


def note_events(seen: Counter[str], before: pw.Position, after: pw.Position) -> None:
    """Counts the rare events of a move."""
    old, new = before.players[before.turn], after.players[before.turn]
    lines = (new.time + 1) // 6 - (old.time + 1) // 6
    taken = before.leather != after.leather
    seen["tiles"] += before.tile != after.tile
    seen["quilts filled"] += old.quilt != new.quilt == FULL
    seen["leather placed"] += before.phase is pw.Phase.LEATHER
    seen["leather discarded"] += taken and after.phase is not pw.Phase.LEATHER
    seen["two incomes at once"] += lines > 1 and old.income > 0
    seen["incomes at the last line"] += lines > 0 and new.time == 53 and old.income > 0


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000
    total: Counter[str] = Counter()
    with ProcessPoolExecutor() as pool:
        parts = [pool.submit(compare, -(-wanted // PARTS), seed) for seed in range(PARTS)]
        for part in as_completed(parts):
            total += part.result()
            sys.stdout.write(f"\r{total['positions']:,} positions, no difference")
            sys.stdout.flush()
    sys.stdout.write("\n")
    for event, count in sorted(total.items()):
        sys.stdout.write(f"{count:>12,} {event}\n")


if __name__ == "__main__":
    main()
