"""The queue shares engine time fairly, and short jobs do not wait long."""

from collections import defaultdict
from itertools import combinations, count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from patchwork.server.engines.fair_queue import FairQueue, Requester

ANN, BOB, CEM = (Requester(name, f"with {name}") for name in ("ann", "bob", "cem"))
AWAY = Requester("dan", None)

Want = tuple[Requester, str, float]
"""A repeated request: its requester, its table, and how many seconds it takes."""

requesters = st.builds(Requester, st.sampled_from("pqr"), st.sampled_from("abc"))
wants = st.lists(
    st.tuples(requesters, st.sampled_from("xyz"), st.sampled_from([1.0, 2.0, 5.0])),
    min_size=1,
    max_size=12,
    unique_by=lambda want: want[:2],
)


def run_all(queue: FairQueue[str]) -> list[str]:
    """Returns the jobs in the order in which one worker runs them, in their expected time."""
    jobs = []
    while (grant := queue.pop()) is not None:
        queue.finish(grant.job, grant.seconds)
        jobs.append(grant.job)
    return jobs


def first_time_slices(queue: FairQueue[str], count: int) -> dict[str, float]:
    """Returns the seconds granted to the first jobs if they all run at once."""
    granted = (queue.pop() for _ in range(count))
    return {grant.job: grant.seconds for grant in granted if grant is not None}


def seconds_granted(wanted: list[Want], jobs: int) -> dict[Want, float]:
    """Returns the seconds that each requester has had after one worker has run some jobs."""
    queue: FairQueue[tuple[int, Want]] = FairQueue(1.0)
    numbers, seconds = count(), dict.fromkeys(wanted, 0.0)
    for want in wanted:
        queue.push((next(numbers), want), *want)
    for _ in range(jobs):
        grant = queue.pop()
        assert grant is not None
        _, want = grant.job
        queue.finish(grant.job, grant.seconds)
        queue.push((next(numbers), want), *want)
        seconds[want] += grant.seconds
    return seconds


def test_equal_jobs_run_in_order() -> None:
    queue: FairQueue[str] = FairQueue(1.0)
    for name, requester in {"a": ANN, "b": BOB, "c": CEM}.items():
        queue.push(name, requester, name, 1.0)
    assert len(queue) == 3
    assert "a" in queue
    assert run_all(queue) == ["a", "b", "c"]
    assert "a" not in queue
    assert len(queue) == 0


def test_short_jobs_come_before_long_ones() -> None:
    queue: FairQueue[str] = FairQueue(1.0)
    queue.push("long", ANN, "a", 1.0)
    queue.push("short", BOB, "b", 0.01)
    queue.push("middling", ANN, "c", 0.1)
    assert run_all(queue) == ["short", "middling", "long"]


def test_requesters_that_used_more_time_come_later() -> None:
    queue: FairQueue[str] = FairQueue(1.0)
    for number in range(5):
        queue.push(f"a{number}", ANN, f"a{number}", 1.0)
    queue.push("b", BOB, "b", 1.0)
    assert run_all(queue) == ["a0", "b", "a1", "a2", "a3", "a4"]


def test_the_actual_time_of_a_job_counts_rather_than_the_expected_one() -> None:
    queue: FairQueue[str] = FairQueue(1.0)
    for name, requester in {"a1": ANN, "b1": BOB, "a2": ANN, "b2": BOB, "a3": ANN}.items():
        queue.push(name, requester, name, 1.0)
    order = []
    while (grant := queue.pop()) is not None:
        order.append(grant.job)
        queue.finish(grant.job, 5.0 if grant.job == "a1" else 1.0)
    assert order == ["a1", "b1", "b2", "a2", "a3"]


def test_idle_requesters_do_not_accumulate_credit() -> None:
    queue: FairQueue[str] = FairQueue(1.0)
    for number in range(9):
        queue.push(f"a{number}", ANN, f"a{number}", 1.0)
    for _ in range(5):
        grant = queue.pop()
        assert grant is not None
        queue.finish(grant.job, 1.0)
    for number in range(4):
        queue.push(f"b{number}", BOB, f"b{number}", 1.0)
    assert run_all(queue) == ["a5", "b0", "a6", "b1", "a7", "b2", "a8", "b3"]


def test_second_jobs_come_after_all_other_jobs_of_their_table() -> None:
    queue: FairQueue[str] = FairQueue(1.0)
    queue.push("hint", ANN, "a", 0.1, second=True)
    queue.push("move", ANN, "a", 1.0)
    assert run_all(queue) == ["move", "hint"]


