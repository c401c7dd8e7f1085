"""What all parts of a running server share; there is one instance for each server."""

from dataclasses import dataclass, field
from typing import Self

from patchwork.server.caching.background import BackgroundThread
from patchwork.server.caching.documents import DocumentCache
from patchwork.server.engines.pool import EnginePool
from patchwork.server.game.clocks import Timekeeper
from patchwork.server.ops.limits import ConcurrencyLimiter, Limiter
from patchwork.server.ops.metrics import Metrics
from patchwork.server.ops.pacing import Pacer
from patchwork.server.settings import Settings
from patchwork.server.store import Store

_MINUTE, _HOUR, _DAY = 60, 60 * 60, 24 * 60 * 60
"""In seconds."""
_RECORDS_PER_DAY = 300
"""From an address: records that are kept, so that nobody fills the disk with them."""
_ACCOUNT_REQUESTS_PER_HOUR = 20
"""From an address: exports of all data, revocations of tokens and deletions of players. Each reads
or changes all games of a player, and nobody needs many."""


@dataclass(frozen=True, slots=True)
class Limiters:
    """How often clients may do what is expensive; the settings say how often."""

    games_per_minute: Limiter
    games_per_day: Limiter
    carry_links: Limiter
    documents: Limiter
    """Pictures, replays, records and analyses that have to be made."""
    records: Limiter
    """Records that users open and the server keeps."""
    streams: ConcurrencyLimiter
    account_requests: Limiter
    """Requests that concern all games of a player."""

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Returns the limiters that a server's settings ask for."""
        return cls(
            games_per_minute=Limiter(settings.new_games_per_minute, _MINUTE),
            games_per_day=Limiter(settings.new_games_per_day, _DAY),
            carry_links=Limiter(settings.carries_per_hour, _HOUR),
            documents=Limiter(settings.copies_per_minute, _MINUTE),
            records=Limiter(_RECORDS_PER_DAY, _DAY),
            streams=ConcurrencyLimiter(settings.streams),
            account_requests=Limiter(_ACCOUNT_REQUESTS_PER_HOUR, _HOUR),
        )


@dataclass(frozen=True, slots=True)
class Services:
    """What tables, players and requests need from the server around them."""

    settings: Settings
    store: Store
    engines: EnginePool
    metrics: Metrics
    clock: Timekeeper
    pacer: Pacer
    limiters: Limiters
    background: BackgroundThread = field(default_factory=BackgroundThread)
    documents: DocumentCache = field(default_factory=DocumentCache)
