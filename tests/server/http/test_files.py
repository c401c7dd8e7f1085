"""The page's files are sent unchanged, compressed if the client accepts it, and cached."""

import gzip
from pathlib import Path

import httpx
import pytest
from starlette.datastructures import Headers

from patchwork.server.engines.pool import EnginePool
from patchwork.server.http import pages
from patchwork.server.http.files import read_files
from server.support.fake_time import asynchronous
from server.support.live_server import Visitor, serving

SCRIPT = "/assets/index-AbC_-123.js"
IMMUTABLE = "public, max-age=31536000, immutable"
CONTENT = {
    "/index.html": (b"<!doctype html><title>The page</title>", "text/html; charset=utf-8"),
    "/icon.svg": (b"<svg/>", "image/svg+xml"),
    "/icon.png": (b"\x89PNG", "image/png"),
    "/manifest.webmanifest": (b"{}", "application/manifest+json"),
    "/licence.txt": (b"As is.", "text/plain; charset=utf-8"),
    "/assets/index-12345678.css": (b"a{}", "text/css; charset=utf-8"),
    SCRIPT: (b"let a = 1;\n" * 99, "text/javascript; charset=utf-8"),
}


@pytest.fixture
def built(no_page: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a built page, whose script is also there in compressed form."""
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    for address, (content, _) in CONTENT.items():
        (folder / address[1:]).write_bytes(content)
    script = folder / SCRIPT[1:]
    script.with_name(f"{script.name}.gz").write_bytes(gzip.compress(CONTENT[SCRIPT][0]))
    script.with_name(f"{script.name}.br").write_bytes(b"brotli")
    monkeypatch.setattr(pages, "STATIC", folder)
    return folder


async def raw(visitor: Visitor, address: str, **headers: str) -> tuple[httpx.Response, bytes]:
    """Returns an answer and its body as transferred."""
    async with visitor.http.stream("GET", address, headers=headers) as answer:
        return answer, b"".join([chunk async for chunk in answer.aiter_raw()])


@asynchronous
async def test_every_file_is_sent_whole_with_its_type(built: Path, sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        for path, (content, media_type) in CONTENT.items():
            answer, body = await raw(ann, path, **{"Accept-Encoding": "identity"})
            assert (answer.status_code, body) == (200, content)
            assert answer.headers["content-type"] == media_type
            assert "content-encoding" not in answer.headers
        for path in ("/", "/learn", "/carry/abc"):
            assert (await ann.http.get(path)).content == CONTENT["/index.html"][0]


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("GZIP;q=0.5 , br ; q=0.1", "br"),
        ("br;q=0, gzip", "gzip"),
        ("br;q=0.000, *", "gzip"),
        ("*", "br"),
        ("*;q=0", None),
        ("identity", None),
        ("deflate", None),
        ("gzip;q=0", None),
        ("", None),
        (";,;q=;=", None),
        ("br, gzip, " * 500, "br"),
    ],
)
def test_the_encoding_is_negotiated(built: Path, accepted: str, encoding: str | None) -> None:
    file = read_files(built)[SCRIPT]
    answer = file.answer(Headers({"accept-encoding": accepted}))
    assert answer.headers.get("content-encoding") == encoding
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["content-length"] == str(len(answer.body))
    if encoding == "gzip":
        assert gzip.decompress(answer.body) == CONTENT[SCRIPT][0]
    elif encoding is None:
        assert answer.body == CONTENT[SCRIPT][0]


def test_without_accept_encoding_the_plain_file_is_sent(built: Path) -> None:
    assert read_files(built)[SCRIPT].answer(Headers()).body == CONTENT[SCRIPT][0]


def test_each_encoding_of_a_file_has_its_own_etag(built: Path) -> None:
    file = read_files(built)[SCRIPT]
    names = {
        file.answer(Headers({"accept-encoding": each})).headers["etag"]
        for each in ("br", "gzip", "identity")
    }
    assert len(names) == 3


@asynchronous
async def test_an_unchanged_file_is_not_sent_again(built: Path, sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        for path in ("/", "/icon.svg", SCRIPT):
            first = await ann.http.get(path)
            name = first.headers["etag"]
            for names in (name, f"W/{name}", f'"x", {name}', f'"x" ,W/{name}, "y"', "*"):
                again = await ann.http.get(path, headers={"If-None-Match": names})
                assert (again.status_code, again.content) == (304, b""), names
                for header in ("etag", "cache-control", "vary"):
                    assert again.headers.get(header) == first.headers.get(header)
            for names in ('"x"', name.strip('"'), ""):
                again = await ann.http.get(path, headers={"If-None-Match": names})
                assert (again.status_code, again.content) == (200, first.content), names


@asynchronous
async def test_only_existing_assets_are_cached_indefinitely(
    built: Path, sqlite_database: str
) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:

        async def status_and_caching(path: str, **headers: str) -> tuple[int, str]:
            answer = await ann.http.get(path, headers=headers)
            return answer.status_code, answer.headers["cache-control"]

        assert await status_and_caching(SCRIPT) == (200, IMMUTABLE)
        name = (await ann.http.get(SCRIPT)).headers["etag"]
        assert await status_and_caching(SCRIPT, **{"If-None-Match": name}) == (304, IMMUTABLE)
        for path in ("/", "/index.html", "/icon.svg", "/learn"):
            assert await status_and_caching(path) == (200, "no-cache")
        assert await status_and_caching("/assets/index-12345679.js") == (404, "no-store")
        assert await status_and_caching("/nonsense", Accept="text/html") == (404, "no-store")
        assert await status_and_caching(SCRIPT, Host="no host") == (400, "no-store")
        answer = await ann.http.post(SCRIPT)
        assert (answer.status_code, answer.headers["cache-control"]) == (405, "no-store")


@asynchronous
async def test_files_outside_the_page_are_not_sent(built: Path, sqlite_database: str) -> None:
    (built.parent / "secret.txt").write_text("secret")
    (built / "assets" / "no-suffix").write_text("secret")
    odd = (
        *("/assets/", "/assets", "/assets/../../secret.txt", "/assets/..%2f..%2fsecret.txt"),
        *("/secret.txt", "/../secret.txt", f"{SCRIPT}.br", f"{SCRIPT}.gz", f"{SCRIPT}/"),
        *("/assets/no-suffix", "/assets/%00", f"/assets{SCRIPT}"),
    )
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        for path in odd:
            answer = await ann.http.get(path)
            assert answer.status_code == 404, path
            assert "secret" not in answer.text
