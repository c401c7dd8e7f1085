"""A match: its terms, the events so far, what may happen next, and what that leads to.

A match is rebuilt from its log alone. Nothing here stores or sends anything, or looks at a clock:
an action becomes an event or a refusal, and whoever has stored the event applies it.
"""

from collections.abc import Collection, Iterable, Set
from dataclasses import dataclass, replace
from typing import assert_never

from patchwork.notation.errors import NotationError
from patchwork.notation.moves import parse_move, read_move
from patchwork.notation.record import Termination
from patchwork.rules.game import Game
from patchwork.rules.moves import Move
from patchwork.rules.setup import Setup
from patchwork.server.game import actions
from patchwork.server.game.clocks import Pauses
from patchwork.server.game.events import Event, GameStatus, Kind
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.game.terms import Opponent, Terms

_PASSING = {Kind.ASK, Kind.DECLINE, Kind.REMATCH, Kind.FORGET}
"""Events that change nothing else, so that actions that cross them are not stale."""

_NO_PAUSES = Pauses()
_NEVER = 2**63
"""A time later than all pauses."""
UNDO_LIMIT = 1000
"""Events after which nothing can be taken back any more, so that no log grows without end. A game
has about 50 moves."""


@dataclass(frozen=True, slots=True)
class Occupant:
    """Who has a seat."""

    player: str | None
    """None for the computer, and for a deleted player."""
    name: str


