"""A live table: takes actions one at a time, stores what they become, then tells everybody.

The order is the promise of the server: an event is in the database before anybody hears of it. The
match in memory runs ahead of the database only while the lock is held; when storing fails, or it
is unknown whether it did, the match is dropped and read again from the database.
"""

import asyncio
import logging
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256

from patchwork.rules.setup import SEEDS
from patchwork.server import wire
from patchwork.server.engines.fair_queue import Requester
from patchwork.server.engines.pool import Busy, EnginePool, Failed, Progress
from patchwork.server.game.actions import Action, FlagTimeout
from patchwork.server.game.clocks import Pauses
from patchwork.server.game.events import Event, Kind
from patchwork.server.game.match import Match
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.game.terms import MINUTE, Opponent
from patchwork.server.ops.metrics import Metrics
from patchwork.server.ops.pacing import Turns
from patchwork.server.settings import Settings
from patchwork.server.store import Conflict, Store, StoredGame, Unavailable
from patchwork.server.tables import presenter
from patchwork.server.tables.audience import Audience
from patchwork.server.tables.listener import Listener
from patchwork.server.tables.opening import next_game
from patchwork.server.tables.presence import Presence

_log = logging.getLogger(__name__)

_PATIENCE = 3.0
"""Seconds until a table tries again after the computer or the database failed."""
_GATHERING = 0.05
"""Seconds in which comings and goings are gathered, so that a crowd is told of in one message."""
_TOLD_OF = 1000
"""Listeners of an audience that are told of comings and goings in a second."""
_AROUND = MINUTE
"""How long a player who asks for something without listening is taken to be at the table."""
_RETRY = 1000
"""Milliseconds after which clients come back to a server that stopped."""

Opening = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class House:
    """What all tables share."""

    settings: Settings
    store: Store
    engines: EnginePool
    metrics: Metrics
    now: Callable[[], int]
    """The time in milliseconds."""
    pauses: Pauses
    """When no clock runs."""
    turns: Turns


class NoSuchGame(Exception):
    """There is no such game."""


