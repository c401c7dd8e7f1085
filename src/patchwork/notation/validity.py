"""Finds positions that no game can reach.

The checks follow from the rules: the time tokens, the tile, the circle, and whether the patches
bought can be divided so that both quilts, incomes and times are right. They do not cover whether
the shapes can really fill the spaces, nor the order in which buttons were earned. So an accepted
position may still be unreachable, but a refused one certainly is.
"""

from collections.abc import Iterator

from patchwork.rules.patches import PATCHES, SMALLEST
from patchwork.rules.position import Phase, Position
from patchwork.rules.quilt import FULL, has_square
from patchwork.rules.timeboard import LAST, income_lines

_LARGEST_LEAD = max(patch.time for patch in PATCHES)
_OVERSHOOT = _LARGEST_LEAD - 1
"""The most by which the time of a last purchase can go beyond the last space."""


def impossibility(position: Position) -> str | None:
    """Returns why no game can reach a position, or None if no reason was found."""
    return next(_objections(position), None)


def _objections(position: Position) -> Iterator[str]:
    yield from _circle(position)
    yield from _clocks(position)
    yield from _decision(position)
    yield from _tile(position)
    yield from _sharing(position)
    yield from _buttons(position)


def _circle(position: Position) -> Iterator[str]:
    circle = position.circle
    if not circle:
        yield "the circle is empty, but every game ends before that"
    for patch in circle:
        if patch >= len(PATCHES):
            yield f"the circle holds {patch}; patch ids are 0 to {len(PATCHES) - 1}"
        if circle.count(patch) > 1:
            yield f"the circle holds patch {patch} twice"
    # Each purchase passes over at most two patches. This limits how fast the 1 x 2 patch, which is
    # last at the start, can move forward and be followed by patches passed over.
    bought = len(PATCHES) - len(circle)
    if SMALLEST in circle:
        too_early = len(circle) - 1 - circle.index(SMALLEST) > 2 * bought
    else:
        too_early = 3 * bought < len(PATCHES)
    if too_early:
        yield f"the 1 x 2 patch cannot be there with {len(circle)} patches left"


def _clocks(position: Position) -> Iterator[str]:
    times = [player.time for player in position.players]
    for seat, time in enumerate(times):
        if time > LAST:
            yield f"seat {seat} is on space {time}; the last is {LAST}"
    if abs(times[0] - times[1]) > _LARGEST_LEAD:
        yield f"one token is more than {_LARGEST_LEAD} spaces ahead of the other"
    left = tuple(line for line in position.edition.leather if line > max(times))
    if position.leather != left:
        lines = ", ".join(map(str, left)) or "no line"
        yield f"with tokens on {times[0]} and {times[1]}, leather is at {lines}"
    home = [seat for seat in (0, 1) if times[seat] == LAST]
    if (position.first_home is None) != (not home) or (home and position.first_home not in home):
        yield f"the first seat home cannot be {position.first_home}"


def _decision(position: Position) -> Iterator[str]:
    player, other = position.players[position.turn], position.players[1 - position.turn]
    over = player.time == other.time == LAST
    if over != (position.phase is Phase.OVER):
        yield f"the game is over exactly when both tokens are on space {LAST}"
    if over and position.first_home == position.turn:
        yield f"seat {position.turn} reached space {LAST} first, so the other seat moved last"
    if position.phase is Phase.TURN and player.time > other.time:
        yield f"seat {position.turn} is ahead, so the other seat moves"
    if position.phase is Phase.LEATHER:
        if not any(other.time < line <= player.time for line in position.edition.leather):
            yield f"seat {position.turn} has not just crossed a line with leather"
        if player.quilt == FULL:
            yield f"seat {position.turn} has no space left for leather"


def _tile(position: Position) -> Iterator[str]:
    squares = [seat for seat in (0, 1) if has_square(position.players[seat].quilt)]
    if position.tile is None and squares:
        yield f"seat {squares[0]} has a full 7 x 7 square, so the tile is taken"
    if position.tile is not None and position.tile not in squares:
        yield f"seat {position.tile} has the tile but no full 7 x 7 square"


def _sharing(position: Position) -> Iterator[str]:
    """Objects if the patches bought cannot be divided between the two quilts."""
    bought = [patch for patch in PATCHES if patch.id not in position.circle]
    filled = [player.quilt.bit_count() for player in position.players]
    taken = len(position.edition.leather) - len(position.leather)
    taken -= position.phase is Phase.LEATHER
    leather = sum(filled) - sum(patch.size for patch in bought)
    discards = any(player.quilt == FULL for player in position.players)  # M3
    if not (0 if discards else taken) <= leather <= taken:
        yield (
            f"{sum(filled)} spaces are filled; the patches bought and {taken}"
            f" leather patches fill {sum(filled) - leather + taken}"
        )
    income = sum(patch.income for patch in bought)
    if sum(player.income for player in position.players) != income:
        yield f"the patches bought bring an income of {income} in all"
    # All subset sums in one integer: bit time + 128 * (income + 64 * size) is set if some subset of
    # the patches costs that time, brings that income and fills that many spaces.
    sums = 1
    for patch in bought:
        sums |= sums << (patch.time + 128 * (patch.income + 64 * patch.size))
    limit = [p.time + (_OVERSHOOT if p.time == LAST else 0) for p in position.players]
    least = max(0, sum(patch.time for patch in bought) - limit[1])
    times = sum(1 << time for time in range(least, limit[0] + 1))
    for own_leather in range(min(leather, filled[0]) + 1):
        own_sums = sums >> 128 * (position.players[0].income + 64 * (filled[0] - own_leather))
        if own_sums & times:
            return
    yield "no way to divide the patches bought gives these quilts, incomes and times"


def _buttons(position: Position) -> Iterator[str]:
    """Objects if the buttons cannot be those earned by advances and income minus those paid."""
    bought = [patch for patch in PATCHES if patch.id not in position.circle]
    incomes = [player.income * income_lines(0, player.time) for player in position.players]
    for seat, player in enumerate(position.players):
        most = 5 + player.time + incomes[seat]
        if player.buttons > most:
            yield f"seat {seat} can have at most {most} buttons"
    gained = sum(p.buttons for p in position.players) + sum(patch.cost for patch in bought) - 10
    advanced = sum(p.time for p in position.players) - sum(patch.time for patch in bought)
    overshoot = _OVERSHOOT * sum(player.time == LAST for player in position.players)
    if not advanced <= gained <= advanced + overshoot + sum(incomes):
        yield "the buttons of both seats do not match what was earned and paid"
