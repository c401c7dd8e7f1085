"""Copies are made once, in the background, and kept while there is room."""

import asyncio
from threading import Event, get_ident

import pytest

from patchwork.server.caching.background import BackgroundThread
from patchwork.server.caching.conditional import Body
from patchwork.server.caching.documents import DocumentCache
from patchwork.server.game.refusals import Code, Refusal
from server.support.fake_time import asynchronous
from support.waiting import PATIENCE


class Maker:
    """Makes copies, and counts them."""

    def __init__(self, copies: DocumentCache) -> None:
        self.copies = copies
        self.made: list[str] = []
        self.go = asyncio.Event()
        self.go.set()

    async def read(self, key: str, version: int = 1, size: int = 10) -> Body:
        async def make() -> bytes:
            self.made.append(f"{key}{version}")
            await self.go.wait()
            if size < 0:
                raise RuntimeError(key)
            return key.encode() * size

        return await self.copies.read(key, version, make)

    async def kept(self, *keys: str) -> set[str]:
        """Those that need not be made."""
        self.made.clear()
        for key in keys:
            await self.read(key)
        return {*keys} - {name[0] for name in self.made}


@asynchronous
async def test_a_copy_is_made_once_for_each_version() -> None:
    maker = Maker(DocumentCache())
    first = await maker.read("a")
    assert await maker.read("a") is first
    assert (first.content, first.etag[0]) == (b"aaaaaaaaaa", '"')
    await maker.read("a", version=2)
    await maker.read("b")
    assert maker.made == ["a1", "a2", "b1"]
    assert not await maker.kept("a"), "the older version has given way"


@asynchronous
async def test_who_asks_meanwhile_gets_the_same_copy() -> None:
    maker = Maker(DocumentCache())
    maker.go.clear()
    asking = [asyncio.create_task(maker.read("a")) for _ in range(5)]
    await asyncio.sleep(0)  # lets them ask
    asking[0].cancel()
    maker.go.set()
    results = await asyncio.gather(*asking, return_exceptions=True)
    assert isinstance(results[0], asyncio.CancelledError), "who goes away stops nobody"
    assert len({id(body) for body in results[1:]}) == 1
    assert maker.made == ["a1"]


@asynchronous
async def test_a_copy_that_fails_is_made_again() -> None:
    maker = Maker(DocumentCache())
    failed = await asyncio.gather(
        *(maker.read("a", size=-1) for _ in range(3)), return_exceptions=True
    )
    assert [str(error) for error in failed] == ["a", "a", "a"]
    assert (await maker.read("a")).content == b"aaaaaaaaaa"
    assert maker.made == ["a1", "a1"]


@asynchronous
async def test_who_may_not_have_one_made_may_have_what_is_there() -> None:
    copies = DocumentCache()
    maker = Maker(copies)
    body = await maker.read("a")

    async def make() -> bytes:
        raise AssertionError

    def refuse() -> None:
        raise Refusal(Code.TOO_MANY, "too many")

    assert await copies.read("a", 1, make, refuse) is body
    for key, version in (("a", 2), ("b", 1)):
        with pytest.raises(Refusal):
            await copies.read(key, version, make, refuse)


@asynchronous
async def test_where_there_is_no_room_what_was_read_longest_ago_goes() -> None:
    maker = Maker(DocumentCache(room=30))
    for key in "abcad":
        await maker.read(key)
    assert await maker.kept("a", "c", "d") == {"a", "c", "d"}
    await maker.read("a", version=2, size=20)
    assert await maker.kept("d") == {"d"}
    await maker.read("e", size=31)
    assert await maker.kept("d", "e") == set(), "too large for all the room there is"
    assert await maker.kept("d", "e") == {"d", "e"}


@asynchronous
async def test_work_is_done_aside_one_piece_after_the_other() -> None:
    background, go = BackgroundThread(), Event()
    begun: list[int] = []

    def work() -> int:
        begun.append(get_ident())
        assert go.wait(PATIENCE)
        return len(begun)

    doing = [asyncio.create_task(background.run(work)) for _ in range(3)]
    while not begun:
        await asyncio.sleep(0.01)  # a thread cannot tell
    assert len(begun) == 1
    go.set()
    assert await asyncio.gather(*doing) == [1, 2, 3]
    assert len({*begun, get_ident()}) == 2
    background.stop()


@asynchronous
async def test_not_too_much_work_waits() -> None:
    background, go = BackgroundThread(queue=2), Event()
    doing = [asyncio.create_task(background.run(lambda: go.wait(PATIENCE))) for _ in range(2)]
    await asyncio.sleep(0)  # lets them begin
    with pytest.raises(Refusal) as refused:
        await background.run(lambda: True)
    assert refused.value.code is Code.BUSY
    go.set()
    assert await asyncio.gather(*doing) == [True, True]
    assert await background.run(lambda: True)
    background.stop()
