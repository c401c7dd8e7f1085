"""Every address that answers GET answers HEAD with the same headers."""

import asyncio
import gzip
import json
from pathlib import Path

import httpx
import pytest

from patchwork.server.app import create_app
from patchwork.server.engines.pool import EnginePool
from patchwork.server.http import pages
from patchwork.server.settings import Settings
from server.support.fake_time import asynchronous
from server.support.friends import friends, presence
from server.support.live_server import Visitor, serving
from support.waiting import PATIENCE

VARYING = {"date", "set-cookie", "transfer-encoding"}
"""Headers that differ between answers to the same request, or need a body."""


@asynchronous
async def test_head_has_the_headers_of_get_and_no_body(
    sqlite_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    static = tmp_path / "static"
    (static / "assets").mkdir(parents=True)
    (static / "index.html").write_text("<!doctype html>")
    (static / "assets" / "index-12345678.js").write_text("let a;")
    (static / "assets" / "index-12345678.js.gz").write_bytes(gzip.compress(b"let a;"))
    monkeypatch.setattr(pages, "STATIC", static)
    async with friends(sqlite_database) as met:
        http, document = met.ann.http, (await met.ann.http.get("/openapi.json")).json()
        paths = [
            path.replace("{game}", met.game)
            for path, operations in document["paths"].items()
            if "get" in operations and not path.endswith(("/events", "/metrics"))
        ]
        link = httpx.URL((await http.post("/api/me/carry-link")).json()["url"]).path
        paths += ["/", "/docs", "/style.css", "/openapi.json", link, "/assets/index-12345678.js"]
        paths += ["/index.html", "/nowhere", "/assets/none.js", "/api/tables/zzzzzzzzzzzz"]
        for path in paths:
            answered, head = await http.get(path), await http.head(path)
            assert (head.status_code, head.content) == (answered.status_code, b""), path
            for answer in (answered, head):
                for name in VARYING:
                    answer.headers.pop(name, None)
            assert head.headers == answered.headers, path
        again = await http.head("/", headers={"If-None-Match": etag_of(await http.get("/"))})
        assert again.status_code == 304


def etag_of(answer: httpx.Response) -> str:
    return answer.headers["etag"]


@asynchronous
async def test_head_of_a_stream_is_answered_without_joining_it(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met, met.ann.live(met.game) as ann:
        await presence(ann, present=[True, False])
        async with asyncio.timeout(PATIENCE):
            answer = await met.bob.http.head(f"/api/tables/{met.game}/events")
        assert answer.headers["content-type"] == "application/x-ndjson"
        await presence(ann, present=[True, False])


@asynchronous
async def test_the_connection_stays_usable_after_head(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address:
        url = httpx.URL(address)
        reader, writer = await asyncio.open_connection(url.host, url.port)
        async with asyncio.timeout(PATIENCE):
            for method in ("HEAD", "GET", "HEAD", "GET"):
                writer.write(f"{method} /healthz HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                assert head.startswith("http/1.1 200 ")
                length = int(head.partition("content-length: ")[2].split()[0])
                assert length > 0
                if method == "GET":
                    assert json.loads(await reader.readexactly(length))["status"] == "ok"
        writer.close()


@asynchronous
async def test_addresses_without_get_do_not_answer_head(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        assert (await ann.http.head("/api/me")).status_code == 405


def test_the_openapi_document_does_not_list_head() -> None:
    paths = create_app(Settings()).openapi()["paths"]
    assert not [path for path, operations in paths.items() if "head" in operations]
