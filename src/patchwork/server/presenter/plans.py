"""Plans: what would come of purchases that a player thinks of, whoever's turn it is.

What each of them does, the rules say, by playing it in a position in which it is the player's turn,
the patch is on offer and there are enough buttons. What happens in between is left out: nobody can
know it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from patchwork.rules.moves import Buy, purchases
from patchwork.rules.patches import PATCHES
from patchwork.rules.position import Phase, Player, Position
from patchwork.rules.timeboard import LAST
from patchwork.server import wire
from patchwork.server.presenter.positions import orientations


def plan(
    position: Position, seq: int, seat: int, kept: Sequence[Buy], patch: int | None
) -> wire.Plan:
    """Returns what would come of purchases, made one after the other and without anything else.

    Args:
        position: the current position.
        seq: the number of the last event.
        seat: who would buy.
        kept: the purchases.
        patch: another patch, to be tried after them; None for none.
    """
    future, ideas = _Future(position, seat, position.players[seat].buttons), []
    for buy in kept:
        idea, future = future.after(buy, position.circle)
        ideas.append(idea)
    if patch is None:
        return wire.Plan(seq=seq, kept=ideas, tried=None, orientations=[])
    quilt = future.player.quilt
    places = orientations(patch, quilt, tile_free=future.position.tile is None)
    if not places:
        return wire.Plan(seq=seq, kept=ideas, tried=_impossible(patch, "overlaps"), orientations=[])
    tried, _ = future.after(purchases(patch, quilt)[0], position.circle)  # wherever it lies
    return wire.Plan(seq=seq, kept=ideas, tried=tried, orientations=[] if tried.refused else places)


@dataclass(frozen=True, slots=True)
class _Future:
    """A position after some purchases of one seat."""

    position: Position
    seat: int
    buttons: int
    """Those of the seat; negative if the purchases cost more than there is."""

    @property
    def player(self) -> Player:
        return self.position.players[self.seat]

    def after(self, buy: Buy, circle: Sequence[int]) -> tuple[wire.Idea, "_Future"]:
        """Returns what a purchase would do, and the future after it if it will ever be possible.

        Args:
            buy: the purchase.
            circle: the patches as they lie now.
        """
        if buy.patch not in self.position.circle:
            return _impossible(buy.patch, "taken"), self
        if self.player.time == LAST:
            return _impossible(buy.patch, "home"), self
        if buy.cells & self.player.quilt:
            return _impossible(buy.patch, "overlaps"), self
        cost = PATCHES[buy.patch].cost
        position = self._at_the_till(buy.patch, cost).play(buy)
        after = position.players[self.seat]
        bought = _Future(position, self.seat, self.buttons - cost + after.buttons)
        idea = wire.Idea(
            patch=buy.patch,
            refused=None,
            purchases=_purchases_until(circle, buy.patch),
            after=_bringing(circle, buy.patch),
            short=max(0, cost - self.buttons),
            space=after.time,
            buttons=bought.buttons,
            income=after.buttons,  # the price was all there was
            leather=position.phase is Phase.LEATHER,
        )
        return idea, bought

    def _at_the_till(self, patch: int, cost: int) -> Position:
        """Returns the position with the patch on offer to the seat, and its price in hand."""
        ready, other = replace(self.player, buttons=cost), self.position.players[1 - self.seat]
        others = tuple(each for each in self.position.circle if each != patch)
        return replace(
            self.position,
            turn=self.seat,
            phase=Phase.TURN,
            players=(ready, other) if self.seat == 0 else (other, ready),
            circle=(patch, *others),
        )


def _impossible(patch: int, refused: Literal["taken", "overlaps", "home"]) -> wire.Idea:
    return wire.Idea(
        patch=patch,
        refused=refused,
        purchases=0,
        after=[],
        short=0,
        space=0,
        buttons=0,
        income=0,
        leather=False,
    )


_OFFER = 3
"""Patches on offer (B1); a purchase takes the neutral token past at most as many (B2)."""


def _purchases_until(circle: Sequence[int], patch: int) -> int:
    """Returns after how many purchases, at least, a patch is on offer."""
    return circle.index(patch) // _OFFER


def _bringing(circle: Sequence[int], patch: int) -> list[int]:
    """Returns the patches on offer after whose purchase another patch is on offer next."""
    place = circle.index(patch)
    if place < _OFFER:
        return []
    return [
        bought for skipped, bought in enumerate(circle[:_OFFER]) if place - (skipped + 1) < _OFFER
    ]
