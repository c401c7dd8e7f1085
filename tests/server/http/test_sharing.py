"""What a link shows in a messenger, to a search engine and without JavaScript."""

import zlib
from html.parser import HTMLParser
from pathlib import Path
from struct import unpack
from typing import Any

import httpx
import pytest

from patchwork.engine.baselines.greedy import greedy
from patchwork.locales import LANGUAGES, accepted_language, messages
from patchwork.notation.record import Record
from patchwork.rules.position import Position
from patchwork.rules.setup import Setup
from patchwork.server.engines.pool import EnginePool
from patchwork.server.http.api import records
from patchwork.server.sharing.bitmap import CannotDraw, png
from patchwork.server.store import Store, Unavailable
from server.support.fake_time import asynchronous
from server.support.friends import friends, refusal
from server.support.live_server import Visitor, serving

PUBLIC = Path(__file__).parents[3] / "web" / "public"
pytestmark = pytest.mark.usefixtures("shell")

BROWSER = {"Accept": "text/html"}
NASTY = "<b>\"&'</b>"
say = messages("en")


class Parsed(HTMLParser):
    """The head of a page, and its text for browsers without JavaScript."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.title = self.words = ""
        self.meta: dict[str, str] = {}
        self.images: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, found: list[tuple[str, str | None]]) -> None:
        values = dict(found)
        if tag == "meta" and (name := values.get("name") or values.get("property")):
            assert name not in self.meta, f"{name} is given twice"
            self.meta[name] = values["content"] or ""
        if tag == "img" and "noscript" in self.open:
            self.images.append(values["src"] or "")
        if tag == "a" and "noscript" in self.open:
            self.links.append(values["href"] or "")
        if tag not in ("meta", "link", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, found: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, found)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["title"]:
            self.title += data
        elif "noscript" in self.open:
            self.words += f"{data} "


async def shown(visitor: Visitor, path: str, languages: str = "") -> Parsed:
    answer = await visitor.http.get(path, headers=BROWSER | {"Accept-Language": languages})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "b>" not in answer.text.replace("<noscript>", "").replace("</noscript>", "")
    parsed = Parsed(answer.text)
    assert parsed.open == []
    assert parsed.title == parsed.meta["og:title"] == parsed.meta["twitter:title"]
    described = parsed.meta["description"]
    assert described == parsed.meta["og:description"] == parsed.meta["twitter:description"]
    assert parsed.meta["twitter:card"] == "summary_large_image"
    assert parsed.meta["og:url"] == str(visitor.http.base_url).rstrip("/") + path
    assert parsed.meta["og:image"] == parsed.meta["twitter:image"]
    return parsed


def pixels(content: bytes) -> tuple[int, int]:
    """Returns the size of a PNG, after decoding all of it."""
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    place, data, header = 8, b"", b""
    while place < len(content):
        (length,) = unpack(">I", content[place : place + 4])
        kind, body = content[place + 4 : place + 8], content[place + 8 :][:length]
        assert unpack(">I", content[place + 8 + length :][:4])[0] == zlib.crc32(kind + body)
        header, data = (body if kind == b"IHDR" else header), data + (body * (kind == b"IDAT"))
        place += length + 12
    width, height, depth, colour = unpack(">IIBB", header[:10])
    channels = {2: 3, 6: 4}[colour]
    assert depth == 8
    assert len(zlib.decompress(data)) == height * (1 + width * channels)
    return width, height


async def picture(visitor: Visitor, page: Parsed) -> httpx.Response:
    """Returns the picture of a page, as a messenger fetches it."""
    answer = await visitor.http.get(page.meta["og:image"])
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert pixels(answer.content) == (1200, 630)
    size = page.meta["og:image:width"], page.meta["og:image:height"]
    assert size == ("1200", "630")
    return answer


@asynchronous
async def test_an_invitation_a_running_and_a_finished_game(sqlite_database: str) -> None:
    async with (
        serving(sqlite_database, EnginePool(0)) as address,
        Visitor(address) as ann,
        Visitor(address) as bob,
    ):
        game = (await ann.open(name=NASTY, seed=3))["table"]["id"]
        path = f"/tables/{game}"
        page = await shown(bob, path)
        assert page.title == f"{say('page-table-invited', name=NASTY)} · Patchwork"
        assert page.meta["description"].startswith(say("page-tagline"))
        assert page.images == []
        before = await picture(bob, page)
        await bob.join(game, "Bob")
        page = await shown(bob, path)
        assert page.title == f"{NASTY} \N{EN DASH} Bob · Patchwork"
        assert page.meta["description"] == say("link-running")
        assert page.images == [f"/api/tables/{game}/picture"]
        assert NASTY in page.words
        assert say("link-script") in page.words
        during = await picture(bob, page)
        assert during.headers["etag"] != before.headers["etag"]
        same = {"If-None-Match": during.headers["etag"]}
        assert (await bob.http.get(page.meta["og:image"], headers=same)).status_code == 304
        assert (await ann.act(game, "resign")).is_success
        page = await shown(bob, path)
        wins = say("page-table-wins", whose="other", name="Bob")
        resigned = say("page-table-ended", reason="resigned", name=NASTY)
        assert page.meta["description"] == f"{wins} {resigned}"
        replay = await shown(bob, f"/replay/{game}")
        assert replay.title == page.title
        assert replay.meta["description"].startswith(f"{say('link-replay')} {wins}")
        assert (await picture(bob, replay)).headers["etag"] != during.headers["etag"]


@asynchronous
async def test_a_game_that_was_played_out_shows_its_scores(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        state: Any = await ann.open("screen", name="Ann", other_name="Bob", seed=3)
        game = state["table"]["id"]

        while state["status"]["ending"] is None:
            move = greedy(Position.parse(state["position"]["text"]))
            assert (await ann.act(game, "move", move=str(move))).is_success
            state = await ann.look(game)
        page = await shown(ann, f"/tables/{game}")
        own, other = (str(score) for score in state["status"]["ending"]["scores"])
        assert page.meta["description"].endswith(f"{own} : {other}".replace("-", "\N{MINUS SIGN}"))
        await picture(ann, page)


@asynchronous
async def test_the_level_of_the_computer_stands_for_its_name(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        game = (await ann.open("computer", level=5))["table"]["id"]
        page = await shown(ann, f"/tables/{game}", "de-AT,de;q=0.9,en;q=0.5")
        german = messages("de")
        names = german("page-table-player", number=1), german("page-table-computer", level=5)
        assert page.title == " \N{EN DASH} ".join(names) + " · Patchwork"


@asynchronous
async def test_a_record_that_is_kept_names_its_players(database: str) -> None:
    async with serving(database, EnginePool(0)) as address, Visitor(address) as ann:

        async def described(*players: str) -> Parsed:
            text = Record(Setup.random(1), players=(players[0], players[1])).format()
            kept = (await ann.http.post("/api/records", content=text)).json()["record"]
            page = await shown(ann, f"/replay/record/{kept}")
            assert f"/api/records/{kept}" in page.links
            return page

        page = await described(NASTY, 'Bob "the \\ tailor"')
        assert page.title == f'{NASTY} \N{EN DASH} Bob "the \\ tailor" · Patchwork'
        assert page.meta["description"] == say("link-replay")
        assert NASTY in page.words
        await picture(ann, page)
        page = await described("?", "level:5")
        names = say("page-table-player", number=1), say("page-table-computer", level=5)
        assert page.title == " \N{EN DASH} ".join(names) + " · Patchwork"
        page = await described("Ann\u202e\u200b", "\u2060")
        assert page.title == f"Ann \N{EN DASH} {say('page-table-player', number=2)} · Patchwork"
        page = await described("A" * 50_000, "Bob")
        assert page.title.endswith("A… \N{EN DASH} Bob · Patchwork")
        assert len(page.title) < 100


@pytest.mark.parametrize("record", ["a" * 26, "nonsense", "A" * 26, "%00", "a" * 27])
@asynchronous
async def test_the_page_of_an_unknown_record_is_not_there(database: str, record: str) -> None:
    async with serving(database, EnginePool(0)) as address, Visitor(address) as ann:
        answer = await ann.http.get(f"/replay/record/{record}", headers=BROWSER)
        assert answer.status_code == 404
        assert Parsed(answer.text).title == f"{say('page-nowhere')} · Patchwork"
        refusal(await ann.http.get(f"/replay/record/{record}"), 404, "not-found")
        refusal(await ann.http.get(f"/api/records/{record}"), 404, "not-found")


@asynchronous
async def test_screens_say_what_the_game_is(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        for path in ("/", "/learn", "/rules", "/privacy", "/replay"):
            page = await shown(ann, path)
            assert say("page-tagline") in page.words
            assert say("link-how") in page.words
            answer = await ann.http.get(path)
            assert {"accept-language", "accept-encoding"} <= {
                name.strip().lower() for name in answer.headers["vary"].split(",")
            }
            assert "x-robots-tag" not in answer.headers
            same = {"If-None-Match": answer.headers["etag"]}
            assert (await ann.http.get(path, headers=same)).status_code == 304
        await picture(ann, await shown(ann, "/"))
        czech = await shown(ann, "/rules", "cs")
        assert messages("cs")("link-script") in czech.words


@pytest.mark.parametrize(
    "path",
    ["/tables/abcdefghjkmn", "/tables/nonsense", "/tables/%00", "/replay/abcdefghjkmn", "/nowhere"],
)
@asynchronous
async def test_where_there_is_nothing_the_status_is_404(sqlite_database: str, path: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        answer = await ann.http.get(path, headers=BROWSER)
        assert answer.status_code == 404
        page = Parsed(answer.text)
        assert page.title == f"{say('page-nowhere')} · Patchwork"
        assert say("page-nowhere-why") in page.words
        assert answer.headers["cache-control"] == "no-store"
        program = await ann.http.get(path)
        assert program.status_code == 404
        assert program.json()["t"] == "refused"


@asynchronous
async def test_search_engines_are_kept_from_games_and_private_links(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met:
        text = Record(Setup.random(1)).format()
        kept = (await met.ann.http.post("/api/records", content=text)).json()["record"]
        games = (f"/tables/{met.game}", f"/replay/{met.game}", f"/replay/record/{kept}")
        for path in (*games, "/carry/x"):
            answer = await met.ann.http.get(path)
            assert answer.headers["x-robots-tag"] == "noindex"
    robots = (PUBLIC / "robots.txt").read_text("utf-8")
    assert "Disallow: /carry/" in robots.splitlines()
    icon = (PUBLIC / "favicon.ico").read_bytes()
    assert icon.startswith(b"\0\0\1\0")


@asynchronous
async def test_the_page_is_sent_even_if_the_database_does_not_answer(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object) -> None:
        raise Unavailable("gone")

    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        monkeypatch.setattr(Store, "load", fails)
        monkeypatch.setattr(Store, "record", fails)
        for path in ("/tables/abcdefghjkmn", f"/replay/record/{'a' * 26}"):
            assert (await shown(ann, path)).title == "Patchwork"


@asynchronous
async def test_previews_are_limited_and_failures_are_refused(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: str) -> bytes:
        raise CannotDraw("no process")

    async with friends(sqlite_database, copies_per_minute="4") as met:
        assert (await met.ann.http.get("/api/preview")).is_success
        address = f"/api/tables/{met.game}/preview"
        refusal(await met.ann.http.get(address), 429, "too-many")
        refusal(await met.ann.http.get("/api/tables/abcdefghjkmn/preview"), 404, "no-such-table")
    monkeypatch.setattr(records, "png", fails)
    async with friends(sqlite_database) as met:
        refusal(await met.ann.http.get(f"/api/tables/{met.game}/preview"), 503, "busy")


def test_what_is_no_drawing_cannot_be_drawn() -> None:
    with pytest.raises(CannotDraw):
        png("<svg")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_is_chosen_by_its_tag(language: str) -> None:
    assert accepted_language(language) == language
    assert accepted_language(f"xx, {language.upper()}-XY;q=0.8, en;q=0.1") == language


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("fr, it;q=0.5", "en"),
        ("de;q=0, ru;q=0.001", "ru"),
        ("de;q=0.5, ru;q=0.8", "ru"),
        ("de;q=nan, pl;q=0.1", "pl"),
        ("de;q=1e9, pl;q=1.0", "pl"),
        (",;q=,-;", "en"),
        ("*", "en"),
    ],
)
def test_weights_decide_between_languages(header: str, language: str) -> None:
    assert accepted_language(header) == language
