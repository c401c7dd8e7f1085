"""Anything by anybody at any time: a game stays sound, and its log alone is the game."""

from dataclasses import replace
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from patchwork.notation.record import Record
from patchwork.rules.game import Game
from patchwork.rules.moves import ADVANCE
from patchwork.rules.position import Phase
from patchwork.server import wire
from patchwork.server.game.clocks import Pauses
from patchwork.server.game.events import Event, Kind
from patchwork.server.game.match import Course, Refusal
from patchwork.server.game.record import record
from patchwork.server.game.terms import DAY, SECOND
from patchwork.server.tables.opening import new_game, next_game
from patchwork.server.wire import Code
from server.courses import ANN, BOB, COMPUTER, EVE, FRIEND, NOW, SCREEN

AFTER_THE_END = {Kind.REMATCH, Kind.NEXT}
ASKERS = st.sampled_from((ANN, ANN, ANN, BOB, BOB, BOB, EVE, None))
ENDINGS = (wire.Resign, wire.Abort, wire.Claim, wire.Flag)
ANSWERS = (wire.Undo, wire.Accept, wire.Decline)
OTHERS = (wire.Begin, wire.Rematch)
CLOCKS = st.sampled_from(
    (None, None, {"minutes": 0.25, "increment": 2}, {"minutes": 3}, {"days": 1}, {"days": 14})
)
CIRCLES = st.sampled_from(("same", "new"))
STEPS = (
    st.sampled_from((0, 1, 999, SECOND, 7 * SECOND))
    | st.integers(0, 30 * SECOND)
    | st.integers(0, 2 * DAY)
)
NOBODY: frozenset[int] = frozenset()
BACK = st.sampled_from((0, 0, 0, 0, 0, 1, 2, 5, -1, -1000))
"""How far behind the last event an action is."""


def told(course: Course, now: int) -> dict[str, Any]:
    """All that others see of a course."""
    return {
        "events": course.events.copy(),
        "game": None if course.game is None else (course.game.setup, course.game.moves),
        "position": course.game.position if course.game else None,
        "seats": tuple(course.seats),
        "first": course.first,
        "asking": course.asking,
        "ending": course.ending,
        "wishes": course.wishes.copy(),
        "next": course.next,
        "turn": course.turn,
        "clocks": course.clocks(now),
        "later": course.clocks(now + 13 * SECOND),
        "deadline": course.deadline,
        "standing": course.standing(),
    }


