"""Random actions keep a match consistent, and its log alone restores it."""

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
from patchwork.server.game import actions
from patchwork.server.game.clocks import Pauses
from patchwork.server.game.events import Event, Kind
from patchwork.server.game.match import Match
from patchwork.server.game.record import record
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.game.terms import DAY, SECOND
from patchwork.server.tables.opening import new_game, next_game
from server.support.matches import ANN, BOB, COMPUTER, EVE, FRIEND, NOW, SCREEN

AFTER_THE_END = {Kind.REMATCH, Kind.NEXT}
REQUESTERS = st.sampled_from((ANN, ANN, ANN, BOB, BOB, BOB, EVE, None))
ENDINGS = (actions.Resign, actions.Abort, actions.ClaimWin, actions.FlagTimeout)
Answer = type[actions.Undo] | type[actions.AcceptUndo] | type[actions.DeclineUndo]
ANSWERS: tuple[Answer, ...] = (actions.Undo, actions.AcceptUndo, actions.DeclineUndo)
OTHERS = (actions.ChooseFirst, actions.Rematch)
CLOCKS = st.sampled_from(
    (None, None, {"minutes": 0.25, "increment": 2}, {"minutes": 3}, {"days": 1}, {"days": 14})
)
CIRCLES = st.sampled_from(("same", "new"))
STEPS = (
    st.sampled_from((0, 1, 999, SECOND, 7 * SECOND))
    | st.integers(0, 30 * SECOND)
    | st.integers(0, 2 * DAY)
)
NO_SEATS: frozenset[int] = frozenset()
BACK = st.sampled_from((0, 0, 0, 0, 0, 1, 2, 5, -1, -1000))
"""By how many events an action lags behind the last one."""


def observable(match: Match, now: int) -> dict[str, Any]:
    """Returns everything observable about a match."""
    return {
        "events": match.events.copy(),
        "game": None if match.game is None else (match.game.setup, match.game.moves),
        "position": match.game.position if match.game else None,
        "seats": tuple(match.seats),
        "first": match.first,
        "asking": match.asking,
        "ending": match.ending,
        "rematch requests": match.rematch_requests.copy(),
        "next": match.next,
        "turn": match.turn,
        "clocks": match.clocks(now),
        "later": match.clocks(now + 13 * SECOND),
        "deadline": match.deadline,
        "status": match.status(),
    }


