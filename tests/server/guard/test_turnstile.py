"""The turnstile lets a few waiting tasks through in each iteration of the event loop."""

import asyncio

from patchwork.server.guard.turnstile import Turnstile
from server.support.fake_time import asynchronous


@asynchronous
async def test_tasks_pass_in_order_a_few_per_iteration() -> None:
    turnstile, passed, rounds = Turnstile(per_round=2), list[int](), 0

    async def ask(number: int) -> None:
        await turnstile.wait()
        passed.append(number)

    waiting = asyncio.gather(*(ask(number) for number in range(9)))
    while not waiting.done():
        before = len(passed)
        await asyncio.sleep(0)
        assert len(passed) - before <= 4, "those of one iteration and of the next one"
        rounds += 1
    assert passed == list(range(9))
    assert rounds >= 4


@asynchronous
async def test_a_cancelled_task_takes_no_turn() -> None:
    turnstile = Turnstile(per_round=1)
    await turnstile.wait()
    waiting = [asyncio.create_task(turnstile.wait()) for _ in range(5)]
    await asyncio.sleep(0)
    for task in waiting[1:4]:
        task.cancel()
    await waiting[4]
    assert [task.cancelled() for task in waiting] == [False, True, True, True, False]
    await turnstile.wait()