class Table:
    """One game and those who play or watch it."""

    def __init__(self, game: str, house: House, forget: Callable[[str], None]) -> None:
        """Makes the table of a game; ``forget`` is told when there is no such game."""
        self.id = game
        self._house = house
        self._forget = forget
        self._lock = asyncio.Lock()
        self._stored: StoredGame | None = None
        self._match: Match | None = None
        """None: to be read from the database."""
        self._told = 0
        """The last event that players know of."""
        self._players: set[Listener] = set()
        self._audience = Audience(self._opening, house.turns)
        self._presence = Presence(house.settings, house.now(), house.pauses)
        self._alarm: asyncio.TimerHandle | None = None
        self._telling: asyncio.TimerHandle | None = None
        self._telling_audience: asyncio.TimerHandle | None = None
        self._actions: set[asyncio.Task[wire.Ack | wire.Refused]] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._thinking: asyncio.Task[None] | None = None
        self._stopped = False
        self._asked: tuple[Requester, int] | None = None
        """The player who last asked for something, and when."""
        self._thinks_for = Requester(None, None)
        self._progress: wire.Thinking | None = None
        """How far the computer is with its move, once that is known."""

    @property
    def idle(self) -> bool:
        """Whether nobody is here and nothing is going on."""
        doing = self._actions or self._tasks or self._thinking or self._lock.locked()
        return not (self._players or self._audience or doing)

    # What people ask for

    async def state(self, requester: Requester) -> wire.State:
        """Returns all there is to know.

        Raises:
            NoSuchGame: there is no such game.
            Unavailable: the database does not answer.
        """
        async with self._lock:
            return self._state(await self._asked_by(requester), requester.player)

    async def log(self) -> StoredGame:
        """Returns the game as its log tells it, without waiting for what is being stored.

        Raises:
            NoSuchGame, Unavailable: as above.
        """
        if self._match is None or self._stopped:
            async with self._lock:
                await self._loaded()
        assert self._match is not None
        assert self._stored is not None
        return replace(self._stored, events=tuple(self._match.events[: self._told]))

    async def join(self, player: str, name: str) -> wire.State:
        """Gives somebody the free seat; who sits already stays where they are.

        Raises:
            Refusal: there is no free seat.
            NoSuchGame, Unavailable: as above.
        """
        async with self._lock:
            match = await self._loaded()
            if not match.seats_of(player):
                try:
                    await self._happen(match.join(player, name, self._house.now()))
                except Conflict:
                    raise Refusal(Code.SEATS_TAKEN, "somebody else was faster") from None
            return self._state(await self._loaded(), player)

    async def act(
        self, action: Action, requester: Requester, opening: Opening = nullcontext
    ) -> wire.Ack | wire.Refused:
        """Does what a player asks for, once however often it is repeated, or says why not.

        What has begun is finished even if the one who asks goes away meanwhile.

        Args:
            action: what is asked for.
            requester: who asks, and from where.
            opening: what another game is opened in, if one is; it may raise a refusal.

        Raises:
            NoSuchGame: there is no such game.
        """
        task = asyncio.create_task(self._answer(action, requester, opening))
        self._actions.add(task)
        task.add_done_callback(self._actions.discard)
        return await asyncio.shield(task)

    async def _answer(
        self, action: Action, requester: Requester, opening: Opening
    ) -> wire.Ack | wire.Refused:
        player = requester.player
        async with self._lock:
            try:
                await self._asked_by(requester)
                return await self._act(action, player, opening)
            except Refusal as refusal:
                answer = presenter.refused(refusal, action.id)
                if refusal.code is Code.STALE and self._match is not None:
                    answer = answer.model_copy(update={"state": self._state(self._match, player)})
            except Unavailable as error:
                answer = presenter.refused(presenter.unavailable(error), action.id)
            self._house.metrics.refused.labels(answer.code).inc()
            return answer

    async def _act(self, action: Action, player: str | None, opening: Opening) -> wire.Ack:
        match = await self._loaded()
        # A player who knows more has played on another server.
        if action.seq > match.seq and match.seats_of(player):
            self._match = None
            match = await self._loaded()
        now = self._house.now()
        done = match.answered(player, action.id) if player is not None else None
        if done is not None:
            return wire.Ack(id=action.id, seq=done)
        try:
            late = match.overdue(now)
            if late is not None and not isinstance(action, FlagTimeout):
                await self._happen(late)
            gone = self._presence.gone(match, now)
            event = match.respond(action, player, now, gone)
            with opening() if event.kind is Kind.NEXT else nullcontext():
                await self._happen(event)
        except Conflict:  # the log has gone on elsewhere, perhaps with this very action
            return await self._act(action, player, opening)
        return wire.Ack(id=action.id, seq=event.seq)

    async def forget(self, player: str) -> None:
        """Gives up for a player, whose name and id are then taken out of the game.

        Raises:
            NoSuchGame, Unavailable: as above.
        """
        async with self._lock:
            while (match := await self._loaded()).seats_of(player):
                now = self._house.now()
                with suppress(Conflict):  # the log has gone on elsewhere
                    ended = match.overdue(now) or match.give_up(player, now)
                    if ended is not None:
                        await self._happen(ended)
                    await self._happen(match.forget(player), forgotten=player)
                    self._match = None  # the log in memory still knows
            await self._loaded()

    async def hint(self, request: wire.AskHint, requester: Requester) -> wire.Hint:
        """Returns good moves.

        Raises:
            Refusal: there is no help here, or too much to do.
            NoSuchGame, Unavailable: as above.
        """
        async with self._lock:
            match = await self._asked_by(requester)
            game, seq = match.game, match.seq
            if match.terms.opponent is not Opponent.COMPUTER or not match.seats_of(
                requester.player
            ):
                raise Refusal(Code.NO_HELP, "hints are for players against the computer")
            if game is None:
                raise Refusal(Code.NOT_BEGUN, "the game has not begun")
            if match.ending is not None:
                raise Refusal(Code.OVER, "the game is over")
            if match.computer_decides:
                raise Refusal(Code.NOT_YOUR_TURN, "the computer decides")
            position = game.position
        try:
            analysis = await self._house.engines.analyse(
                self.id, position, requester, lines=3, seed=self._seed(seq), urgent=False
            )
        except (Busy, Failed) as error:
            raise Refusal(Code.BUSY, str(error)) from error
        return wire.Hint(id=request.id, seq=seq, thought=presenter.thought(analysis))

    # Who is here

    async def enter(self, listener: Listener) -> bool:
        """Lets somebody listen: first to the whole state, then to whatever happens.

        Returns:
            Whether they play, and do not only watch.

        Raises:
            NoSuchGame, Unavailable: as above.
        """
        if self._match is None or self._match.seats_of(listener.player):
            async with self._lock:
                match = await self._loaded()
                seats = match.seats_of(listener.player)
                if seats:
                    self._players.add(listener)
                    listener.tell(self._state(match, listener.player))
                    if self._progress is not None:
                        listener.tell(self._progress)
                    self._go_on(match)
                    self._presence.come(seats)
                    self._tell_presence()
                    return True
        elif self._stopped:
            raise Unavailable("the table is closed")
        self._audience.begin(listener)
        self._tell_presence()
        return False

    def leave(self, listener: Listener, *, on_purpose: bool) -> None:
        """Forgets somebody."""
        self._audience.leave(listener)
        self._players.discard(listener)
        if self._match is None:
            return
        if all(other.player != listener.player for other in self._players):
            self._note_absence(self._match.seats_of(listener.player), on_purpose=on_purpose)
        self._tell_presence()

    def dismiss(self, player: str) -> None:
        """Ends the connections of a player, who is nobody there from now on, however slow."""
        found = [one for one in (*self._players, *self._audience) if one.player == player]
        for listener in found:
            listener.forget()
            listener.end()
        if found and self._match is not None:
            self._note_absence(self._match.seats_of(player), on_purpose=False)
            self._tell_presence()

    async def look_again(self, player: str) -> None:
        """Reads the game again if a player sits here, who was perhaps forgotten elsewhere.

        Raises:
            NoSuchGame, Unavailable: as above.
        """
        if self._match is not None and self._match.seats_of(player):
            async with self._lock:
                self._match = None
                await self._loaded()

    async def sync(self, listener: Listener) -> None:
        """Tells somebody the whole state again.

        Raises:
            NoSuchGame, Unavailable: as above.
        """
        if listener in self._audience:
            self._audience.begin(listener)
        else:
            listener.tell(await self.state(listener.requester))

    def pong(self, listener: Listener) -> wire.Pong:
        """Returns the answer to a ping; what it tells of has been told before."""
        if listener in self._audience:
            self._audience.catch_up(listener)
        return wire.Pong(seq=self._told)

    # What goes on by itself

    async def wake(self) -> None:
        """Lets the computer go on, and ends a game whose time is over.

        Raises:
            NoSuchGame, Unavailable: as above.
        """
        async with self._lock:
            match = await self._loaded()
            late = match.overdue(self._house.now())
            if late is None:
                self._go_on(match)
            else:
                with suppress(Conflict):
                    await self._happen(late)

    async def stop(self) -> None:
        """Says goodbye, after what is being stored is stored; nothing happens here any more."""
        async with self._lock:
            self._stopped = True
            self._rest()
            tasks = [*self._tasks, *([self._thinking] if self._thinking else [])]
            for task in tasks:
                task.cancel()
            await self._audience.close()
            bye = wire.Bye(retry=_RETRY).model_dump_json()
            for listener in (*self._players, *self._audience):
                listener.tell_text(bye)
                listener.end()
        await asyncio.gather(*tasks, *self._actions, return_exceptions=True)

    # Inside, with the lock held

    async def _asked_by(self, requester: Requester) -> Match:
        """Returns the game to somebody who asks for something, and so is at the table."""
        match = await self._loaded()
        if match.terms.opponent is Opponent.COMPUTER and match.seats_of(requester.player):
            self._asked = requester, self._house.now()
            self._go_on(match)
        return match

    async def _loaded(self) -> Match:
        if self._stopped:
            raise Unavailable("the table is closed")
        if self._match is None:
            self._stored = await self._house.store.load(self.id)
            if self._stored is None:
                self._forget(self.id)
                raise NoSuchGame(self.id)
            self._match = Match(self._stored.terms, self._stored.events, pauses=self._house.pauses)
            if self._match.seq != self._told:
                for listener in self._players:
                    listener.tell(self._state(self._match, listener.player))
                self._audience.begin_again()
                self._let_play(self._match)
            self._told = self._match.seq
            self._count_present(self._match)
            self._go_on(self._match)
        return self._match

    async def _happen(self, event: Event, forgotten: str | None = None) -> Event:
        """Stores an event, and who is forgotten by it, then tells everybody.

        Raises:
            Conflict: the log has gone on elsewhere.
            Unavailable: the database does not answer; the event may or may not be stored.
        """
        match = self._match
        assert match is not None
        following = None
        if event.kind is Kind.NEXT:
            game = next_game(self.id, match, event.data, event.at)
            following = (game, Match(game.terms, game.events).status())
            event = replace(event, data=game.id)
        match.apply(event)
        try:
            with self._house.metrics.commit_seconds.time(), self._house.turns.storing():
                status = match.status()
                await self._house.store.append(self.id, event, status, following, forgotten)
        except BaseException:  # cancelled ones too: whether the event is stored is then unknown
            self._match = None
            self._ring_in(_PATIENCE)  # somebody has to find out, even if nobody asks
            raise
        self._house.metrics.events_stored.labels(event.kind).inc()
        self._told = event.seq
        self._broadcast(presenter.happened(match, event, self._house.now()))
        if event.kind is Kind.JOIN:
            self._let_play(match)
        if event.kind in (Kind.JOIN, Kind.BEGIN):  # who was not there before the game is not gone
            self._count_present(match)
        self._go_on(match)
        return event

    def _let_play(self, match: Match) -> None:
        """Makes players of those who watched and have a seat now."""
        for listener in self._audience:
            if match.seats_of(listener.player):
                heard_all = self._audience.catch_up(listener)
                self._audience.leave(listener)
                self._players.add(listener)
                if not heard_all:
                    listener.tell(self._state(match, listener.player))

    def _count_present(self, match: Match) -> None:
        """Notes and tells who is here; the absence of the others begins now."""
        here = {seat for listener in self._players for seat in match.seats_of(listener.player)}
        self._presence.come(here)
        self._presence.go({0, 1} - here, self._house.now(), on_purpose=False)
        self._tell_presence()

    def _note_absence(self, seats: Collection[int], *, on_purpose: bool) -> None:
        """Notes that whoever has some seats is not here any more."""
        self._presence.go(seats, self._house.now(), on_purpose=on_purpose)
        if seats:
            self._asked = None
            if self._match is not None and self._match.computer_decides and not self._stopped:
                self._ring()  # nobody waits for it any more

    def _go_on(self, match: Match) -> None:
        """Sets the alarm for the time, and the computer to work for those who are here."""
        self._rest()
        requester, now = self._waits_for_computer(match), self._house.now()
        moments = [] if match.deadline is None else [match.deadline]
        if requester is not None and self._asked is not None and requester is self._asked[0]:
            moments.append(self._asked[1] + _AROUND)
        if moments:
            self._ring_in(max(0, min(moments) - now) / 1000 + 0.001)
        if self._thinking is not None and self._thinking is not asyncio.current_task():
            begun = self._progress is not None and self._progress.waiting == 0
            wanted = match.computer_decides and (
                begun
                or (requester is not None and requester.is_present == self._thinks_for.is_present)
            )
            if not wanted:  # a thought that has begun is soon there, even if a page is reloaded
                self._thinking.cancel()
                self._thinking = self._progress = None
        if requester is not None and self._thinking is None and not self._stopped:
            self._thinking = asyncio.create_task(self._think())

    def _waits_for_computer(self, match: Match) -> Requester | None:
        """Returns for whom the computer is to think; None: for nobody.

        A game with a clock goes on without its player.
        """
        if not match.computer_decides:
            return None
        player = next(occupant.player for occupant in match.seats if occupant and occupant.player)
        for listener in self._players:
            if listener.player == player:
                return listener.requester
        if self._asked is not None and self._house.now() < self._asked[1] + _AROUND:
            return self._asked[0]
        return None if match.terms.clock is None else Requester(player, None)

    def _rest(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _ring_in(self, seconds: float) -> None:
        self._rest()
        if not self._stopped:
            self._alarm = asyncio.get_running_loop().call_later(seconds, self._ring)

    def _ring(self) -> None:
        task = asyncio.create_task(self._flag())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _flag(self) -> None:
        try:
            await self.wake()
        except Unavailable as error:
            _log.warning("the table waits for the database: %s", error, extra={"table": self.id})
            self._ring_in(_PATIENCE)

    async def _think(self) -> None:
        """Moves for the computer until somebody else has to decide."""
        try:
            while await self._move():
                pass
        finally:
            if self._thinking is asyncio.current_task():
                self._thinking = self._progress = None

    async def _move(self) -> bool:
        """Makes a move; returns whether there is, or may be, another one to make."""
        try:
            async with self._lock:
                match = await self._loaded()
                requester = self._waits_for_computer(match)
                if requester is None or match.game is None:
                    return False
                self._thinks_for, self._progress = requester, None
                position, seq = match.game.position, match.seq
            asked = asyncio.get_running_loop().time()
            with self._house.metrics.thought_seconds.time():
                analysis = await self._house.engines.analyse(
                    self.id,
                    position,
                    requester,
                    level=match.terms.level,
                    seed=self._seed(seq),
                    progress=partial(self._tell_progress, match.terms.level, asked),
                )
            async with self._lock:
                match = await self._loaded()
                if match.seq == seq:
                    await self._happen(match.computer_move(analysis.best, self._house.now()))
        except Conflict:
            _log.info("the game has gone on elsewhere", extra={"table": self.id})
        except (Busy, Failed, Unavailable) as error:
            _log.warning("the computer's move fails: %s", error, extra={"table": self.id})
            await asyncio.sleep(_PATIENCE)
        return True

    def _seed(self, seq: int) -> int:
        """Returns a seed of the engine that differs from move to move and from game to game."""
        digest = sha256(f"{self.id} {seq}".encode()).digest()
        return int.from_bytes(digest[:8]) % SEEDS

    # What is said

    def _broadcast(self, message: wire.Message) -> None:
        text = message.model_dump_json()
        self._tell_players(text)
        self._audience.tell(text)

    def _tell_players(self, text: str) -> None:
        for listener in self._players:
            listener.tell_text(text)

    def _tell_progress(self, level: int | None, asked: float, progress: Progress) -> None:
        self._progress = presenter.thinking(progress)
        if progress.share is not None:
            waited = asyncio.get_running_loop().time() - asked
            self._house.metrics.thought_waits.labels(level).observe(waited)
            if progress.share < 1:
                self._house.metrics.thoughts_cut.labels(level).inc()
        self._broadcast(self._progress)

    def _tell_presence(self) -> None:
        """Tells who is here, once for all who come or go at about the same time."""
        loop = asyncio.get_running_loop()
        if self._telling is None:
            self._telling = loop.call_later(_GATHERING, self._tell_players_presence)
        if self._telling_audience is None:
            seconds = max(_GATHERING, len(self._audience) / _TOLD_OF)
            self._telling_audience = loop.call_later(seconds, self._tell_audience_presence)

    def _tell_players_presence(self) -> None:
        self._telling = None
        if self._match is not None:
            self._tell_players(self._view_presence(self._match).model_dump_json())

    def _tell_audience_presence(self) -> None:
        self._telling_audience = None
        if self._match is not None:
            self._audience.tell(self._view_presence(self._match).model_dump_json())

    def _view_presence(self, match: Match) -> wire.Presence:
        return self._presence.view(match, len(self._audience), self._house.now())

    async def _opening(self) -> list[str]:
        """Returns what those begin with who watch, written once for all who come together."""
        async with self._lock:
            try:
                match = await self._loaded()
            except NoSuchGame:
                for listener in self._audience:
                    listener.end()
                return []
            messages: list[wire.Message] = [self._state(match, None), self._view_presence(match)]
            if self._progress is not None:
                messages.append(self._progress)
            return [message.model_dump_json() for message in messages]

    def _state(self, match: Match, player: str | None) -> wire.State:
        assert self._stored is not None
        return presenter.state(self.id, self._stored.created, match, player, self._house.now())
