"""What people see: the page to play on, if it is built, and a few pages that need no script.

All text that comes from outside is escaped.
"""

import asyncio
import gzip
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from html import escape
from pathlib import Path

from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from patchwork.locales import Messages, accepted_language, messages
from patchwork.server import wire
from patchwork.server.caching.conditional import REVALIDATE, Body
from patchwork.server.engines.fair_queue import Requester
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.http.cookies import base_url, set_cookie
from patchwork.server.http.dependencies import (
    Identified,
    address_of,
    carried,
    players_of,
    services_of,
    tables_of,
)
from patchwork.server.http.files import File, read_files
from patchwork.server.http.limits import count_account_request
from patchwork.server.sharing import about
from patchwork.server.sharing.about import About
from patchwork.server.sharing.shell import filled
from patchwork.server.store import Unavailable

STATIC = Path(__file__).parents[1] / "static"
"""Where the page is built, from ``web/``."""
_SHELL = "/index.html"
_ASSETS = "/assets/"
_SHELLS = "/screens/"
"""Each screen has a shell of its own, named after the component that the page shows there. It names
all files that the browser will need (``web/tools/screens.ts``)."""
_SCREENS = {
    "/": ("Home", None),
    "/replay": ("Replay", "page-replay-record"),
    "/learn": ("Tutorial", "page-learn"),
    "/rules": ("Rules", "page-rules"),
    "/privacy": ("Privacy", "page-privacy"),
}
"""Screens that are the same for everyone: their components, and the messages that name them."""
_GAMES = {"/tables/{game}": "Table", "/replay/{game}": "Replay"}
_RECORDS = {"/replay/record/{record}": "Replay"}
_PRIVATE = {"/carry/{token}": "AcceptTransfer"}
"""Screens of which nothing is told before they are opened."""
_WAIT_SECONDS = 1.0
"""That a page waits for its table or record. Without it, only the title and description of the page
are missing."""
_UNLISTED = {"X-Robots-Tag": "noindex"}
"""For what a link is shared of, but not found by search engines. They have to read the page to know
that, so ``robots.txt`` keeps them from private links only."""

pages = APIRouter(include_in_schema=False)

