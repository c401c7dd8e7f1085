"""Messages that wait for somebody who listens."""

import asyncio

from patchwork.server import wire
from patchwork.server.engines.fair_queue import Requester
from patchwork.server.tables.listener import Listener


def heard(listener: Listener) -> list[str]:
    async def listen() -> list[str]:
        messages = []
        async with asyncio.timeout(60):
            while (text := await listener.next()) is not None:
                messages.append(text)
        return messages

    return asyncio.run(listen())


def test_messages_are_heard_in_order_until_the_end() -> None:
    listener = Listener(Requester("ann", "127.0.0.1"))
    listener.tell(wire.Pong(seq=7))
    listener.tell_text("two")
    listener.end()
    listener.tell_text("too late")
    assert heard(listener) == ['{"t":"pong","v":1,"seq":7}', "two"]


def test_who_lags_far_behind_hears_the_end_and_may_start_again() -> None:
    listener = Listener(Requester(None, None))
    for number in range(1000):
        listener.tell_text(str(number))
    assert len(heard(listener)) < 1000


def test_the_end_is_heard_however_many_messages_wait() -> None:
    for waiting in range(200):
        listener = Listener(Requester(None, None))
        for number in range(waiting):
            listener.tell_text(str(number))
        listener.end()
        heard(listener)
