"""Who comes next where many want the same few workers: fair queuing, without clock or processes.

Addresses share the workers evenly. What an address gets is shared evenly by its players, and what a
player gets by the player's tables. Of a table one job is done at a time. On each of these levels it
is weighted fair queuing: each party has an account of the seconds that it has had, and next is the
job that would be done first if all worked at once, each at the pace of its share. So a short job
comes before long ones. A long one cannot starve: its turn comes when its address, at that pace,
would be done with it, however many jobs have come since.

A job may be such that its time can be cut. It gets as much time as its share of all workers comes
to in the time within which everybody's turn should come.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import pairwise
from math import inf
from typing import Final, Generic, NamedTuple, TypeVar

T = TypeVar("T", bound=Hashable)

ABSENT: Final = 0.05
"""The weight of all that nobody waits for, beside an address, which has 1."""


@dataclass(frozen=True, slots=True)
class Asker:
    """For whom something is done."""

    player: str | None
    """None: somebody who is not known."""
    address: str | None
    """Where they are; None: not here."""

    @property
    def here(self) -> bool:
        """Whether they are here to see it."""
        return self.address is not None


class Grant(NamedTuple, Generic[T]):
    """A job whose turn it is, and how long it may take."""

    job: T
    seconds: float


@dataclass(slots=True, eq=False)
class _Party:
    """An address, a player or a table: whoever shares with others of the same kind."""

    weight: float = 1.0
    had: float = 0.0
    """Its account: seconds divided by weight, those of running jobs as far as they are foreseen."""
    due: float = 0.0
    """What each of its parts should have had by now; who comes new begins with that."""
    parts: "dict[str | None, _Party]" = field(default_factory=dict)
    waiting: "list[_Entry]" = field(default_factory=list)
    """Of a table, the first to come first."""
    jobs: int = 0
    """How many wait or run, those of its parts included."""

    def active(self) -> "list[_Party]":
        """Returns the parts that want something."""
        return [part for part in self.parts.values() if part.jobs]


@dataclass(slots=True, eq=False)
class _Entry:
    """What is known of a job."""

    number: int
    """Of those that would come at the same time the lowest comes first."""
    table: str
    second: bool
    seconds: float
    least: float
    path: tuple[_Party, ...]
    """From all to the table."""
    charged: float = 0.0
    """What the parties have paid for it in advance."""


class FairQueue(Generic[T]):
    """Jobs that wait, and those that run until they are said to be finished."""

    def __init__(self, capacity: float) -> None:
        """Makes an empty queue.

        Args:
            capacity: the seconds that all workers together have until everybody's turn should come.
        """
        self._capacity = capacity
        self._all = _Party()
        self._entries: dict[T, _Entry] = {}
        self._jobs: dict[_Entry, T] = {}
        """Those that wait."""
        self._busy: set[str] = set()
        """The tables of those that run, for whomever."""
        self._count = 0

    def __len__(self) -> int:
        """How many wait."""
        return len(self._jobs)

    def __contains__(self, job: T) -> bool:
        """Whether a job waits."""
        return job in self._entries and self._entries[job] in self._jobs

    def push(
        self,
        job: T,
        asker: Asker,
        table: str,
        seconds: float,
        *,
        least: float | None = None,
        second: bool = False,
    ) -> None:
        """Lets a job wait.

        Args:
            job: what ``pop`` returns one day.
            asker: for whom it is.
            table: of which one job runs at a time.
            seconds: what it will probably take.
            least: to what that may be cut; it may not if not given.
            second: it comes after all jobs of the table that are not such.
        """
        weight = 1.0 if asker.here else ABSENT
        path = [self._all]
        for name in (asker.address, asker.player, table):
            parent = path[-1]
            part = parent.parts.setdefault(name, _Party(weight if parent is self._all else 1.0))
            if not part.jobs:  # it has no claim to what it did not want
                part.had = max(part.had, parent.due)
            path.append(part)
        for party in path:
            party.jobs += 1
        self._count += 1
        least = seconds if least is None else min(least, seconds)
        self._entries[job] = entry = _Entry(self._count, table, second, seconds, least, tuple(path))
        self._wait(job, entry)

    def pop(self) -> Grant[T] | None:
        """Returns the job whose turn it is, which runs from now on; None: there is none."""
        found = self._first(self._all, 1.0)
        if found is None:
            return None
        entry, seconds = found
        entry.path[-1].waiting.remove(entry)
        self._busy.add(entry.table)
        self._charge(entry, seconds)
        return Grant(self._jobs.pop(entry), seconds)

    def back(self, job: T) -> None:
        """Lets a job that runs wait again, where it was before: nothing came of it."""
        entry = self._entries[job]
        self._charge(entry, 0.0)
        self._busy.remove(entry.table)
        self._wait(job, entry)

    def finish(self, job: T, seconds: float) -> None:
        """Forgets a job that runs, after so many seconds."""
        entry = self._entries[job]
        self._charge(entry, seconds)
        for party in entry.path[:-1]:
            active = party.active()
            due = party.due + seconds / sum(part.weight for part in active)
            party.due = max(due, min(part.had for part in active))
        self._busy.remove(entry.table)
        self._forget(job, entry)

    def remove(self, job: T) -> None:
        """Forgets a job that waits."""
        entry = self._entries[job]
        entry.path[-1].waiting.remove(entry)
        del self._jobs[entry]
        self._forget(job, entry)

    def order(self) -> Iterator[T]:
        """Yields those that wait, in the order in which they come if no others do."""
        return (self._jobs[entry] for entry, _ in self._sorted(self._all, 1.0))

    def _wait(self, job: T, entry: _Entry) -> None:
        self._jobs[entry] = job
        waiting = entry.path[-1].waiting
        waiting.append(entry)
        waiting.sort(key=lambda entry: (entry.second, entry.number))

    def _charge(self, entry: _Entry, seconds: float) -> None:
        """Has the parties pay for a job, instead of what they paid for it before."""
        for party in entry.path[1:]:
            party.had += (seconds - entry.charged) / party.weight
        entry.charged = seconds

    def _forget(self, job: T, entry: _Entry) -> None:
        del self._entries[job]
        for party in entry.path:
            party.jobs -= 1
        # Whoever has had more than was due is remembered, as long as others want something.
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
        """Returns the next job of a party with such a share of all workers, and its time."""
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
        """Yields the jobs of a party in the order in which they come, and their times."""
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
    """Adds the next job of a party, if there is one, to those of other parties."""
    for entry, seconds in rest:
        done = had + seconds / weight
        heappush(heads, (done, entry.number, (entry, seconds), weight, rest))
        return


def _shares(party: _Party, share: float) -> Iterator[tuple[_Party, float]]:
    """Yields the parts of a party that want something, and the shares of all that they have."""
    active = party.active()
    total = sum(part.weight for part in active)
    for part in active:
        yield part, share * part.weight / total
