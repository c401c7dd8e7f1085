"""The tutorial, from start to end: with the mouse, with only the keyboard, and with taps."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.support.inspection import record_animations
from browser.support.screens import LESSON_STEPS
from browser.support.users import PHONE, Users
from patchwork.locales import messages


class Learner:
    """The page object of the tutorial."""

    def __init__(self, page: Page, language: str = "en") -> None:
        self.page = page
        self.say = messages(language)

    def button(self, key: str) -> Locator:
        return self.page.get_by_role("button", name=self.say(key)).first

    def offer(self, place: int) -> Locator:
        circle = self.page.get_by_role("group", name=self.say("page-table-circle"))
        return circle.get_by_role("button").nth(place)

    def space(self, number: int) -> Locator:
        return self.page.get_by_role("grid").first.get_by_role("gridcell").nth(number)

    def is_at(self, step: str) -> None:
        """Waits for a step, and checks that screen readers announce it."""
        title = self.page.get_by_role("heading", level=1, name=self.say(f"page-learn-{step}"))
        expect(title).to_be_visible()
        number = LESSON_STEPS.index(step) + 1
        count = self.say("page-learn-step", number=number, of=len(LESSON_STEPS))
        expect(self.page.get_by_text(count)).to_be_visible()
        self.hears(f"page-learn-{step}-text")
        expect(title).to_be_focused()

    def hears(self, key: str) -> None:
        expect(self.page.get_by_role("status").filter(has_text=self.say(key))).to_be_visible()


class Mouse(Learner):
    """Plays with clicks."""

    def press(self, locator: Locator) -> None:
        locator.click()

    def advance(self) -> None:
        self.press(self.button("page-table-advance"))
        self.press(self.button("page-table-advance"))

    def buy(self, place: int, turns: int = 0, spaces: tuple[int, ...] = ()) -> None:
        """Picks up a patch, turns it, and puts it on one space after the other."""
        self.press(self.offer(place))
        for _ in range(turns):
            self.press(self.button("page-table-turn"))
        for space in spaces:
            self.press(self.space(space))
        self.press(self.button("page-table-sew"))

    def leather(self) -> None:
        self.press(self.space(42))
        self.press(self.button("page-table-sew"))

    def go_on(self) -> None:
        self.press(self.button("page-learn-next"))


class Finger(Mouse):
    """Plays with taps."""

    def press(self, locator: Locator) -> None:
        # Or a tap where the last one was would be the second one of a double tap.
        self.page.get_by_role("heading", level=1).tap()
        locator.tap()


class Keys(Mouse):
    """Plays with only the keyboard."""

    def advance(self) -> None:
        expect(self.button("page-table-advance")).to_be_visible()
        self.page.keyboard.press("a")
        self.page.keyboard.press("Enter")

    def buy(self, place: int, turns: int = 0, spaces: tuple[int, ...] = ()) -> None:
        expect(self.offer(place)).to_have_attribute("aria-disabled", "false")
        self.page.keyboard.press(str(place + 1))
        for _ in range(turns):
            self.page.keyboard.press("r")
        for _ in spaces:
            self.page.keyboard.press("ArrowUp")
            self.page.keyboard.press("ArrowLeft")
        self.page.keyboard.press("Enter")

    def leather(self) -> None:
        self.page.keyboard.press("ArrowLeft")
        self.page.keyboard.press("Enter")

    def go_on(self) -> None:
        expect(self.button("page-learn-next")).to_be_visible()
        if self.button("page-learn-next").evaluate("button => button !== document.activeElement"):
            self.press_tab_to(self.button("page-learn-next"))
        self.page.keyboard.press("Enter")

    def press_tab_to(self, locator: Locator) -> None:
        for _ in range(40):
            self.page.keyboard.press("Tab")
            if locator.evaluate("it => it === document.activeElement"):
                return
        raise AssertionError("Tab does not reach it")


def complete(learner: Mouse) -> None:
    """Goes through the whole tutorial, and first makes the wrong move where there is one."""
    learner.is_at("welcome")
    learner.go_on()
    learner.is_at("advance")
    expect(learner.offer(0)).to_have_attribute("aria-disabled", "true")
    expect(learner.page.get_by_text(learner.say("page-table-choose"))).to_be_hidden()
    learner.advance()
    learner.hears("page-learn-advance-done")
    learner.go_on()
    learner.is_at("circle")
    learner.go_on()
    learner.is_at("buy")
    learner.advance()
    learner.hears("page-learn-buy-wrong")
    learner.buy(1, spaces=(40,))
    learner.is_at("chain")
    learner.advance()
    learner.hears("page-learn-chain-done")
    learner.go_on()
    learner.is_at("income")
    learner.advance()
    learner.hears("page-learn-income-done")
    learner.go_on()
    learner.is_at("leather")
    learner.advance()
    learner.is_at("sew")
    learner.leather()
    learner.hears("page-learn-sew-done")
    learner.go_on()
    learner.is_at("tile")
    learner.advance()
    learner.hears("page-learn-tile-wrong")
    learner.buy(2, turns=1, spaces=(80, 50))
    learner.hears("page-learn-tile-done")
    learner.go_on()
    learner.is_at("end")
    learner.buy(0)
    learner.is_at("score")
    page = learner.page
    expect(page.get_by_role("row", name=learner.say("page-table-step-total"))).to_be_visible()
    expect(page.get_by_role("grid")).to_have_count(2)


@pytest.mark.parametrize(
    ("kind", "language", "options"),
    [
        (Mouse, "en", {}),
        (Keys, "de", {}),
        (Finger, "ru", {"viewport": PHONE, "has_touch": True, "is_mobile": True}),
    ],
)
def test_the_whole_tutorial(
    users: Users, kind: type[Mouse], language: str, options: dict[str, Any]
) -> None:
    page = users.new_page("/learn", language=language, **options)
    complete(kind(page, language))
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.get_by_role("button", name=messages(language)("page-learn-play")).click()
    expect(page).to_have_url(re.compile("/tables/"))
    level = messages(language)("page-table-computer", level=1)
    expect(page.get_by_text(level).first).to_be_visible()


def test_every_task_can_be_demonstrated(users: Users) -> None:
    learner = Mouse(users.new_page("/learn"))
    for step in LESSON_STEPS:
        learner.is_at(step)
        if step in ("welcome", "circle", "chain", "sew"):
            learner.button("page-learn-skip").click()
        elif step != "score":
            learner.button("page-learn-help").click()
            expect(learner.button("page-table-cancel")).to_be_visible()
            learner.page.keyboard.press("Enter")
            if step not in ("buy", "leather", "end"):
                learner.hears(f"page-learn-{step}-done")
                learner.go_on()


def test_the_learner_can_go_back_leave_and_resume(users: Users) -> None:
    page = users.new_page("/")
    learner = Mouse(page)
    page.get_by_role("link", name=learner.say("page-learn-new")).click()
    learner.is_at("welcome")
    for step in LESSON_STEPS[1:5]:
        learner.button("page-learn-skip").click()
        learner.is_at(step)
    learner.button("page-learn-back").click()
    learner.is_at("buy")
    page.get_by_role("link", name=learner.say("page-rules")).click()
    page.get_by_role("link", name=learner.say("page-learn-by-playing")).click()
    expect(page.get_by_role("heading", name=learner.say("page-learn-buy"))).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name=learner.say("page-learn-buy"))).to_be_visible()
    learner.button("page-learn-restart").click()
    learner.is_at("welcome")
    page.get_by_role("link", name=learner.say("page-learn-leave")).click()
    expect(page.get_by_role("button", name=learner.say("page-play-now"))).to_be_visible()


def test_moves_are_animated_and_listed_as_text(users: Users) -> None:
    page = users.new_page("/learn", reduced_motion="no-preference")
    learner = Mouse(page)
    learner.is_at("welcome")
    record_animations(page)
    learner.go_on()
    learner.is_at("advance")
    learner.advance()
    learner.hears("page-learn-advance-done")
    animated = {what for what, _ in page.evaluate("window.animations")}
    assert animated >= {"button", "sewn", "thread"}
    page.keyboard.press("t")
    advance = learner.say("page-table-move-advance")
    expect(page.get_by_role("dialog").get_by_text(advance).last).to_be_visible()


def test_every_step_fits_on_a_laptop(users: Users) -> None:
    learner = Mouse(users.new_page("/learn", language="de"), "de")
    for step in LESSON_STEPS:
        learner.is_at(step)
        beyond = "document.documentElement.scrollHeight - document.documentElement.clientHeight"
        assert learner.page.evaluate(beyond) <= 0, step
        if step != "score":
            learner.button("page-learn-skip").click()


@pytest.mark.parametrize("language", ["en", "de", "ru"])
@pytest.mark.parametrize(("width", "height"), [(740, 360), (844, 390)])
def test_every_step_is_in_sight_on_a_phone_held_sideways(
    users: Users, language: str, width: int, height: int
) -> None:
    page = users.new_page(
        "/learn", language=language, viewport={"width": width, "height": height}, has_touch=True
    )
    learner = Finger(page, language)
    button = page.locator("main > .actions .primary, .play")
    for step in LESSON_STEPS:
        learner.is_at(step)
        text = page.get_by_role("status").filter(has_text=learner.say(f"page-learn-{step}-text"))
        expect(text).to_be_in_viewport(ratio=0.99)
        expect(button).to_be_in_viewport(ratio=0.99)
        if step == "score":
            break
        for offer in range(3):
            expect(learner.offer(offer)).to_be_in_viewport(ratio=0.99)
            box = learner.offer(offer).bounding_box()
            assert box is not None
            assert box["height"] >= 48, step
        if step in ("advance", "buy", "leather", "tile", "end"):
            learner.button("page-learn-help").tap()
            expect(learner.button("page-table-cancel")).to_be_visible()
            expect(button).to_be_in_viewport(ratio=0.99)
        learner.button("page-learn-skip").tap()


def test_a_failed_request_can_be_retried(users: Users) -> None:
    page = users.new_page("/learn")
    learner = Mouse(page)
    learner.is_at("welcome")
    page.context.set_offline(True)
    learner.button("page-learn-skip").click()
    expect(page.get_by_role("alert")).to_contain_text(learner.say("page-trouble-offline"))
    page.context.set_offline(False)
    learner.button("page-learn-retry").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    learner.advance()
    learner.hears("page-learn-advance-done")
    users.errors.clear()
