"""Opens every screen of the page in turn, for checks of all screens and for screenshots."""

from collections.abc import Callable, Iterator
from typing import Any

from playwright.sync_api import Page, expect

import patchwork as pw
from browser.support.study import study
from patchwork.engine.baselines.greedy import greedy
from patchwork.locales import Messages, messages

LESSON_STEPS = (
    *("welcome", "advance", "circle", "buy", "chain", "income"),
    *("leather", "sew", "tile", "end", "score"),
)


def screens(page: Page, language: str = "en") -> Iterator[str]:
    """Opens one screen after the other and yields its name; some need a game to be played."""
    say = messages(language)
    states = {
        "waiting": _opened(page, "friend"),
        "invited": _opened(page, "friend", host=_stranger(page)),
        "who-begins": _opened(page, "screen", other_name="Bob", first="needle"),
        "table": play_until(page, _choosing),
        "leather": play_until(page, lambda game: game.position.phase is pw.Phase.LEATHER),
        "ending": play_until(page, lambda game: game.position.outcome is not None),
    }
    link = _checked(page.request.post("/api/me/carry-link"))["url"]
    record = _checked(page.request.post("/api/records", data=study().format()))["record"]
    ids = {name: state["table"]["id"] for name, state in states.items()}
    for name, path in {
        "home": "/",
        "rules": "/rules",
        "privacy": "/privacy",
        "import": "/replay",
        "not-found": "/tables/abcdefghjkmn",
        "transfer": link,
        "replay": f"/replay/{ids['ending']}",
        "study": f"/replay/record/{record}?move=2.2.2",
        **{name: f"/tables/{game}" for name, game in ids.items()},
    }.items():
        page.goto(path)
        expect(page.get_by_role("main")).to_be_visible()
        if name == "home":
            expect(page.locator("li").get_by_role("link", name="Bob")).to_have_count(4)
            expect(page.get_by_text(say("page-last-quilt"))).to_have_count(1)
        if name == "transfer":
            expect(page.get_by_text(say("page-carry-same"))).to_be_visible()
        if name == "privacy":
            expect(page.locator("#time li")).to_have_count(2)
        if name in ("table", "leather", "ending", "replay", "study"):
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
    yield "home-transfer"
    yield from _transfers(page, say)
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


def _transfers(page: Page, say: Messages) -> Iterator[str]:
    """Opens links of another player: one to refuse, one to accept, and what comes after that."""
    opponent, other = _stranger(page), _stranger(page)
    game = _opened(page, "friend", host=opponent)["table"]["id"]
    _checked(page.request.post(f"/api/tables/{game}/join", data={"name": "Bob"}))
    page.goto(_checked(page.request.post("/api/me/carry-link", headers=opponent))["url"])
    expect(page.get_by_text(say("page-carry-opponents"))).to_be_visible()
    yield "transfer-opponents"
    page.goto(_checked(page.request.post("/api/me/carry-link", headers=other))["url"])
    expect(page.get_by_text(say("page-carry-merge-own-link"))).to_be_visible()
    yield "transfer-merge"
    page.get_by_role("button", name=say("page-carry-here-begin")).click()
    expect(page.get_by_role("button", name=say("page-carry-undo"))).to_be_visible()
    yield "home-merged"
    page.goto("/privacy")
    page.get_by_role("button", name=say("page-privacy-delete-begin")).click()
    expect(page.get_by_text(say("page-privacy-delete-merged"))).to_be_visible()
    yield "privacy-delete-merged"


def _choosing(game: pw.Game) -> bool:
    """Returns whether the game is well under way and the first patch on offer can be bought."""
    position = game.position
    buyable = {move.patch for move in position.legal_moves() if isinstance(move, pw.Buy)}
    return len(game.moves) >= 16 and position.offer[0] in buyable


def _opened(page: Page, opponent: str, host: dict[str, str] | None = None, **terms: Any) -> Any:
    """Opens a table for the user of the page, or for the player whose headers are given."""
    terms = {"opponent": opponent, "seed": 11, "name": "Ann", **terms}
    return _checked(page.request.post("/api/tables", data=terms, headers=host))


def _stranger(page: Page) -> dict[str, str]:
    """Returns headers that make a request on behalf of a new player."""
    token = _checked(page.request.post("/api/tokens"))["token"]
    return {"Authorization": f"Bearer {token}"}


def play_until(page: Page, stop: Callable[[pw.Game], bool]) -> Any:
    """Plays a game for two on one screen until it should stop, and returns its first state."""
    state = _opened(page, "screen", other_name="Bob")
    game, seq = pw.Game(pw.Setup(tuple(state["table"]["circle"]))), state["status"]["seq"]
    path = f"/api/tables/{state['table']['id']}/actions"
    while not stop(game):
        move = greedy(game.position)
        action = {"t": "move", "id": f"m{seq}", "seq": seq, "move": str(move)}
        seq = _checked(page.request.post(path, data=action))["seq"]
        game.push(move)
    return state


def _checked(answer: Any) -> Any:
    """Returns the content of a successful answer."""
    assert answer.ok, answer.text()
    return answer.json()
