"""The queue of messages for a subscriber."""

import asyncio

from patchwork.server import wire
from patchwork.server.engines.fair_queue import Requester
from patchwork.server.tables.subscriber import Subscriber


def read_all(subscriber: Subscriber) -> list[str]:
    async def read() -> list[str]:
        messages = []
        async with asyncio.timeout(60):
            while (text := await subscriber.next()) is not None:
                messages.append(text)
        return messages

    return asyncio.run(read())


def test_messages_are_read_in_order_until_the_end() -> None:
    subscriber = Subscriber(Requester("ann", "127.0.0.1"))
    subscriber.send(wire.Pong(seq=7))
    subscriber.send_text("two")
    subscriber.close()
    subscriber.send_text("too late")
    assert read_all(subscriber) == ['{"t":"pong","v":1,"seq":7}', "two"]


def test_a_subscriber_that_lags_far_behind_is_closed() -> None:
    subscriber = Subscriber(Requester(None, None))
    for number in range(1000):
        subscriber.send_text(str(number))
    assert len(read_all(subscriber)) < 1000


def test_the_end_is_read_however_many_messages_wait() -> None:
    for waiting in range(200):
        subscriber = Subscriber(Requester(None, None))
        for number in range(waiting):
            subscriber.send_text(str(number))
        subscriber.close()
        read_all(subscriber)