_STYLE = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
code { font-size: 0.95em; }
img { max-width: 100%; height: auto; }
li { margin: 0.4rem 0; }
button { font: inherit; padding: 0.6rem 1.2rem; }
"""


def add_pages(app: FastAPI) -> None:
    """Adds the page to play on, if it is built, and the pages without script."""
    files = app.state.files = read_files(STATIC)
    if _SHELL in files:
        for path, (component, name) in _SCREENS.items():
            app.add_api_route(path, _screen(component, name), include_in_schema=False)
        for path, component in _GAMES.items():
            app.add_api_route(path, _game(component), include_in_schema=False)
        for path, component in _RECORDS.items():
            app.add_api_route(path, _record(component), include_in_schema=False)
        for path, component in _PRIVATE.items():
            app.add_api_route(path, _private(component), include_in_schema=False)
        for address in files:
            if not address.startswith((_ASSETS, _SHELLS)):
                app.add_api_route(address, _sender(files[address]), include_in_schema=False)
        app.add_api_route(f"{_ASSETS}{{name}}", _asset, include_in_schema=False)
    app.include_router(pages)


def not_found_page(request: Request) -> Response | None:
    """Returns the page that tells a browser that there is nothing here; None for programs."""
    shell: File | None = request.app.state.files.get(_SHELL)
    browser = request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", "")
    if not browser or request.url.path.startswith(("/api/", _ASSETS)) or shell is None:
        return None
    say = _messages(request)
    answer = _answer(request, _filled(shell, about.nowhere(say), request, say))
    answer.status_code = 404
    return answer


def _shell(request: Request, component: str) -> File:
    """Returns the page as it is built for a screen."""
    files: dict[str, File] = request.app.state.files
    return files.get(f"{_SHELLS}{component}.html", files[_SHELL])


def _screen(component: str, name: str | None) -> Callable[[Request], Awaitable[Response]]:
    async def send(request: Request) -> Response:
        say = _messages(request)
        described = about.home(say) if name is None else about.screen(say(name), say)
        return _answer(request, _filled(_shell(request, component), described, request, say))

    return send


def _game(component: str) -> Callable[[Request, str], Awaitable[Response]]:
    async def send(request: Request, game: str) -> Response:
        """Sends the page of a game, even if the database does not answer."""
        say, table = _messages(request), tables_of(request).table(game)
        described = about.home(say)
        with suppress(Unavailable, TimeoutError):
            async with asyncio.timeout(_WAIT_SECONDS), table.locked() as match:
                replay = component == _GAMES["/replay/{game}"]
                described = about.table(game, match, say, replay=replay)
        file = _filled(_shell(request, component), described, request, say)
        return _answer(request, file, _UNLISTED)

    return send


def _record(component: str) -> Callable[[Request, str], Awaitable[Response]]:
    async def send(request: Request, record: str) -> Response:
        """Sends the page of a record, even if the database does not answer.

        The page asks for the record by itself, and only that counts as opening it: messengers and
        search engines ask for the page without anybody reading the record.
        """
        say = _messages(request)
        described = about.home(say)
        with suppress(Unavailable, TimeoutError):
            async with asyncio.timeout(_WAIT_SECONDS):
                text = await services_of(request).store.record(record)
            if text is None:
                raise HTTPException(404, "there is no such record")
            described = about.record(record, text, say)
        file = _filled(_shell(request, component), described, request, say)
        return _answer(request, file, _UNLISTED)

    return send


def _private(component: str) -> Callable[[Request], Awaitable[Response]]:
    async def send(request: Request) -> Response:
        answer = _shell(request, component).answer(request.headers)
        answer.headers.update(_UNLISTED)
        return answer

    return send


def _messages(request: Request) -> Messages:
    return messages(accepted_language(request.headers.get("accept-language", "")))


def _filled(shell: File, described: About, request: Request, say: Messages) -> File:
    base = base_url(request)
    return _made(shell.plain.content, described, request.url.path, base, say.language)


@lru_cache(maxsize=256)
def _made(shell: bytes, described: About, path: str, base: str, language: str) -> File:
    """Returns a page with what it is about; most pages are asked for more than once."""
    text = filled(shell.decode(), described, f"{base}{path}", base, messages(language))
    content = text.encode()
    compressed = {"gzip": Body.of(gzip.compress(content, 6, mtime=0))}
    return File("text/html", REVALIDATE, Body.of(content), compressed)


def _answer(request: Request, file: File, headers: Mapping[str, str] | None = None) -> Response:
    answer = file.answer(request.headers)
    answer.headers.update({"Vary": "Accept-Encoding, Accept-Language", **(headers or {})})
    return answer


def _sender(file: File) -> Callable[[Request], Awaitable[Response]]:
    async def send(request: Request) -> Response:
        return file.answer(request.headers)

    return send


async def _asset(request: Request) -> Response:
    file: File | None = request.app.state.files.get(request.url.path)
    if file is None:
        raise HTTPException(404)
    return file.answer(request.headers)


def _page(title: str, *parts: str) -> HTMLResponse:
    return HTMLResponse(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="stylesheet" href="/style.css"></head><body><main><h1>{escape(title)}</h1>'
        f"{''.join(parts)}</main></body></html>"
    )


@pages.get("/style.css")
async def style() -> Response:
    """Returns the style sheet of the pages without script."""
    return Response(_STYLE, media_type="text/css")


@pages.get("/")
async def welcome() -> Response:
    """Says what this is, if the page to play on is not built."""
    return _page(
        "Patchwork",
        "<p>The server runs, but the page to play on is not built: run <code>make page</code>.</p>",
        '<p>Programs can already play: see <a href="/docs">what the API offers</a>.</p>',
        "<p>An unofficial fan project, not connected with the game's author or publisher.</p>",
    )


@pages.get("/docs")
async def documentation(request: Request) -> Response:
    """Lists the requests that the API offers."""
    paths = request.app.openapi()["paths"]
    return _page(
        "The API of Patchwork",
        '<p>For programs: <a href="/openapi.json">openapi.json</a>. '
        "Tables are live at the socket <code>/api/tables/{game}/live</code>.</p>",
        f"<ul>{''.join(_operations(paths))}</ul>",
    )


def _operations(paths: dict[str, dict[str, dict[str, str]]]) -> Iterable[str]:
    for path, operations in paths.items():
        for method, operation in operations.items():
            heading = f"<code>{method.upper()} {escape(path)}</code>"
            yield f"<li>{heading}<br>{escape(operation['description'])}</li>"


@pages.get("/tables/{game}")
async def show_table(request: Request, game: str) -> Response:
    """Shows a table to a browser that follows its link, if the page to play on is not built."""
    watcher = Requester(None, address_of(request))
    state = await tables_of(request).table(game).state(watcher)
    names = " · ".join(
        escape(seat.name or f"seat {n}") for n, seat in enumerate(state.status.seats)
    )
    address = f"/api/tables/{escape(game, quote=True)}"
    picture = f'<p><img src="{address}/picture" alt="The table"></p>' if state.position else ""
    return _page(
        "Patchwork",
        f'<p>{names}</p>{picture}<p><a href="{address}/record">The record of the game</a></p>',
    )


@pages.get("/carry/{token}")
async def ask_to_carry_on(request: Request, credential: Identified, token: str) -> Response:
    """Asks for confirmation before this browser becomes another player."""
    maker = await carried(request, token)
    prospect = await players_of(request).merging.prospect(credential, maker)
    form = '<form method="post"><button>Carry on here</button></form>'
    return _page("Carry on here?", *_prospect(prospect, form))


def _prospect(prospect: wire.Prospect, form: str) -> Iterable[str]:
    theirs = f"The player who made the link has {_count(prospect.maker)}."
    match prospect.outcome:
        case "adopt":
            yield f"<p>This browser has no games. {theirs} It will play as that player.</p>"
            yield form
        case "same":
            yield "<p>This browser already plays as the player who made the link.</p>"
        case "merge":
            yield f"<p>This browser has {_count(prospect.own)}. {theirs}</p>"
            yield "<p>From then on, both are one player, and all games can be played on both."
            yield " You can undo this for a day.</p>"
            yield "<p>Do this only if you made the link yourself: whoever made it will play your"
            yield " games, too.</p>"
            yield form
        case "opponents":
            yield "<p>This is not possible yet: this browser plays against the player who made the"
            yield " link. First finish, resign or cancel:</p><ul>"
            for game in prospect.against:
                names = " · ".join(escape(name or f"seat {n}") for n, name in enumerate(game.names))
                yield f'<li><a href="/tables/{escape(game.id, quote=True)}">{names}</a></li>'
            yield "</ul><p>Then make a new link. Until then, nothing changes.</p>"


def _count(games: wire.GameCounts) -> str:
    return f"{games.running} running and {games.finished} finished games"


@pages.post("/carry/{token}")
async def carry_on(request: Request, credential: Identified, token: str) -> Response:
    """Makes this browser the player who made the link; its own games come along.

    A browser that is a player already keeps its cookie, which stands for both from now on.
    """
    maker, merging = await carried(request, token), players_of(request).merging
    response = RedirectResponse("/", 303)
    if credential is None:
        set_cookie(request, response, maker)
    elif not await merging.are_one(credential, maker):
        count_account_request(request)
        try:
            await merging.merge(credential, maker)
        except PermissionError as error:
            raise Refusal(Code.FORBIDDEN, str(error)) from error
    return response
