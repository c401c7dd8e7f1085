"""Weighted fair queuing: decides which job is next when many want the same few workers.

It is pure: it knows neither a clock nor processes.

Addresses share the workers evenly. The share of an address is divided evenly among its players, and
the share of a player among that player's tables. A table has one job running at a time. On each of
these levels, every party has an account of the seconds that it has used, and the next job is the
one that would finish first if all parties were served at once, each at the rate of its share. A
short job therefore comes before long ones. A long one cannot starve: its turn comes when its
address, at that rate, would have finished it, however many jobs have come since.

The time of some jobs can be cut. Such a job gets what its share of all workers amounts to within
the time in which everybody's turn should come.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import pairwise
from math import inf
from typing import Final, Generic, NamedTuple, TypeVar

T = TypeVar("T", bound=Hashable)

ABSENT: Final = 0.05
"""The weight of all jobs together whose players are away; every address has a weight of 1."""


@dataclass(frozen=True, slots=True)
class Requester:
    """The player for whom a job is done."""

    player: str | None
    """None: unknown."""
    address: str | None
    """None: the player is away."""
    aliases: tuple[str, ...] = ()
    """All ids of the player, if there are several; that of the token comes first."""

    @property
    def ids(self) -> tuple[str, ...]:
        """All ids of the player; none for an unknown one."""
        return self.aliases or (() if self.player is None else (self.player,))

    @property
    def is_present(self) -> bool:
        """Whether the player is here, waiting for the result."""
        return self.address is not None


class Grant(NamedTuple, Generic[T]):
    """A job whose turn has come, and how long it may take."""

    job: T
    seconds: float


@dataclass(slots=True, eq=False)
class _Party:
    """An address, a player or a table, which shares with others of its kind."""

    weight: float = 1.0
    had: float = 0.0
    """Its account: the seconds used, by weight, including the expected ones of running jobs."""
    due: float = 0.0
    """What each of its parts should have had by now; a new part starts with this."""
    parts: "dict[str | None, _Party]" = field(default_factory=dict)
    waiting: "list[_Entry]" = field(default_factory=list)
    """The waiting jobs of a table, in order."""
    jobs: int = 0
    """How many jobs wait or run, including those of its parts."""

    def active(self) -> "list[_Party]":
        """Returns the parts that have jobs."""
        return [part for part in self.parts.values() if part.jobs]


@dataclass(slots=True, eq=False)
class _Entry:
    """What the queue knows about a job."""

    number: int
    """Breaks ties: the lowest number comes first."""
    table: str
    second: bool
    seconds: float
    least: float
    path: tuple[_Party, ...]
    """The parties it belongs to, from the root to the table."""
    charged: float = 0.0
    """The seconds that the parties have been charged for it so far."""


class FairQueue(Generic[T]):
    """The waiting jobs, and the running ones until they are reported as finished."""

    def __init__(self, capacity: float) -> None:
        """Makes an empty queue.

        Args:
            capacity: the seconds of all workers together within which everybody's turn should come.
        """
        self._capacity = capacity
        self._all = _Party()
        self._entries: dict[T, _Entry] = {}
        self._jobs: dict[_Entry, T] = {}
        """The waiting jobs."""
        self._busy: set[str] = set()
        """The tables of running jobs."""
        self._count = 0

    def __len__(self) -> int:
        """The number of waiting jobs."""
        return len(self._jobs)

    def __contains__(self, job: T) -> bool:
        """Whether a job is waiting."""
        return job in self._entries and self._entries[job] in self._jobs

    def push(
        self,
        job: T,
        requester: Requester,
        table: str,
        seconds: float,
        *,
        least: float | None = None,
        second: bool = False,
    ) -> None:
        """Adds a job.

        Args:
            job: what ``pop`` will return.
            requester: for whom it is.
            table: its table, of which one job runs at a time.
            seconds: how long it will probably take.
            least: what its time may be cut to; if not given, it cannot be cut.
            second: whether it comes after all jobs of the table that are not second.
        """
        weight = 1.0 if requester.is_present else ABSENT
        path = [self._all]
        for name in (requester.address, requester.player, table):
            parent = path[-1]
            part = parent.parts.setdefault(name, _Party(weight if parent is self._all else 1.0))
            if not part.jobs:  # it cannot save up what it did not use
                part.had = max(part.had, parent.due)
            path.append(part)
        for party in path:
            party.jobs += 1
        self._count += 1
        least = seconds if least is None else min(least, seconds)
        self._entries[job] = entry = _Entry(self._count, table, second, seconds, least, tuple(path))
        self._wait(job, entry)

    def pop(self) -> Grant[T] | None:
        """Returns the job whose turn has come, which runs from now on; None if there is none."""
        found = self._first(self._all, 1.0)
        if found is None:
            return None
        entry, seconds = found
        entry.path[-1].waiting.remove(entry)
        self._busy.add(entry.table)
        self._charge(entry, seconds)
        return Grant(self._jobs.pop(entry), seconds)

    def back(self, job: T) -> None:
        """Puts a running job that failed back in its place in the queue."""
        entry = self._entries[job]
        self._charge(entry, 0.0)
        self._busy.remove(entry.table)
        self._wait(job, entry)

    def finish(self, job: T, seconds: float) -> None:
        """Removes a running job that took this many seconds."""
        entry = self._entries[job]
        self._charge(entry, seconds)
        for party in entry.path[:-1]:
            active = party.active()
            due = party.due + seconds / sum(part.weight for part in active)
            party.due = max(due, min(part.had for part in active))
        self._busy.remove(entry.table)
        self._forget(job, entry)

    def remove(self, job: T) -> None:
        """Removes a waiting job."""
        entry = self._entries[job]
        entry.path[-1].waiting.remove(entry)
        del self._jobs[entry]
        self._forget(job, entry)

    def order(self) -> Iterator[T]:
        """Yields the waiting jobs in the order in which they would run if no others came."""
        return (self._jobs[entry] for entry, _ in self._sorted(self._all, 1.0))

    def _wait(self, job: T, entry: _Entry) -> None:
        self._jobs[entry] = job
        waiting = entry.path[-1].waiting
        waiting.append(entry)
        waiting.sort(key=lambda entry: (entry.second, entry.number))

    def _charge(self, entry: _Entry, seconds: float) -> None:
        """Charges the parties for a job, in place of what they were charged before."""
        for party in entry.path[1:]:
            party.had += (seconds - entry.charged) / party.weight
        entry.charged = seconds

    def _forget(self, job: T, entry: _Entry) -> None:
        del self._entries[job]
        for party in entry.path:
            party.jobs -= 1
        # A party that has had more than its due is remembered as long as others have jobs.
        for parent, part in pairwise(entry.path):
            if not part.jobs:
                parent.parts = {
                    name: part
                    for name, part in parent.parts.items()
                    if part.jobs or (parent.jobs and part.had > parent.due)
                }

    def _time(self, entry: _Entry, share: float) -> float:
        """Returns how long a job may take."""
        return max(entry.least, min(entry.seconds, self._capacity * share))

    def _first(self, party: _Party, share: float) -> tuple[_Entry, float] | None:
        """Returns the next job of a party that has this share of all workers, and its time."""
        if party.waiting:
            entry = party.waiting[0]
            return None if entry.table in self._busy else (entry, self._time(entry, share))
        best, soonest = None, (inf, 0)
        for part, its in _shares(party, share):
            if (found := self._first(part, its)) is not None:
                entry, seconds = found
                done = part.had + seconds / part.weight, entry.number
                if done < soonest:
                    best, soonest = found, done
        return best

    def _sorted(self, party: _Party, share: float) -> Iterator[tuple[_Entry, float]]:
        """Yields the jobs of a party in the order in which they will run, and their times."""
        for entry in party.waiting:
            yield entry, self._time(entry, share)
        heads: list[_Head] = []
        for part, its in _shares(party, share):
            _add_head(heads, part.had, part.weight, self._sorted(part, its))
        while heads:
            done, _, found, weight, rest = heappop(heads)
            yield found
            _add_head(heads, done, weight, rest)


_Jobs = Iterator[tuple[_Entry, float]]
_Head = tuple[float, int, tuple[_Entry, float], float, _Jobs]


def _add_head(heads: list[_Head], had: float, weight: float, rest: _Jobs) -> None:
    """Adds the next job of a party, if there is one, to a heap of those of other parties."""
    for entry, seconds in rest:
        done = had + seconds / weight
        heappush(heads, (done, entry.number, (entry, seconds), weight, rest))
        return


def _shares(party: _Party, share: float) -> Iterator[tuple[_Party, float]]:
    """Yields the parts of a party that have jobs, each with its share of all workers."""
    active = party.active()
    total = sum(part.weight for part in active)
    for part in active:
        yield part, share * part.weight / total