def test_a_table_has_one_job_at_a_time() -> None:
    queue: FairQueue[str] = FairQueue(1.0)
    for name in ("a1", "a2"):
        queue.push(name, ANN, "a", 1.0)
    assert queue.pop() == ("a1", 1.0)
    assert queue.pop() is None
    queue.push("b", ANN, "b", 1.0)
    assert queue.pop() == ("b", 1.0)
    queue.push("hint", BOB, "a", 1.0)
    assert queue.pop() is None, "another requester's job waits for the same table, too"
    queue.finish("a1", 1.0)
    assert queue.pop() == ("hint", 1.0)
    assert queue.pop() is None


def test_a_failed_job_returns_to_its_place_in_the_queue() -> None:
    queue: FairQueue[str] = FairQueue(1.0)
    for name, requester in {"a": ANN, "b": BOB, "c": CEM}.items():
        queue.push(name, requester, name, 1.0)
    assert queue.pop() == ("a", 1.0)
    queue.back("a")
    assert run_all(queue) == ["a", "b", "c"]


def test_a_removed_job_does_not_run_and_costs_nothing() -> None:
    queue: FairQueue[str] = FairQueue(1.0)
    for name, requester in {"a1": ANN, "b": BOB, "a2": ANN}.items():
        queue.push(name, requester, name, 1.0)
    queue.remove("a1")
    assert list(queue.order()) == ["b", "a2"]
    queue.push("a3", ANN, "a2", 1.0)
    assert run_all(queue) == ["b", "a2", "a3"]


def test_absent_requesters_are_delayed_but_not_starved() -> None:
    queue: FairQueue[str] = FairQueue(1.0)
    queue.push("away", AWAY, "away", 1.0)
    for number in range(30):
        queue.push(f"{number}", ANN, f"{number}", 1.0)
    assert run_all(queue).index("away") == 19


@pytest.mark.parametrize(
    ("others", "seconds"),
    [
        ([], 1.0),
        ([BOB], 0.5),
        ([BOB, CEM], 1 / 3),
        ([BOB, BOB, BOB], 0.5),
        ([Requester("eve", ANN.address)], 0.5),
        ([ANN, ANN], 1 / 3),
        ([Requester("eve", ANN.address), BOB], 0.25),
        ([Requester(None, f"{number}") for number in range(30)], 0.1),
        ([AWAY], 1 / 1.05),
    ],
)
def test_a_job_that_can_be_shortened_gets_its_fair_share_of_time(
    others: list[Requester], seconds: float
) -> None:
    queue: FairQueue[str] = FairQueue(1.0)
    queue.push("mine", ANN, "mine", 1.0, least=0.1)
    for number, requester in enumerate(others):
        queue.push(f"{number}", requester, f"{number}", 3.0)
    assert first_time_slices(queue, 1) == {"mine": pytest.approx(seconds)}


def test_more_workers_give_more_time() -> None:
    queue: FairQueue[str] = FairQueue(3.0)
    for number in range(4):
        queue.push(f"{number}", Requester(None, f"{number}"), f"{number}", 1.0, least=0.1)
    assert set(first_time_slices(queue, 4).values()) == {0.75}


def test_no_job_gets_more_time_than_it_asks_for_or_less_than_its_least() -> None:
    queue: FairQueue[str] = FairQueue(100.0)
    queue.push("a", ANN, "a", 0.05, least=0.1)
    queue.push("b", BOB, "b", 0.2)
    assert first_time_slices(queue, 2) == {"a": 0.05, "b": 0.2}


@given(wants)
def test_jobs_run_in_the_announced_order(wanted: list[Want]) -> None:
    queue: FairQueue[str] = FairQueue(1.0)
    for number, want in enumerate(wanted):
        queue.push(f"{number}", *want)
    announced = list(queue.order())
    assert len(announced) == len(queue) == len(wanted)
    assert announced == run_all(queue)


@given(wants)
@settings(deadline=None, max_examples=50)
def test_all_requesters_have_equal_shares(wanted: list[Want]) -> None:
    seconds = seconds_granted(wanted, 300)
    longest = max(want[2] for want in wanted)
    addresses, players = defaultdict[str | None, float](float), defaultdict[Requester, float](float)
    for (requester, _, _), its in seconds.items():
        addresses[requester.address] += its
        players[requester] += its
    for one, other in combinations(addresses, 2):
        assert abs(addresses[one] - addresses[other]) <= 3 * longest
    for ann, bob in combinations(players, 2):
        if ann.address == bob.address:
            assert abs(players[ann] - players[bob]) <= 3 * longest
    for first, second in combinations(wanted, 2):
        if first[0] == second[0]:
            assert abs(seconds[first] - seconds[second]) <= 3 * longest


