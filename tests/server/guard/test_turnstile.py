"""However many ask, a few are let through in each round of the event loop."""

import asyncio

from patchwork.server.guard.turnstile import Turnstile
from server.support.fake_time import asynchronous


@asynchronous
async def test_a_few_in_each_round_in_the_order_they_came() -> None:
    turnstile, passed, rounds = Turnstile(per_round=2), list[int](), 0

    async def ask(number: int) -> None:
        await turnstile.wait()
        passed.append(number)

    asking = asyncio.gather(*(ask(number) for number in range(9)))
    while not asking.done():
        before = len(passed)
        await asyncio.sleep(0)
        assert len(passed) - before <= 4, "those of a round, and the next that begins"
        rounds += 1
    assert passed == list(range(9))
    assert rounds >= 4


@asynchronous
async def test_who_goes_away_takes_no_turn() -> None:
    turnstile = Turnstile(per_round=1)
    await turnstile.wait()
    waiting = [asyncio.create_task(turnstile.wait()) for _ in range(5)]
    await asyncio.sleep(0)
    for task in waiting[1:4]:
        task.cancel()
    await waiting[4]
    assert [task.cancelled() for task in waiting] == [False, True, True, True, False]
    await turnstile.wait()
