"""Messages that wait for somebody who listens."""

import asyncio

from patchwork.server import wire
from patchwork.server.engines.fair_queue import Requester
from patchwork.server.tables.subscriber import Subscriber


def heard(listener: Subscriber) -> list[str]:
    async def listen() -> list[str]:
        messages = []
        async with asyncio.timeout(60):
            while (text := await listener.next()) is not None:
                messages.append(text)
        return messages

    return asyncio.run(listen())


def test_messages_are_heard_in_order_until_the_end() -> None:
    listener = Subscriber(Requester("ann", "127.0.0.1"))
    listener.send(wire.Pong(seq=7))
    listener.send_text("two")
    listener.close()
    listener.send_text("too late")
    assert heard(listener) == ['{"t":"pong","v":1,"seq":7}', "two"]


def test_who_lags_far_behind_hears_the_end_and_may_start_again() -> None:
    listener = Subscriber(Requester(None, None))
    for number in range(1000):
        listener.send_text(str(number))
    assert len(heard(listener)) < 1000


def test_the_end_is_heard_however_many_messages_wait() -> None:
    for waiting in range(200):
        listener = Subscriber(Requester(None, None))
        for number in range(waiting):
            listener.send_text(str(number))
        listener.close()
        heard(listener)