@given(st.integers(1, 8), st.sampled_from([0.01, 0.1, 0.5]))
@settings(deadline=None, max_examples=20)
def test_a_stream_of_new_requesters_cannot_starve_a_long_job(crowd: int, short: float) -> None:
    """Jobs from ever new addresses get no more time than those from one address."""
    queue: FairQueue[int] = FairQueue(1.0)
    queue.push(0, ANN, "long", 1.0)
    numbers, passed = count(1), 0.0
    while True:
        while len(queue) <= crowd:
            number = next(numbers)
            queue.push(number, Requester(None, f"{number}"), "short", short)
        grant = queue.pop()
        assert grant is not None
        if grant.job == 0:
            break
        queue.finish(grant.job, short)
        passed += short
        assert passed <= (crowd + 1) * (1.0 + short)


def test_a_short_job_waits_for_at_most_one_long_job() -> None:
    """Forty tables of eight addresses compete with one that now and then has a tiny job."""
    queue: FairQueue[tuple[str, int]] = FairQueue(1.0)
    numbers = count()

    def want(number: int) -> None:
        requester = Requester(f"{number}", f"{number % 8}")
        queue.push((f"{number}", next(numbers)), requester, f"{number}", 1.0, least=0.1)

    for number in range(40):
        want(number)
    passed: list[int] = []
    for gap in range(200):
        for _ in range(gap % 11):
            grant = queue.pop()
            assert grant is not None
            queue.finish(grant.job, grant.seconds)
            want(int(grant.job[0]))
        queue.push(("honest", gap), ANN, "honest", 0.001)
        passed.append(0)
        while (grant := queue.pop()) is not None and grant.job[0] != "honest":
            queue.finish(grant.job, grant.seconds)
            want(int(grant.job[0]))
            passed[-1] += 1
        queue.finish(("honest", gap), 0.001)
    assert max(passed) <= 1


class QueueMachine(RuleBasedStateMachine):
    """Jobs are added, start, finish, fail and are removed in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.queue: FairQueue[int] = FairQueue(2.0)
        self.numbers = count()
        self.waiting: dict[int, str] = {}
        self.running: dict[int, str] = {}

    @rule(requester=requesters | st.just(AWAY), table=st.sampled_from("xyz"), second=st.booleans())
    def push(self, requester: Requester, table: str, second: bool) -> None:
        job = next(self.numbers)
        self.queue.push(job, requester, table, 1.0, least=0.1, second=second)
        self.waiting[job] = table

    @rule()
    def pop(self) -> None:
        free = set(self.waiting.values()) - set(self.running.values())
        grant = self.queue.pop()
        assert (grant is None) == (not free)
        if grant is not None:
            assert 0.1 <= grant.seconds <= 1.0
            table = self.waiting.pop(grant.job)
            assert table in free
            self.running[grant.job] = table

    @precondition(lambda self: self.running)
    @rule(data=st.data(), seconds=st.floats(0, 10))
    def finish(self, data: st.DataObject, seconds: float) -> None:
        job = data.draw(st.sampled_from(sorted(self.running)))
        self.queue.finish(job, seconds)
        del self.running[job]

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def back(self, data: st.DataObject) -> None:
        job = data.draw(st.sampled_from(sorted(self.running)))
        self.queue.back(job)
        self.waiting[job] = self.running.pop(job)

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        job = data.draw(st.sampled_from(sorted(self.waiting)))
        self.queue.remove(job)
        del self.waiting[job]

    @invariant()
    def the_order_lists_exactly_the_waiting_jobs(self) -> None:
        assert sorted(self.queue.order()) == sorted(self.waiting)
        assert len(self.queue) == len(self.waiting)

    def teardown(self) -> None:
        for job in self.running:
            self.queue.finish(job, 1.0)
        while (grant := self.queue.pop()) is not None:
            self.queue.finish(grant.job, 1.0)
            del self.waiting[grant.job]
        assert not self.waiting
        assert not self.queue._all.parts, "an empty queue keeps no usage records"


TestQueueMachine = QueueMachine.TestCase
TestQueueMachine.settings = settings(deadline=None, max_examples=60, stateful_step_count=40)
