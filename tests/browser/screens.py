"""The screens of the page, each brought about in a browser: for axe, and for pictures."""

from collections.abc import Callable, Iterator
from typing import Any

from playwright.sync_api import Page, expect

import patchwork as pw
from patchwork.engine.baselines.greedy import greedy
from patchwork.locales import messages

LESSON_STEPS = (
    *("welcome", "advance", "circle", "buy", "chain", "income"),
    *("leather", "sew", "tile", "end", "score"),
)


def screens(page: Page, language: str = "en") -> Iterator[str]:
    """Brings about one screen after the other and yields its name; some need a game played."""
    say = messages(language)
    states = {
        "waiting": _opened(page, "friend"),
        "invited": _opened(page, "friend", host=_stranger(page)),
        "needle": _opened(page, "screen", other_name="Bob", first="needle"),
        "table": played(page, _choosing),
        "leather": played(page, lambda game: game.position.phase is pw.Phase.LEATHER),
        "ending": played(page, lambda game: game.position.outcome is not None),
    }
    link = _good(page.request.post("/api/me/carry-link"))["url"]
    ids = {name: state["table"]["id"] for name, state in states.items()}
    for name, path in {
        "home": "/",
        "rules": "/rules",
        "privacy": "/privacy",
        "import": "/replay",
        "none": "/tables/abcdefghjkmn",
        "carry": link,
        "replay": f"/replay/{ids['ending']}",
        **{name: f"/tables/{game}" for name, game in ids.items()},
    }.items():
        page.goto(path)
        expect(page.get_by_role("main")).to_be_visible()
        if name == "home":
            expect(page.get_by_role("link", name="Bob")).to_have_count(4)
        if name == "privacy":
            expect(page.locator("#time li")).to_have_count(2)
        if name in ("table", "leather", "ending", "replay"):
            expect(page.get_by_role("grid").first).to_be_visible()
        yield name
    page.goto("/privacy")
    page.get_by_role("button", name=say("page-privacy-delete-begin")).click()
    expect(page.get_by_role("button", name=say("page-privacy-delete-yes"))).to_be_visible()
    yield "privacy-delete"
    page.goto("/learn")
    for step in LESSON_STEPS:
        expect(page.get_by_role("heading", level=1)).to_have_text(say(f"page-learn-{step}"))
        expect(page.get_by_role("grid").first).to_be_visible()
        yield f"learn-{step}"
        if step != LESSON_STEPS[-1]:
            page.get_by_role("button", name=say("page-learn-skip")).click()
    page.goto("/")
    page.get_by_text(say("page-options"), exact=True).click()
    page.get_by_text(say("page-screen"), exact=True).click()
    yield "home-options"
    page.get_by_text(say("page-carry"), exact=True).click()
    page.get_by_role("button", name=say("page-carry-begin")).click()
    expect(page.get_by_alt_text(say("page-carry-picture"))).to_be_visible()
    yield "home-carry"
    page.goto(f"/tables/{ids['table']}")
    expect(page.get_by_role("grid").first).to_be_visible()
    for name, key in {"keys": "?", "words": "t", "hand": "1", "advance": "a"}.items():
        page.keyboard.press(key)
        yield name
        page.keyboard.press("Escape")
    for name, key in {"menu": "page-table-menu", "preferences": "page-preferences"}.items():
        page.get_by_role("button", name=say(key), exact=True).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        yield name
        page.keyboard.press("Escape")
    page.get_by_role("button", name=say("page-preferences"), exact=True).click()
    page.get_by_role("radio", name=say("page-look-blocks")).check()
    page.keyboard.press("Escape")
    yield "blocks"


def _choosing(game: pw.Game) -> bool:
    """Returns whether the game is well under way and the first patch on offer can be taken."""
    position = game.position
    takeable = {move.patch for move in position.legal_moves() if isinstance(move, pw.Buy)}
    return len(game.moves) >= 16 and position.offer[0] in takeable


def _opened(page: Page, opponent: str, host: dict[str, str] | None = None, **terms: Any) -> Any:
    """Opens a table for the one whose page it is, or for a host with headers of their own."""
    terms = {"opponent": opponent, "seed": 11, "name": "Ann", **terms}
    return _good(page.request.post("/api/tables", data=terms, headers=host))


def _stranger(page: Page) -> dict[str, str]:
    """Headers by which a request is somebody else's."""
    token = _good(page.request.post("/api/tokens"))["token"]
    return {"Authorization": f"Bearer {token}"}


def played(page: Page, stop: Callable[[pw.Game], bool]) -> Any:
    """Plays a game for two before one screen, up to a position, and returns its state."""
    state = _opened(page, "screen", other_name="Bob")
    game, seq = pw.Game(pw.Setup(tuple(state["table"]["circle"]))), state["status"]["seq"]
    path = f"/api/tables/{state['table']['id']}/actions"
    while not stop(game):
        move = greedy(game.position)
        action = {"t": "move", "id": f"m{seq}", "seq": seq, "move": str(move)}
        seq = _good(page.request.post(path, data=action))["seq"]
        game.push(move)
    return state


def _good(answer: Any) -> Any:
    assert answer.ok, answer.text()
    return answer.json()