def first_seated(players: Iterable[str], occupants: Collection[str | None]) -> str | None:
    """Returns the first of a player's ids that has a seat; None if there is none."""
    return next((player for player in players if player in occupants), None)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended."""

    reason: Termination
    winner: int | None


class Match:
    """A game with its terms, its players, its clocks and its log."""

    def __init__(
        self, terms: Terms, events: Iterable[Event] = (), *, pauses: Pauses = _NO_PAUSES
    ) -> None:
        """Rebuilds a match from its log.

        Args:
            terms: what was agreed on.
            events: the log.
            pauses: times that count for no clock, except in games with days per move, whose clocks
                run even while the server does not.
        """
        self.terms = terms
        self.events: list[Event] = []
        self.seats: list[Occupant | None] = [None, None]
        if terms.computer is not None:
            self.seats[terms.computer] = Occupant(None, "")
        self.first = terms.first
        self.game: Game | None = None
        """None until both seats are taken and it is known who begins."""
        self.asking: int | None = None
        self.ending: Ending | None = None
        self.rematch_requests: dict[int, str] = {}
        """The seats that want to play again, and with which circle of patches."""
        self.next: str | None = None
        self._pauses = pauses
        self._clocks = (terms.clock.allowance,) * 2 if terms.clock else (0, 0)
        self._since = 0
        """When the running clock was started."""
        self._settled = 0
        """The number of the last event that made earlier actions stale."""
        self._answers: dict[tuple[str, str], int] = {}
        for event in events:
            self.apply(event)

    # State

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return len(self.events)

    @property
    def running(self) -> bool:
        """Whether the game is being played."""
        return self.game is not None and self.ending is None

    @property
    def turn(self) -> int | None:
        """The seat that has to decide; None if there is none."""
        return self.game.position.turn if self.game is not None and self.ending is None else None

    @property
    def computer_decides(self) -> bool:
        """Whether the computer has to move."""
        return self.turn is not None and self.turn == self.terms.computer

    def seats_of(self, player: str | None) -> list[int]:
        """Returns the seats of a player: two on one screen, none for a spectator."""
        return [
            seat
            for seat, occupant in enumerate(self.seats)
            if occupant is not None and occupant.player is not None and occupant.player == player
        ]

    def seated(self, players: Iterable[str]) -> str | None:
        """Returns the first of a player's ids that has a seat; None for a spectator."""
        return first_seated(players, [each.player if each else None for each in self.seats])

    def answered(self, player: str, action: str) -> int | None:
        """Returns the number of the event that a player's action became; None if it is new."""
        return self._answers.get((player, action))

    def clocks(self, now: int) -> tuple[int, int]:
        """Returns the time that both seats have left, in milliseconds."""
        if self.turn is None or self.in_grace:
            return self._clocks
        left = max(0, self._clocks[self.turn] - self._decided_for(now))
        return (left, self._clocks[1]) if self.turn == 0 else (self._clocks[0], left)

    @property
    def in_grace(self) -> bool:
        """Whether the clock of the seat to decide waits for its first decision.

        Decisions that were taken back do not count, here and wherever it matters who has moved.
        """
        turn = self.turn
        return self.terms.grace is not None and turn is not None and not self._has_moved(turn)

    def grace(self, now: int) -> int | None:
        """Returns for how long the clock still waits for a first decision; None if for none."""
        if not self.in_grace or self.terms.grace is None:
            return None
        return max(0, self.terms.grace - self._decided_for(now))

    @property
    def deadline(self) -> int | None:
        """When the time of the seat that has to decide is up; None if it never is."""
        if self.turn is None or self.terms.clock is None:
            return None
        grace = self.terms.grace if self.in_grace else None
        allowed = self._clocks[self.turn] if grace is None else grace
        return self._since + allowed + self._paused(_NEVER)

    def _decided_for(self, now: int) -> int:
        """Returns how long the seat to decide has had for its decision."""
        return max(0, now - self._since - self._paused(now))

    def _paused(self, until: int) -> int:
        renewed = self.terms.clock is not None and self.terms.clock.renewed
        return 0 if renewed else self._pauses.between(self._since, until)

    def setup(self) -> Setup:
        """Returns the set-up; as long as it is unknown who begins, as if it were seat 0."""
        return self.terms.setup(self.first or 0)

    def status(self) -> GameStatus:
        """Returns the status, which lists of games show."""
        outcome = self.game.position.outcome if self.game else None
        return GameStatus(
            turn=self.turn,
            deadline=self.deadline,
            ending=self.ending.reason if self.ending else None,
            winner=self.ending.winner if self.ending else None,
            scores=self.game.position.scores if self.game and self.ending else None,
            tie_break=outcome is not None and outcome.tie_break,
        )

    # Events

    def apply(self, event: Event) -> None:
        """Applies an event, which must be valid and stored."""
        assert event.seq == self.seq + 1, f"event {event.seq} follows {self.seq}"
        self.events.append(event)
        if event.player is not None and event.action is not None:
            self._answers[event.player, event.action] = event.seq
        if event.kind not in _PASSING:
            self._settled = event.seq
            self.asking = None
        if event.clocks is not None:
            self._clocks = event.clocks
        self._change(event)

    def _change(self, event: Event) -> None:
        match event.kind:
            case Kind.JOIN:
                self.seats[event.seat] = Occupant(event.player, event.data)
                self._begin_if_ready(event.at)
            case Kind.BEGIN:
                self.first = int(event.data)
                self._begin_if_ready(event.at)
            case Kind.MOVE:
                game = self._game()
                game.push(event.move or read_move(event.data))
                self._since = event.at
                outcome = game.position.outcome
                if outcome is not None:
                    self.ending = Ending(Termination.PLAYED_OUT, outcome.winner)
            case Kind.TAKEBACK:
                while len(self._game().moves) > int(event.data):
                    self._game().pop()
                self._since = event.at
            case Kind.ASK:
                self.asking = event.seat
            case Kind.DECLINE:
                self.asking = None
            case Kind.RESIGN:
                self.ending = Ending(Termination.RESIGNED, 1 - event.seat)
            case Kind.FLAG:
                self.ending = Ending(Termination.TIME, 1 - event.seat)
            case Kind.CLAIM:
                self.ending = Ending(Termination.LEFT, event.seat)
            case Kind.ABORT:
                self.ending = Ending(Termination.ABORTED, None)
            case Kind.REMATCH:
                self.rematch_requests[event.seat] = event.data
            case Kind.NEXT:
                self.next = event.data
            case Kind.FORGET:
                alone = self.terms.opponent is Opponent.SCREEN
                for seat in (0, 1) if alone else (event.seat,):
                    self.seats[seat] = Occupant(None, "")
                    self.rematch_requests.pop(seat, None)
            case _:
                assert_never(event.kind)

    def _begin_if_ready(self, at: int) -> None:
        if self.game is None and self.first is not None and None not in self.seats:
            self.game = Game(self.terms.setup(self.first))
            self._since = at

    def _game(self) -> Game:
        assert self.game is not None, "the game has not begun"
        return self.game

    # Actions

    def join(self, player: str, name: str, now: int) -> Event:
        """Returns the event of a player taking the free seat.

        Raises:
            Refusal: there is no free seat.
        """
        if self.ending is not None:
            raise Refusal(Code.OVER, "the game is over")
        if None not in self.seats:
            raise Refusal(Code.SEATS_TAKEN, "both seats are taken")
        return self._event(Kind.JOIN, self.seats.index(None), now, name, player)

    def computer_move(self, move: Move, now: int) -> Event:
        """Returns the event of the computer's move.

        Raises:
            IllegalMove: the rules do not allow it.
        """
        self._game().position.play(move)
        return self._move_event(move, now)

    def overdue(self, now: int) -> Event | None:
        """Returns the event that ends the game because time is up; None if it is not."""
        if self.deadline is None or now < self.deadline:
            return None
        assert self.turn is not None
        return self._end(self._unless_too_early(Kind.FLAG), self.turn, now)

    def give_up(self, player: str, now: int) -> Event | None:
        """Returns the event by which a player leaves for good; None if the game is over."""
        if self.ending is not None:
            return None
        seats = self.seats_of(player)
        return self._end(self._unless_too_early(Kind.RESIGN), self._acting(seats), now)

    def forget(self, player: str) -> Event:
        """Returns the event that deletes a player from the match.

        It has the time of the event before it, so that all games of a player cannot be found by the
        time at which the player was deleted.
        """
        return self._event(Kind.FORGET, self.seats_of(player)[0], self.events[-1].at)

    def respond(
        self, action: actions.Action, player: str | None, now: int, gone: Set[int] = frozenset()
    ) -> Event:
        """Returns the event that an action becomes.

        Args:
            action: what the player wants to do.
            player: who acts; None for an unknown client.
            now: the time.
            gone: the seats whose players have been away for long enough to lose.

        Raises:
            Refusal: the action is not allowed now.
        """
        seats = self.seats_of(player)
        if player is None or not seats:
            raise Refusal(Code.NOT_SEATED, "only players with a seat may act")
        if not self._settled <= action.seq <= self.seq:
            raise Refusal(
                Code.STALE, f"the action answers event {action.seq}, the last one is {self.seq}"
            )
        event = self._answer(action, seats, now, gone)
        return replace(event, player=player, action=action.id)

    def _answer(self, action: actions.Action, seats: list[int], now: int, gone: Set[int]) -> Event:
        match action:
            case actions.Rematch():
                return self._rematch(action, seats, now)
            case _ if self.ending is not None:
                raise Refusal(Code.OVER, "the game is over")
            case actions.Abort():
                return self._abort(seats, now)
            case actions.ChooseFirst():
                return self._say_who_begins(action, seats, now)
            case _ if self.game is None:
                raise Refusal(Code.NOT_BEGUN, "the game has not begun")
            case actions.PlayMove():
                return self._move(action.move, seats, now)
            case actions.Undo():
                return self._undo(seats, now)
            case actions.AcceptUndo():
                asking = self._asked_of(seats)
                return self._take_back([asking], seats[0], now)
            case actions.DeclineUndo():
                self._asked_of(seats)
                return self._event(Kind.DECLINE, seats[0], now)
            case actions.Resign():
                return self._end(Kind.RESIGN, self._acting(seats), now)
            case actions.ClaimWin():
                return self._claim(seats, now, gone)
            case actions.FlagTimeout():
                event = self.overdue(now)
                if event is None:
                    raise Refusal(Code.TIME_LEFT, "there is time left, or no clock")
                return event
            case _:
                assert_never(action)

    def _move(self, text: str, seats: list[int], now: int) -> Event:
        position = self._game().position
        if position.turn not in seats:
            raise Refusal(Code.NOT_YOUR_TURN, f"seat {position.turn} decides")
        try:
            move = parse_move(position, text)
        except NotationError as error:
            raise Refusal(Code.ILLEGAL_MOVE, str(error), error.reason) from error
        return self._move_event(move, now)

    def _move_event(self, move: Move, now: int) -> Event:
        seat = self._game().position.turn
        event = self._event(Kind.MOVE, seat, now, str(move))
        return replace(event, clocks=self._after_decision(seat, now), move=move)

    def _after_decision(self, seat: int, now: int) -> tuple[int, int] | None:
        clock = self.terms.clock
        if clock is None:
            return None
        left = list(self.clocks(now))
        left[seat] = clock.after_decision(left[seat])
        return left[0], left[1]

    def _undo(self, seats: list[int], now: int) -> Event:
        if self.seq >= UNDO_LIMIT:
            raise Refusal(Code.TOO_MANY, "too much has been taken back in this game")
        if self.terms.opponent is not Opponent.FRIEND:
            return self._take_back(seats, seats[0], now)
        if self.asking is not None:
            raise Refusal(Code.ALREADY_ASKED, "a request to take a decision back is still open")
        self._decided_last(seats)
        return self._event(Kind.ASK, seats[0], now)

    def _asked_of(self, seats: list[int]) -> int:
        if self.asking is None or self.asking in seats:
            raise Refusal(Code.NOT_ASKED, "the other player has not asked to take a decision back")
        return self.asking

    def _take_back(self, deciders: list[int], by: int, now: int) -> Event:
        """Takes back the last decision of some seats, and everything after it."""
        kept = self._decided_last(deciders)
        clock = self.terms.clock
        clocks = self.clocks(now) if clock else None
        if clock and clock.renewed:
            clocks = (clock.allowance, clock.allowance)
        return replace(self._event(Kind.TAKEBACK, by, now, str(kept)), clocks=clocks)

    def _decided_last(self, deciders: list[int]) -> int:
        """Returns how many moves came before the last decision of some seats."""
        for number, seat in reversed(list(enumerate(self._deciders()))):
            if seat in deciders:
                return number
        raise Refusal(Code.NOTHING_TO_UNDO, "there is no decision to take back")

    def _deciders(self) -> list[int]:
        """Returns the seat that made each move."""
        game = self._game()
        return [position.turn for position, _ in zip(game.positions(), game.moves, strict=False)]

    def _has_moved(self, seat: int) -> bool:
        return self.game is not None and seat in self._deciders()

    def _unless_too_early(self, kind: Kind) -> Kind:
        """Returns how a game ends that somebody leaves: without a winner until both have moved."""
        return kind if self._has_moved(0) and self._has_moved(1) else Kind.ABORT

    def _abort(self, seats: list[int], now: int) -> Event:
        if self._has_moved(0) and self._has_moved(1):
            raise Refusal(Code.TOO_LATE_TO_ABORT, "both have moved; resign instead")
        return self._end(Kind.ABORT, self._acting(seats), now)

    def _say_who_begins(self, action: actions.ChooseFirst, seats: list[int], now: int) -> Event:
        if self.first is not None:
            raise Refusal(Code.ALREADY_BEGUN, f"seat {self.first} begins")
        return self._event(Kind.BEGIN, seats[0], now, str(action.first))

    def _claim(self, seats: list[int], now: int, gone: Set[int]) -> Event:
        other = 1 - seats[0]
        if len(seats) == 2 or other not in gone:
            raise Refusal(Code.NOT_GONE, "the other player is not gone, or not for long enough")
        return self._end(self._unless_too_early(Kind.CLAIM), seats[0], now)

    def _rematch(self, action: actions.Rematch, seats: list[int], now: int) -> Event:
        if self.ending is None:
            raise Refusal(Code.NOT_OVER, "the game is not over")
        if self.next is not None:
            raise Refusal(Code.STALE, "the next game has been opened")
        other = 1 - seats[0]
        if self.terms.opponent is not Opponent.FRIEND or other in self.rematch_requests:
            return self._event(
                Kind.NEXT, seats[0], now, self.rematch_requests.get(other, action.circle)
            )
        occupant = self.seats[other]
        if occupant is None or occupant.player is None:
            raise Refusal(Code.NOT_BEGUN, "there is no opponent to play again with")
        if seats[0] in self.rematch_requests:
            raise Refusal(Code.ALREADY_ASKED, "the request to play again is known already")
        return self._event(Kind.REMATCH, seats[0], now, action.circle)

    def _acting(self, seats: list[int]) -> int:
        """Returns the seat that acts; if a player has both, the one to decide."""
        return self.turn if self.turn in seats and self.turn is not None else seats[0]

    def _end(self, kind: Kind, seat: int, now: int) -> Event:
        """Returns an event that ends the game and stops the clock."""
        clocks = self.clocks(now) if self.terms.clock else None
        return replace(self._event(kind, seat, now), clocks=clocks)

    def _event(
        self, kind: Kind, seat: int, now: int, data: str = "", player: str | None = None
    ) -> Event:
        # Earlier events may come from a server whose clock was ahead, or from before a correction.
        at = max(now, self.events[-1].at) if self.events else now
        return Event(self.seq + 1, kind, seat, at, data, player=player)