class MatchMachine(RuleBasedStateMachine):
    """A table that takes actions like one of the server, but keeps its log in memory."""

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
        self.match = Match(self.stored.terms, self.stored.events)
        self.done: list[tuple[str, actions.Action, int]] = []
        if begun:
            if None in self.match.seats:
                self.join()
            if self.match.first is None:
                self.ask(
                    actions.ChooseFirst(id=self.new_id(), seq=self.match.seq, first=1),
                    ANN,
                    NO_SEATS,
                )
            self.play_on(moves, 10)

    # Events

    def apply(self, new_event: Event) -> None:
        ended = self.match.ending is not None
        if new_event.kind is Kind.NEXT:
            next_match = next_game("game", self.match, new_event.data, new_event.at)
            self.check_following(
                next_match.terms.circle, Match(next_match.terms, next_match.events)
            )
            new_event = replace(new_event, data=next_match.id)
        self.match.apply(new_event)
        if ended:
            assert new_event.kind in AFTER_THE_END
        event(new_event.kind)

    def check_following(self, circle: tuple[int, ...], next_match: Match) -> None:
        for seat in (0, 1):
            assert next_match.seats[1 - seat] == self.match.seats[seat]
        assert next_match.first == self.match.first
        assert sorted(circle) == list(range(33))
        assert next_match.game is None or next_match.running

    def ask(self, asked: actions.Action, player: str | None, gone: frozenset[int]) -> None:
        answered = self.match.answered(player, asked.id) if player else None
        assert answered is None
        late = self.match.overdue(self.now)
        if late is not None and not isinstance(asked, actions.FlagTimeout):
            self.apply(late)
        before = observable(self.match, self.now)
        new_event = refusal = None
        try:
            new_event = self.match.respond(asked, player, self.now, gone)
        except Refusal as refused:
            refusal = refused
        seated = bool(self.match.seats_of(player))
        assert (refusal is not None and refusal.code is Code.NOT_SEATED) == (not seated)
        assert observable(self.match, self.now) == before
        if new_event is None:
            event(refusal.code if refusal else "")
            return
        assert player is not None
        assert isinstance(asked, actions.FlagTimeout) or new_event.seat in self.match.seats_of(
            player
        )
        self.apply(new_event)
        assert self.match.answered(player, asked.id) == self.match.seq
        self.done.append((player, asked, self.match.seq))

    # Random steps

    @rule(step=STEPS)
    def time_passes(self, step: int) -> None:
        self.now += step

    @rule()
    def check_the_clock(self) -> None:
        late = self.match.overdue(self.now)
        if late is not None:
            assert self.match.deadline is not None
            assert self.now >= self.match.deadline
            self.apply(late)

    @rule()
    def join(self) -> None:
        if self.match.seats_of(BOB):
            return
        if self.match.ending is None and None in self.match.seats:
            self.apply(self.match.join(BOB, "Bob", self.now))
            return
        with pytest.raises(Refusal) as refused:
            self.match.join(BOB, "Bob", self.now)
        assert refused.value.code is (Code.OVER if self.match.ending else Code.SEATS_TAKEN)

    @rule(
        kind=st.sampled_from((*ENDINGS, *ANSWERS, *OTHERS)),
        player=REQUESTERS,
        back=BACK,
        first=st.integers(0, 1),
        circle=CIRCLES,
        gone=st.frozensets(st.integers(0, 1)),
        skip=st.integers(0, 3),
    )
    def act(
        self,
        kind: type[actions.Action],
        player: str | None,
        back: int,
        first: int,
        circle: str,
        gone: frozenset[int],
        skip: int,
    ) -> None:
        if kind in ENDINGS and skip and self.match.ending is None:
            return
        data: dict[str, Any] = {"id": self.new_id(), "seq": max(0, self.match.seq - back)}
        if kind is actions.ChooseFirst:
            data["first"] = first
        if kind is actions.Rematch:
            data["circle"] = circle
        self.ask(kind(**data), player, gone)

    @rule(
        answers=st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=6), seat=st.integers(0, 1)
    )
    def negotiate_undos(self, answers: list[Answer], seat: int) -> None:
        for kind in answers:
            occupant = self.match.seats[seat]
            asked = kind(id=self.new_id(), seq=self.match.seq)
            self.ask(asked, occupant.player if occupant else None, NO_SEATS)
            seat = 1 - seat

    @rule(circles=st.lists(CIRCLES, max_size=3))
    def ask_for_rematches(self, circles: list[Literal["same", "new"]]) -> None:
        for circle, player in zip(circles, (BOB, ANN, BOB), strict=False):
            asked = actions.Rematch(id=self.new_id(), seq=self.match.seq, circle=circle)
            self.ask(asked, player, NO_SEATS)

    @rule(
        data=st.data(),
        right=st.sampled_from((True, True, True, False)),
        back=BACK,
        player=REQUESTERS,
    )
    def move(self, data: st.DataObject, right: bool, back: int, player: str | None) -> None:
        if self.match.game is None or not self.match.running:
            return
        moves = self.match.game.position.legal_moves()
        text = str(moves[data.draw(st.integers(0, 5000)) % len(moves)])
        if right and self.match.turn is not None:
            occupant = self.match.seats[self.match.turn]
            player = occupant.player if occupant else None
        elif data.draw(st.booleans()):
            text = data.draw(st.text(max_size=16) | st.sampled_from(("A", "La1", "0Aa1", "3Ai9")))
        seq = max(0, self.match.seq - back)
        self.ask(actions.PlayMove(id=self.new_id(), seq=seq, move=text), player, NO_SEATS)

    @rule(number=st.integers(1, 60), thinking=st.sampled_from((0, 10, SECOND)))
    def play_on(self, number: int, thinking: int) -> None:
        for _ in range(number):
            self.now += thinking
            self.check_the_clock()
            if self.match.turn is None or self.match.game is None:
                return
            position = self.match.game.position
            move = ADVANCE if position.phase is Phase.TURN else position.legal_moves()[-1]
            if self.match.computer_decides:
                self.apply(self.match.computer_move(move, self.now))
                continue
            occupant = self.match.seats[self.match.turn]
            assert occupant is not None
            action = actions.PlayMove(id=self.new_id(), seq=self.match.seq, move=str(move))
            self.ask(action, occupant.player, NO_SEATS)

    @rule()
    def restart(self) -> None:
        before = observable(self.match, self.now)
        self.resumed = self.now
        self.match = Match(self.stored.terms, self.match.events, pauses=Pauses(self.resumed))
        after = observable(self.match, self.now)
        clock = self.match.terms.clock
        if clock is None or clock.renewed or not self.match.running:
            assert after == before
        else:
            assert all(
                new >= old for new, old in zip(after["clocks"], before["clocks"], strict=True)
            )
            assert after["clocks"] == self.match.clocks(0)

    def new_id(self) -> str:
        self.ids += 1
        return f"id {self.ids}"

    # Invariants

    @invariant()
    def the_log_restores_the_match(self) -> None:
        rebuilt = Match(self.stored.terms, list(self.match.events), pauses=Pauses(self.resumed))
        assert observable(rebuilt, self.now) == observable(self.match, self.now)
        for player, asked, seq in self.done:
            assert rebuilt.answered(player, asked.id) == seq

    @invariant()
    def events_are_numbered_without_gaps(self) -> None:
        numbers = [new_event.seq for new_event in self.match.events]
        assert numbers == list(range(1, self.match.seq + 1))

    @invariant()
    def at_most_one_clock_runs_and_none_is_negative(self) -> None:
        now, later = self.match.clocks(self.now), self.match.clocks(self.now + SECOND)
        assert min(*now, *later) >= 0
        running = {seat for seat in (0, 1) if now[seat] != later[seat]}
        assert running <= {self.match.turn}
        for new_event in self.match.events:
            assert new_event.clocks is None or min(new_event.clocks) >= 0

    @invariant()
    def the_status_matches_the_game(self) -> None:
        match, status = self.match, self.match.status()
        assert (status.turn is None) == (not match.running)
        assert (status.ending is None) == (match.ending is None)
        assert status.ending is not None or status.winner is None
        if match.game is not None and match.game.position.outcome is not None:
            outcome = match.game.position.outcome
            assert (status.winner, status.tie_break) == (outcome.winner, outcome.tie_break)
            assert status.scores == outcome.scores
        elif match.game is not None and match.ending is None:
            assert status.turn == match.game.position.turn
            assert (status.deadline is None) == (match.terms.clock is None)

    @invariant()
    def the_game_is_legal_and_has_a_record(self) -> None:
        written = record("game", NOW, self.match)
        assert Record.parse(written.format()) == written
        if self.match.game is not None:
            replayed = Game(self.match.game.setup)
            for move in self.match.game.moves:
                replayed.push(move)
            assert replayed.position == self.match.game.position


MatchMachine.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestMatchMachine = MatchMachine.TestCase
