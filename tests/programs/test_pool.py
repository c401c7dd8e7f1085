"""Whatever its child processes do, a pool reports it, replaces them and leaves nothing behind."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any

import pytest

from patchwork.programs import pool as pool_module
from patchwork.programs.pool import Lost, Message, NotStarted, Pool, Problem, Ready, Worker
from support.processes import nothing_is_left
from support.waiting import PATIENCE, is_alive

CHILD = (sys.executable, str(Path(__file__).with_name("misbehaving_child.py")))
LONG = 3600.0
"""More seconds than any test takes."""

Event = Ready | Message | Lost | NotStarted


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    with nothing_is_left():
        yield


@contextmanager
def pool_of(
    size: int = 1, start: Sequence[str] = (), command: Sequence[str] = CHILD, **options: Any
) -> Iterator[Pool]:
    pool = Pool((*command, *start), size, **{"start_timeout": LONG} | options)
    try:
        yield pool
    finally:
        pool.close()
        assert list(pool.events()) == []


def next_event(pool: Pool) -> Event:
    """Returns the next event; there must not be more than one at a time."""
    while True:
        events = list(pool.wait())
        assert len(events) < 2
        if events:
            return events[0]


def ready(pool: Pool) -> Worker:
    event = next_event(pool)
    assert isinstance(event, Ready), event
    return event.worker


def ask(pool: Pool, worker: Worker, do: str, seconds: float = LONG, **details: Any) -> None:
    pool.ask(worker, {"do": do, **details}, seconds)


def answer(pool: Pool) -> dict[str, Any]:
    event = next_event(pool)
    assert isinstance(event, Message), event
    return event.content


def test_a_worker_answers_one_request_after_another() -> None:
    with pool_of() as pool:
        worker = ready(pool)
        for number in range(3):
            ask(pool, worker, "echo", number=number)
            assert answer(pool) == {"do": "echo", "number": number}
            pool.finish(worker)
        assert is_alive(worker.pid)
    assert not is_alive(worker.pid)


def test_what_libraries_print_is_not_an_answer() -> None:
    with pool_of() as pool:
        worker = ready(pool)
        ask(pool, worker, "print")
        assert answer(pool) == {"printed": True}


def test_an_answer_may_have_several_parts() -> None:
    with pool_of() as pool:
        worker = ready(pool)
        ask(pool, worker, "twice")
        parts: list[Event] = []
        while len(parts) < 2:
            parts += pool.wait()
        contents = [part.content for part in parts if isinstance(part, Message)]
        assert contents == [{"part": 1}, {"part": 2}]


def test_a_slow_answer_is_waited_for_as_long_as_it_may_take(tmp_path: Path) -> None:
    with pool_of(2) as pool:
        slow, quick = (event for event in two_ready(pool))
        ask(pool, slow, "wait", gate=str(tmp_path / "gate"))
        ask(pool, quick, "echo")
        assert answer(pool) == {"do": "echo"}
        (tmp_path / "gate").touch()
        assert answer(pool) == {"waited": True}


def two_ready(pool: Pool) -> list[Worker]:
    found: list[Worker] = []
    while len(found) < 2:
        found += [event.worker for event in pool.wait() if isinstance(event, Ready)]
    return found


def test_a_request_can_be_stopped() -> None:
    with pool_of() as pool:
        worker = ready(pool)
        worker.stop()  # means nothing: no request is there
        for _ in range(2):
            ask(pool, worker, "until stopped")
            worker.stop()
            assert answer(pool) == {"stopped": True}
            pool.finish(worker)


@pytest.mark.parametrize(
    ("fault", "problem", "what"),
    [
        ("crash", Problem.ENDED, "it ended with status 3"),
        ("half a line", Problem.ENDED, "it ended with status 0"),
        ("leave an orphan", Problem.ENDED, "it ended with status 0"),
        ("close", Problem.ENDED, "it ended with status"),
        ("garbage", Problem.NONSENSE, "something that is not a JSON object"),
        ("a list", Problem.NONSENSE, "something that is not a JSON object"),
        ("flood", Problem.NONSENSE, "a line that is too long"),
        ("hang", Problem.LATE, "it did not answer in time"),
    ],
)
def test_a_worker_that_fails_is_replaced(fault: str, problem: Problem, what: str) -> None:
    with pool_of() as pool:
        worker = ready(pool)
        ask(pool, worker, fault)
        if problem is Problem.LATE:
            worker.expect(0.0)
        event = next_event(pool)
        assert isinstance(event, Lost)
        assert event.worker is worker
        assert event.failure.problem is problem
        assert what in str(event.failure)
        assert not is_alive(worker.pid)
        other = ready(pool)
        assert other.pid != worker.pid
        ask(pool, other, "echo")
        assert answer(pool) == {"do": "echo"}


def test_an_error_quotes_the_end_of_the_error_output() -> None:
    with pool_of() as pool:
        ask(pool, ready(pool), "crash")
        event = next_event(pool)
        assert isinstance(event, Lost)
        assert event.failure.status == 3
        assert str(event.failure).endswith("output ends with: first words | out of wool")


def test_a_worker_that_writes_without_being_asked_is_replaced() -> None:
    with pool_of() as pool:
        worker = ready(pool)
        ask(pool, worker, "babble")
        seen: list[Event] = []
        while not seen or not isinstance(seen[-1], Lost):
            for event in pool.wait():
                seen.append(event)
                if isinstance(event, Message):
                    pool.finish(worker)
        assert [type(event) for event in seen] == [Message, Lost]
        assert seen[-1].failure.problem is Problem.NONSENSE
        ready(pool)


def test_a_worker_whose_answer_is_refused_is_replaced() -> None:
    with pool_of() as pool:
        worker = ready(pool)
        ask(pool, worker, "echo")
        answer(pool)
        pool.refuse(worker, "it plays cards")
        event = next_event(pool)
        assert isinstance(event, Lost)
        assert (event.failure.problem, event.worker) == (Problem.REFUSED, worker)
        assert "it plays cards" in str(event.failure)
        assert not is_alive(worker.pid)
        ready(pool)


@pytest.mark.parametrize(
    ("start", "problem", "what"),
    [
        ("crash", Problem.ENDED, "it ended with status 1; its error output ends with: no needle"),
        ("mute", Problem.LATE, "it did not answer in time"),
        ("chatty", Problem.NONSENSE, "it did not say that it is ready"),
    ],
)
def test_a_worker_that_is_never_ready_is_retried(start: str, problem: Problem, what: str) -> None:
    with pool_of(start=[start], start_timeout=0.2 if start == "mute" else LONG) as pool:
        for _ in range(2):
            event = next_event(pool)
            assert isinstance(event, NotStarted)
            assert event.failure.problem is problem
            assert what in str(event.failure)


def test_a_worker_that_ends_while_idle_is_replaced() -> None:
    with pool_of(start=["short-lived"]) as pool:
        seen: list[Event] = []
        while len(seen) < 4:
            seen += pool.wait()
        assert [type(event) for event in seen[:4]] == [Ready, Lost, Ready, Lost]


def test_workers_can_start_one_after_another() -> None:
    with pool_of(3, one_at_a_time=True) as pool:
        for _ in range(3):
            workers = [slot.worker for slot in pool._slots if slot.worker is not None]
            assert sum(not worker.is_ready for worker in workers) <= 1
            ready(pool)


def test_a_worker_that_is_dismissed_is_not_replaced() -> None:
    with pool_of(2) as pool:
        first, second = two_ready(pool)
        pool.dismiss(first)
        assert len(pool) == 1
        ask(pool, second, "echo")
        while not (events := list(pool.wait())):
            pass
        assert [type(event) for event in events] == [Message]
        pool.dismiss(second)
        assert list(pool.wait()) == []
    assert not is_alive(first.pid)
    assert not is_alive(second.pid)


def test_a_child_may_clean_up_before_it_ends(tmp_path: Path) -> None:
    with pool_of(start=[f"tidy:{tmp_path / 'tidy'}"], grace=PATIENCE) as pool:
        ask(pool, ready(pool), "hang")
    assert (tmp_path / "tidy").exists()


@pytest.mark.parametrize("do", ["hang", "echo", "close", "until stopped"])
def test_closing_leaves_nothing(do: str) -> None:
    with pool_of(2) as pool:
        while not (events := list(pool.wait())):  # the other worker may be starting or ready
            pass
        assert isinstance(events[0], Ready)
        ask(pool, events[0].worker, do)


def test_closing_before_anything_was_started() -> None:
    with pool_of(2):
        pass


@pytest.mark.parametrize("notified", [False, True])
def test_a_hundred_restarts_leave_nothing(notified: bool) -> None:
    calls: list[None] = []
    notify: Callable[[], object] = lambda: calls.append(None) if notified else None  # noqa: E731
    # Without patchwork: this is about many processes, not about what each does.
    program = "import sys; print('{\"ready\": true}', flush=True); input(); sys.exit(1)"
    command = (sys.executable, "-I", "-S", "-c", program)
    with pool_of(2, command=command, notify=notify) as pool:
        lost = 0
        while lost < 100:
            for event in pool.wait():
                if isinstance(event, Ready):
                    ask(pool, event.worker, "end")
                else:
                    assert isinstance(event, Lost)
                    lost += 1
    assert not notified or len(calls) >= 100


def test_workers_that_cannot_start_are_retried_less_and_less_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(pool_module, "monotonic", lambda: now)
    delays: list[float] = []
    with pool_of(command=[str(tmp_path / "nothing")], restart_delays=(0.1, 10.0)) as pool:
        while len(delays) < 9:
            assert [type(event) for event in pool.events()] == [NotStarted]
            assert list(pool.events()) == []
            delays.append(round(pool.due() - now, 6))
            now = pool.due()
    assert delays == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]


def test_an_answer_makes_the_next_restart_quick_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with pool_of(restart_delays=(0.001, 8.0)) as pool:
        for _ in range(3):
            ask(pool, ready(pool), "crash")
            assert isinstance(next_event(pool), Lost)
        assert pool._slots[0].delay == pytest.approx(0.008)
        worker = ready(pool)
        ask(pool, worker, "echo")
        answer(pool)
        pool.finish(worker)
        assert pool._slots[0].delay == pytest.approx(0.001)
        assert pool.due() == inf
