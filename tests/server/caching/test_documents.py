"""Documents are made once, in the background, and cached while there is room."""

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
    """Makes documents and records which ones it made."""

    def __init__(self, cache: DocumentCache) -> None:
        self.cache = cache
        self.made: list[str] = []
        self.allowed = asyncio.Event()
        self.allowed.set()

    async def read(self, key: str, version: int = 1, size: int = 10) -> Body:
        async def make() -> bytes:
            self.made.append(f"{key}{version}")
            await self.allowed.wait()
            if size < 0:
                raise RuntimeError(key)
            return key.encode() * size

        return await self.cache.read(key, version, make)

    async def still_cached(self, *keys: str) -> set[str]:
        """Returns the keys whose documents are still cached."""
        self.made.clear()
        for key in keys:
            await self.read(key)
        return {*keys} - {name[0] for name in self.made}


@asynchronous
async def test_a_document_is_made_once_per_version() -> None:
    maker = Maker(DocumentCache())
    first = await maker.read("a")
    assert await maker.read("a") is first
    assert (first.content, first.etag[0]) == (b"aaaaaaaaaa", '"')
    await maker.read("a", version=2)
    await maker.read("b")
    assert maker.made == ["a1", "a2", "b1"]
    assert not await maker.still_cached("a"), "the newer version has replaced it"


@asynchronous
async def test_concurrent_requests_share_one_document() -> None:
    maker = Maker(DocumentCache())
    maker.allowed.clear()
    requests = [asyncio.create_task(maker.read("a")) for _ in range(5)]
    await asyncio.sleep(0)  # lets the tasks start
    requests[0].cancel()
    maker.allowed.set()
    results = await asyncio.gather(*requests, return_exceptions=True)
    assert isinstance(results[0], asyncio.CancelledError), (
        "cancelling one request does not affect the others"
    )
    assert len({id(body) for body in results[1:]}) == 1
    assert maker.made == ["a1"]


@asynchronous
async def test_a_failed_document_is_made_again_on_the_next_request() -> None:
    maker = Maker(DocumentCache())
    failed = await asyncio.gather(
        *(maker.read("a", size=-1) for _ in range(3)), return_exceptions=True
    )
    assert [str(error) for error in failed] == ["a", "a", "a"]
    assert (await maker.read("a")).content == b"aaaaaaaaaa"
    assert maker.made == ["a1", "a1"]


@asynchronous
async def test_the_rate_limit_applies_only_to_documents_that_are_not_cached() -> None:
    cache = DocumentCache()
    maker = Maker(cache)
    body = await maker.read("a")

    async def make() -> bytes:
        raise AssertionError

    def refuse() -> None:
        raise Refusal(Code.TOO_MANY, "too many")

    assert await cache.read("a", 1, make, refuse) is body
    for key, version in (("a", 2), ("b", 1)):
        with pytest.raises(Refusal):
            await cache.read(key, version, make, refuse)


@asynchronous
async def test_the_least_recently_read_document_is_evicted() -> None:
    maker = Maker(DocumentCache(room=30))
    for key in "abcad":
        await maker.read(key)
    assert await maker.still_cached("a", "c", "d") == {"a", "c", "d"}
    await maker.read("a", version=2, size=20)
    assert await maker.still_cached("d") == {"d"}
    await maker.read("e", size=31)
    assert await maker.still_cached("d", "e") == set(), (
        "larger than the whole cache, so it replaces everything else"
    )
    assert await maker.still_cached("d", "e") == {"d", "e"}


@asynchronous
async def test_the_background_thread_runs_jobs_one_after_another() -> None:
    background, allowed = BackgroundThread(), Event()
    thread_ids: list[int] = []

    def work() -> int:
        thread_ids.append(get_ident())
        assert allowed.wait(PATIENCE)
        return len(thread_ids)

    tasks = [asyncio.create_task(background.run(work)) for _ in range(3)]
    while not thread_ids:
        await asyncio.sleep(0.01)  # the thread cannot set an asyncio event
    assert len(thread_ids) == 1
    allowed.set()
    assert await asyncio.gather(*tasks) == [1, 2, 3]
    assert len({*thread_ids, get_ident()}) == 2
    background.stop()


@asynchronous
async def test_a_full_background_queue_refuses_jobs() -> None:
    background, allowed = BackgroundThread(queue=2), Event()
    tasks = [asyncio.create_task(background.run(lambda: allowed.wait(PATIENCE))) for _ in range(2)]
    await asyncio.sleep(0)  # lets the tasks start
    with pytest.raises(Refusal) as refused:
        await background.run(lambda: True)
    assert refused.value.code is Code.BUSY
    allowed.set()
    assert await asyncio.gather(*tasks) == [True, True]
    assert await background.run(lambda: True)
    background.stop()
