"""Who is connected, and when the win may be claimed from a player who is not."""

from collections.abc import Iterable
from dataclasses import dataclass

from patchwork.server import wire
from patchwork.server.game.clocks import Pauses
from patchwork.server.game.match import Match
from patchwork.server.game.terms import DAY, MINUTE, SECOND, Clock, Opponent
from patchwork.server.settings import Settings

_DECISIONS = 40
"""Of a player in a long game. A game with increments is taken to last as long as these take."""
_PATIENCE = ((3 * MINUTE, 1), (8 * MINUTE, 2), (25 * MINUTE, 4))
"""Games that last less than so long, and how many times the usual wait a lost connection is waited
for. The bounds are those that Lichess draws between bullet, blitz, rapid and classical chess."""
_MOST_PATIENCE = 10
_DAYS_AWAY = 30 * DAY
"""The wait in games with days for each move, from the last event on."""


@dataclass(frozen=True, slots=True)
class _Absence:
    since: int
    on_purpose: bool


class Presence:
    """Which seats of a table have a connected player."""

    def __init__(self, settings: Settings, now: int, pauses: Pauses) -> None:
        self._settings = settings
        self._pauses = pauses
        self._away: dict[int, _Absence] = {seat: _Absence(now, False) for seat in (0, 1)}

    def arrive(self, seats: Iterable[int]) -> None:
        """Notes that whoever has these seats is here."""
        for seat in seats:
            self._away.pop(seat, None)

    def leave(self, seats: Iterable[int], now: int, *, on_purpose: bool) -> None:
        """Notes that whoever has these seats is no longer here."""
        for seat in seats:
            self._away[seat] = _Absence(now, on_purpose)

    def gone(self, match: Match, now: int) -> set[int]:
        """Returns the seats whose players have been away for so long that they lose."""
        return {seat for seat in (0, 1) if self._claimable_in(match, seat, now) == 0}

    def message(self, match: Match, watchers: int, now: int) -> wire.Presence:
        """Returns the message that says who is here."""
        here = [seat not in self._away or seat == match.terms.computer for seat in (0, 1)]
        return wire.Presence(
            present=(here[0], here[1]),
            claim=(self._claimable_in(match, 0, now), self._claimable_in(match, 1, now)),
            watchers=watchers,
        )

    def _claimable_in(self, match: Match, seat: int, now: int) -> int | None:
        """Returns in how many milliseconds the win may be claimed from a seat; None if never."""
        absence = self._away.get(seat)
        if absence is None or not match.running or match.terms.opponent is not Opponent.FRIEND:
            return None
        clock = match.terms.clock
        if clock is not None and clock.renewed:
            return max(0, match.events[-1].at + _DAYS_AWAY - now)
        seconds = (
            self._settings.gone_left
            if absence.on_purpose
            else self._settings.gone_lost * _patience(clock)
        )
        since = max(absence.since, _last_event(match, seat))
        away = now - since - self._pauses.between(since, now)
        return max(0, int(seconds * SECOND) - away)


def _last_event(match: Match, seat: int) -> int:
    """Returns when a seat was taken or last did something, perhaps without being connected."""
    return next((event.at for event in reversed(match.events) if event.seat == seat), 0)


def _patience(clock: Clock | None) -> int:
    if clock is None:
        return _MOST_PATIENCE
    duration = clock.allowance + _DECISIONS * clock.increment
    return next((factor for limit, factor in _PATIENCE if duration < limit), _MOST_PATIENCE)