class Anything(RuleBasedStateMachine):
    """A table that takes actions as the server's do, but keeps its log in memory."""

    @initialize(
        opponent=st.sampled_from((COMPUTER, SCREEN, FRIEND, FRIEND)),
        seat=st.integers(0, 1),
        first=st.sampled_from((0, 1, "needle")),
        edition=st.sampled_from(("classic", "revised")),
        clock=CLOCKS,
        seed=st.integers(0, 2**53 - 1),
        begun=st.sampled_from((True, True, False)),
        moves=st.integers(0, 70),
    )
    def open(self, *, begun: bool, moves: int, **asked: Any) -> None:
        self.now = self.resumed = NOW
        self.ids = 0
        self.stored = new_game(wire.NewTable(**asked), ANN, NOW)
        self.course = Course(self.stored.terms, self.stored.events)
        self.done: list[tuple[str, wire.AnyAction, int]] = []
        if begun:
            if None in self.course.seats:
                self.join()
            if self.course.first is None:
                self.ask(wire.Begin(id=self.new_id(), seq=self.course.seq, first=1), ANN, NOBODY)
            self.go_on(moves, 10)

    # What tables do

    def happen(self, happening: Event) -> None:
        ended = self.course.ending is not None
        if happening.kind is Kind.NEXT:
            following = next_game("game", self.course, happening.data, happening.at)
            self.check_following(following.terms.circle, Course(following.terms, following.events))
            happening = replace(happening, data=following.id)
        self.course.apply(happening)
        if ended:
            assert happening.kind in AFTER_THE_END
        event(happening.kind)

    def check_following(self, circle: tuple[int, ...], following: Course) -> None:
        for seat in (0, 1):
            assert following.seats[1 - seat] == self.course.seats[seat]
        assert following.first == self.course.first
        assert sorted(circle) == list(range(33))
        assert following.game is None or following.running

    def ask(self, asked: wire.AnyAction, player: str | None, gone: frozenset[int]) -> None:
        answered = self.course.answered(player, asked.id) if player else None
        assert answered is None
        late = self.course.overdue(self.now)
        if late is not None and not isinstance(asked, wire.Flag):
            self.happen(late)
        before = told(self.course, self.now)
        happening = refusal = None
        try:
            happening = self.course.respond(asked, player, self.now, gone)
        except Refusal as refused:
            refusal = refused
        seated = bool(self.course.seats_of(player))
        assert (refusal is not None and refusal.code is Code.NOT_SEATED) == (not seated)
        assert told(self.course, self.now) == before
        if happening is None:
            event(refusal.code if refusal else "")
            return
        assert player is not None
        assert isinstance(asked, wire.Flag) or happening.seat in self.course.seats_of(player)
        self.happen(happening)
        assert self.course.answered(player, asked.id) == self.course.seq
        self.done.append((player, asked, self.course.seq))

    # What people do

    @rule(step=STEPS)
    def time_passes(self, step: int) -> None:
        self.now += step

    @rule()
    def look_at_the_clock(self) -> None:
        late = self.course.overdue(self.now)
        if late is not None:
            assert self.course.deadline is not None
            assert self.now >= self.course.deadline
            self.happen(late)

    @rule()
    def join(self) -> None:
        if self.course.seats_of(BOB):
            return
        if self.course.ending is None and None in self.course.seats:
            self.happen(self.course.join(BOB, "Bob", self.now))
            return
        with pytest.raises(Refusal) as refused:
            self.course.join(BOB, "Bob", self.now)
        assert refused.value.code is (Code.OVER if self.course.ending else Code.SEATS_TAKEN)

    @rule(
        kind=st.sampled_from((*ENDINGS, *ANSWERS, *OTHERS)),
        player=ASKERS,
        back=BACK,
        first=st.integers(0, 1),
        circle=CIRCLES,
        gone=st.frozensets(st.integers(0, 1)),
        rarely=st.integers(0, 3),
    )
    def act(
        self,
        kind: type[wire.AnyAction],
        player: str | None,
        back: int,
        first: int,
        circle: str,
        gone: frozenset[int],
        rarely: int,
    ) -> None:
        if kind in ENDINGS and rarely and self.course.ending is None:
            return
        data: dict[str, Any] = {"id": self.new_id(), "seq": max(0, self.course.seq - back)}
        if kind is wire.Begin:
            data["first"] = first
        if kind is wire.Rematch:
            data["circle"] = circle
        self.ask(kind(**data), player, gone)

    @rule(
        answers=st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=6), seat=st.integers(0, 1)
    )
    def talk_about_taking_back(self, answers: list[type[wire.AnyAction]], seat: int) -> None:
        for kind in answers:
            sitting = self.course.seats[seat]
            asked = kind.model_validate({"id": self.new_id(), "seq": self.course.seq})
            self.ask(asked, sitting.player if sitting else None, NOBODY)
            seat = 1 - seat

    @rule(circles=st.lists(CIRCLES, max_size=3))
    def wish_to_play_again(self, circles: list[Literal["same", "new"]]) -> None:
        for circle, player in zip(circles, (BOB, ANN, BOB), strict=False):
            asked = wire.Rematch(id=self.new_id(), seq=self.course.seq, circle=circle)
            self.ask(asked, player, NOBODY)

    @rule(
        data=st.data(), right=st.sampled_from((True, True, True, False)), back=BACK, player=ASKERS
    )
    def move(self, data: st.DataObject, right: bool, back: int, player: str | None) -> None:
        if self.course.game is None or not self.course.running:
            return
        moves = self.course.game.position.legal_moves()
        text = str(moves[data.draw(st.integers(0, 5000)) % len(moves)])
        if right and self.course.turn is not None:
            sitting = self.course.seats[self.course.turn]
            player = sitting.player if sitting else None
        elif data.draw(st.booleans()):
            text = data.draw(st.text(max_size=16) | st.sampled_from(("A", "La1", "0Aa1", "3Ai9")))
        seq = max(0, self.course.seq - back)
        self.ask(wire.Move(id=self.new_id(), seq=seq, move=text), player, NOBODY)

    @rule(number=st.integers(1, 60), thinking=st.sampled_from((0, 10, SECOND)))
    def go_on(self, number: int, thinking: int) -> None:
        for _ in range(number):
            self.now += thinking
            self.look_at_the_clock()
            if self.course.turn is None or self.course.game is None:
                return
            position = self.course.game.position
            move = ADVANCE if position.phase is Phase.TURN else position.legal_moves()[-1]
            if self.course.computer_decides:
                self.happen(self.course.computer_move(move, self.now))
                continue
            sitting = self.course.seats[self.course.turn]
            assert sitting is not None
            action = wire.Move(id=self.new_id(), seq=self.course.seq, move=str(move))
            self.ask(action, sitting.player, NOBODY)

    @rule()
    def restart(self) -> None:
        before = told(self.course, self.now)
        self.resumed = self.now
        self.course = Course(self.stored.terms, self.course.events, pauses=Pauses(self.resumed))
        after = told(self.course, self.now)
        clock = self.course.terms.clock
        if clock is None or clock.renewed or not self.course.running:
            assert after == before
        else:
            assert all(
                new >= old for new, old in zip(after["clocks"], before["clocks"], strict=True)
            )
            assert after["clocks"] == self.course.clocks(0)

    def new_id(self) -> str:
        self.ids += 1
        return f"id {self.ids}"

    # What always holds

    @invariant()
    def the_log_is_the_game(self) -> None:
        rebuilt = Course(self.stored.terms, list(self.course.events), pauses=Pauses(self.resumed))
        assert told(rebuilt, self.now) == told(self.course, self.now)
        for player, asked, seq in self.done:
            assert rebuilt.answered(player, asked.id) == seq

    @invariant()
    def events_are_numbered_without_gaps(self) -> None:
        numbers = [happening.seq for happening in self.course.events]
        assert numbers == list(range(1, self.course.seq + 1))

    @invariant()
    def clocks_are_not_negative_and_of_one_seat_only_run(self) -> None:
        now, later = self.course.clocks(self.now), self.course.clocks(self.now + SECOND)
        assert min(*now, *later) >= 0
        running = {seat for seat in (0, 1) if now[seat] != later[seat]}
        assert running <= {self.course.turn}
        for happening in self.course.events:
            assert happening.clocks is None or min(happening.clocks) >= 0

    @invariant()
    def the_standing_fits_the_game(self) -> None:
        course, standing = self.course, self.course.standing()
        assert (standing.turn is None) == (not course.running)
        assert (standing.ending is None) == (course.ending is None)
        assert standing.ending is not None or standing.winner is None
        if course.game is not None and course.game.position.outcome is not None:
            outcome = course.game.position.outcome
            assert (standing.winner, standing.tie_break) == (outcome.winner, outcome.tie_break)
            assert standing.scores == outcome.scores
        elif course.game is not None and course.ending is None:
            assert standing.turn == course.game.position.turn
            assert (standing.deadline is None) == (course.terms.clock is None)

    @invariant()
    def the_game_is_legal_and_can_be_written_down(self) -> None:
        written = record("game", NOW, self.course)
        assert Record.parse(written.format()) == written
        if self.course.game is not None:
            replayed = Game(self.course.game.setup)
            for move in self.course.game.moves:
                replayed.push(move)
            assert replayed.position == self.course.game.position


Anything.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestAnything = Anything.TestCase
