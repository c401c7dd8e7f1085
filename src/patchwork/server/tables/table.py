"""A live table: handles one action at a time, stores what it leads to, then announces it.

This order is what the server guarantees: an event is in the database before anyone hears of it. The
match in memory is ahead of the database only while the lock is held. When storing fails, or when it
is unknown whether it did, the match is dropped and read again from the database.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import replace
from typing import TypeAlias

from patchwork.rules.moves import MOST_LEGAL_MOVES
from patchwork.server import presenter, wire
from patchwork.server.engines.fair_queue import Requester
from patchwork.server.engines.pool import Busy, Failed
from patchwork.server.game.actions import Action, FlagTimeout
from patchwork.server.game.events import Event, Kind
from patchwork.server.game.match import Match
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.game.terms import SECOND, Opponent
from patchwork.server.services import Services
from patchwork.server.store import Conflict, StoredGame, Unavailable
from patchwork.server.tables.computer import ComputerPlayer
from patchwork.server.tables.opening import next_game
from patchwork.server.tables.presence import Presence
from patchwork.server.tables.subscriber import Subscriber
from patchwork.server.tables.subscribers import Subscribers

_log = logging.getLogger(__name__)

_RETRY_SECONDS = 3.0
"""Until a table tries again after the database has failed."""
_AFTER_DEADLINE = 0.001
"""Seconds after a deadline at which the table looks: timers may be a little early."""
_BYE_RETRY = SECOND
"""After which clients come back to a server that stops."""

GameQuota: TypeAlias = Callable[[], AbstractContextManager[None]]
"""Counts a new game while it is opened; raises a refusal if there are too many."""


class NoSuchGame(Exception):
    """There is no game with this id."""


class Table:
    """One game, and those who play or watch it."""

    def __init__(self, game: str, services: Services, forget: Callable[[str], None]) -> None:
        """Makes the table of a game; ``forget`` is called if it turns out not to exist."""
        self.id = game
        self._services = services
        self._forget = forget
        self._lock = asyncio.Lock()
        self._stored: StoredGame | None = None
        self._match: Match | None = None
        """None if it has to be read from the database."""
        self._announced = 0
        """The number of the last event that subscribers know of."""
        self._subscribers = Subscribers(self._opening, self._presence_message, services.pacer)
        self._presence = Presence(services.settings, services.clock.now(), services.clock.pauses)
        self._computer = ComputerPlayer(game, services, self, self._subscribers)
        self._alarm: asyncio.TimerHandle | None = None
        self._actions: set[asyncio.Task[wire.Ack | wire.Refused]] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopped = False

    @property
    def idle(self) -> bool:
        """Whether nobody is here and nothing is going on."""
        busy = self._actions or self._tasks or self._computer.tasks or self._lock.locked()
        return not (self._subscribers or busy)

    # Requests

    async def state(self, requester: Requester) -> wire.State:
        """Returns the complete state.

        Raises:
            NoSuchGame: there is no such game.
            Unavailable: the database does not answer.
        """
        async with self._lock:
            match = await self._requested_by(requester)
            return self._state(match, match.seated(requester.ids))

    async def stored_game(self) -> StoredGame:
        """Returns the game with its log, without waiting for an event that is being stored.

        Raises:
            NoSuchGame, Unavailable: as above.
        """
        if self._match is None or self._stopped:
            async with self._lock:
                await self._loaded()
        assert self._match is not None
        assert self._stored is not None
        return replace(self._stored, events=tuple(self._match.events[: self._announced]))

    async def join(self, requester: Requester, name: str) -> wire.State:
        """Gives the free seat to a player; one who has a seat already keeps it.

        Raises:
            Refusal: there is no free seat.
            NoSuchGame, Unavailable: as above.
        """
        async with self._lock:
            match, player = await self._loaded(), requester.player
            if player is not None and match.seated(requester.ids) is None:
                try:
                    await self.happen(match.join(player, name, self._services.clock.now()))
                except Conflict:
                    raise Refusal(Code.SEATS_TAKEN, "another player took the seat") from None
            return self._state(match, match.seated(requester.ids))

    async def act(
        self, action: Action, requester: Requester, quota: GameQuota = nullcontext
    ) -> wire.Ack | wire.Refused:
        """Carries out an action, once however often it is repeated, or says why not.

        An action that has begun is finished even if the client goes away meanwhile.

        Args:
            action: what the player asks for.
            requester: who asks, and from where.
            quota: counts the next game, if the action opens one.

        Raises:
            NoSuchGame: there is no such game.
        """
        task = asyncio.create_task(self._reply_to(action, requester, quota))
        self._actions.add(task)
        task.add_done_callback(self._actions.discard)
        return await asyncio.shield(task)

    async def _reply_to(
        self, action: Action, requester: Requester, quota: GameQuota
    ) -> wire.Ack | wire.Refused:
        async with self._lock:
            try:
                await self._requested_by(requester)
                return await self._act(action, requester, quota)
            except Refusal as refusal:
                reply = presenter.refused(refusal, action.id)
                if refusal.code is Code.STALE and (match := self._match) is not None:
                    state = self._state(match, match.seated(requester.ids))
                    reply = reply.model_copy(update={"state": state})
            except Unavailable as error:
                reply = presenter.refused(presenter.unavailable(error), action.id)
            self._services.metrics.refused.labels(reply.code).inc()
            return reply

    async def _act(self, action: Action, requester: Requester, quota: GameQuota) -> wire.Ack:
        match = await self._loaded()
        player = match.seated(requester.ids)
        # A player who knows of later events has played through another server.
        if action.seq > match.seq and player is not None:
            self._match = None
            match = await self._loaded()
            player = match.seated(requester.ids)
        now = self._services.clock.now()
        done = match.answered(player, action.id) if player is not None else None
        if done is not None:
            return wire.Ack(id=action.id, seq=done)
        try:
            timeout = match.overdue(now)
            if timeout is not None and not isinstance(action, FlagTimeout):
                await self.happen(timeout)
            gone = self._presence.gone(match, now)
            event = match.respond(action, player, now, gone)
            with quota() if event.kind is Kind.NEXT else nullcontext():
                await self.happen(event)
        except Conflict:  # another server has stored an event, perhaps for this very action
            return await self._act(action, requester, quota)
        return wire.Ack(id=action.id, seq=event.seq)

    async def forget(self, player: str) -> None:
        """Ends the game for a player, and takes the player's name and id out of it.

        Raises:
            NoSuchGame, Unavailable: as above.
        """
        async with self._lock:
            while (match := await self._loaded()).seats_of(player):
                now = self._services.clock.now()
                with suppress(Conflict):  # another server has stored an event: try again
                    ended = match.overdue(now) or match.give_up(player, now)
                    if ended is not None:
                        await self.happen(ended)
                    await self.happen(match.forget(player), forgotten=player)
                    self._match = None  # its log still names the player
            await self._loaded()

    async def hint(self, request: str, requester: Requester) -> wire.Hint:
        """Returns good moves.

        Args:
            request: the id of the request.
            requester: who asks, and from where.

        Raises:
            Refusal: there are no hints here, or the engines are busy.
            NoSuchGame, Unavailable: as above.
        """
        async with self._lock:
            match = await self._requested_by(requester)
            game, seq = match.game, match.seq
            if match.terms.opponent is not Opponent.COMPUTER or not match.seated(requester.ids):
                raise Refusal(Code.NO_HELP, "hints are for players against the computer")
            if game is None:
                raise Refusal(Code.NOT_BEGUN, "the game has not begun")
            if match.ending is not None:
                raise Refusal(Code.OVER, "the game is over")
            if match.computer_decides:
                raise Refusal(Code.NOT_YOUR_TURN, "the computer decides")
            position = game.position
        seed = self._computer.seed(seq)
        try:
            analysis = await self._services.engines.analyse(
                self.id, position, requester, lines=MOST_LEGAL_MOVES, seed=seed, urgent=False
            )
        except (Busy, Failed) as error:
            raise Refusal(Code.BUSY, str(error)) from error
        return presenter.hint(request, seq, position, analysis)

    # Subscribers

    async def subscribe(self, subscriber: Subscriber) -> bool:
        """Sends a subscriber the complete state, and from then on every message.

        Returns:
            Whether it is a player's; otherwise it only watches.

        Raises:
            NoSuchGame, Unavailable: as above.
        """
        if self._match is None or self._match.seated(subscriber.requester.ids):
            async with self._lock:
                match = await self._loaded()
                subscriber.player = match.seated(subscriber.requester.ids)
                if seats := match.seats_of(subscriber.player):
                    self._subscribers.players.add(subscriber)
                    subscriber.send(self._state(match, subscriber.player))
                    if self._computer.progress is not None:
                        subscriber.send(self._computer.progress)
                    self._update(match)
                    self._presence.arrive(seats)
                    self._subscribers.announce_presence()
                    return True
        elif self._stopped:
            raise Unavailable("the table is closed")
        self._subscribers.watchers.add(subscriber)
        self._subscribers.announce_presence()
        return False

    def unsubscribe(self, subscriber: Subscriber, *, on_purpose: bool) -> None:
        """Sends nothing more to a subscriber, whose player may have left on purpose."""
        self._subscribers.remove(subscriber)
        if self._match is None:
            return
        player = subscriber.player
        if player is None or self._subscribers.requester(player) is None:
            self._note_absence(self._match.seats_of(player), on_purpose=on_purpose)
        self._subscribers.announce_presence()

    def disconnect(self, player: str) -> None:
        """Ends the connections of all who have rights here as a player."""
        found = [each for each in self._subscribers if player in each.requester.ids]
        left = {each.player for each in found}
        for subscriber in found:
            subscriber.forget_player()
            subscriber.close()
        if found and self._match is not None:
            for each in left - {each.player for each in self._subscribers.players}:
                self._note_absence(self._match.seats_of(each), on_purpose=False)
            self._subscribers.announce_presence()

    async def send_state(self, subscriber: Subscriber) -> None:
        """Sends the complete state again.

        Raises:
            NoSuchGame, Unavailable: as above.
        """
        if subscriber in self._subscribers.watchers:
            self._subscribers.watchers.add(subscriber)
        else:
            subscriber.send(await self.state(subscriber.requester))

    def pong(self, subscriber: Subscriber) -> wire.Pong:
        """Returns the answer to a ping, after all events that it knows of have been sent."""
        if subscriber in self._subscribers.watchers:
            self._subscribers.watchers.catch_up(subscriber)
        return wire.Pong(seq=self._announced)

    # What the server does by itself

    async def wake(self) -> None:
        """Lets the computer continue, and ends a game whose time is up.

        Raises:
            NoSuchGame, Unavailable: as above.
        """
        async with self._lock:
            match = await self._loaded()
            timeout = match.overdue(self._services.clock.now())
            if timeout is None:
                self._update(match)
            else:
                with suppress(Conflict):
                    await self.happen(timeout)

    async def reload(self, player: str) -> None:
        """Reads the game again if a player has a seat, who may be deleted through another server.

        Raises:
            NoSuchGame, Unavailable: as above.
        """
        if self._match is not None and self._match.seats_of(player):
            async with self._lock:
                self._match = None
                await self._loaded()

    async def stop(self) -> None:
        """Closes the table once what is being stored is stored."""
        async with self._lock:
            self._stopped = True
            self._cancel_alarm()
            tasks = [*self._tasks, *self._computer.tasks]
            for task in tasks:
                task.cancel()
            await self._subscribers.close(wire.Bye(retry=_BYE_RETRY))
        await asyncio.gather(*tasks, *self._actions, return_exceptions=True)

    @asynccontextmanager
    async def locked(self) -> AsyncIterator[Match]:
        """Enters the lock and yields the match.

        Raises:
            NoSuchGame, Unavailable: as above.
        """
        async with self._lock:
            yield await self._loaded()

    # With the lock held

    async def happen(self, event: Event, forgotten: str | None = None) -> None:
        """Stores an event, with the lock held, then announces it.

        Args:
            event: the next event.
            forgotten: a player who is taken out of the log together with it.

        Raises:
            Conflict: another server has stored an event.
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
        metrics = self._services.metrics
        try:
            with metrics.commit_seconds.time(), self._services.pacer.storing():
                status = match.status()
                await self._services.store.append(self.id, event, status, following, forgotten)
        except BaseException:  # even if cancelled: it is unknown whether the event is stored
            self._match = None
            self._set_alarm(_RETRY_SECONDS)  # the table finds out, even if nobody asks
            raise
        metrics.events_stored.labels(event.kind).inc()
        self._announced = event.seq
        self._subscribers.broadcast(presenter.happened(match, event, self._services.clock.now()))
        if event.kind is Kind.JOIN:
            self._promote_watchers(match)
        if event.kind in (Kind.JOIN, Kind.BEGIN):  # players may be late, but not before the game
            self._count_present(match)
        self._update(match)

    async def _requested_by(self, requester: Requester) -> Match:
        """Returns the match, for a request that shows that its player is here."""
        match = await self._loaded()
        if match.terms.opponent is Opponent.COMPUTER and match.seated(requester.ids):
            self._computer.note_request(requester)
            self._update(match)
        return match

    async def _loaded(self) -> Match:
        if self._stopped:
            raise Unavailable("the table is closed")
        if self._match is None:
            self._stored = await self._services.store.load(self.id)
            if self._stored is None:
                self._forget(self.id)
                raise NoSuchGame(self.id)
            pauses = self._services.clock.pauses
            self._match = Match(self._stored.terms, self._stored.events, pauses=pauses)
            if self._match.seq != self._announced:
                for subscriber in self._subscribers.players:
                    subscriber.send(self._state(self._match, subscriber.player))
                self._subscribers.watchers.send_state()
                self._promote_watchers(self._match)
            self._announced = self._match.seq
            self._count_present(self._match)
            self._update(self._match)
        return self._match

    def _promote_watchers(self, match: Match) -> None:
        """Makes players of watchers who have a seat now."""
        watchers = self._subscribers.watchers
        for subscriber in watchers:
            if player := match.seated(subscriber.requester.ids):
                subscriber.player = player
                up_to_date = watchers.catch_up(subscriber)
                watchers.remove(subscriber)
                self._subscribers.players.add(subscriber)
                if not up_to_date:
                    subscriber.send(self._state(match, subscriber.player))

    def _count_present(self, match: Match) -> None:
        """Notes who is here; the absence of the others begins now."""
        players = self._subscribers.players
        here = {seat for subscriber in players for seat in match.seats_of(subscriber.player)}
        self._presence.arrive(here)
        self._presence.leave({0, 1} - here, self._services.clock.now(), on_purpose=False)
        self._subscribers.announce_presence()

    def _update(self, match: Match) -> None:
        """Sets the alarm, and starts or stops the computer."""
        self._cancel_alarm()
        times = (match.deadline, self._computer.request_ends(match))
        if due := [time for time in times if time is not None]:
            left = max(0, min(due) - self._services.clock.now())
            self._set_alarm(left / SECOND + _AFTER_DEADLINE)
        if not self._stopped:
            self._computer.update(match)

    # Without it

    def _note_absence(self, seats: Collection[int], *, on_purpose: bool) -> None:
        """Notes that whoever has these seats is no longer here."""
        self._presence.leave(seats, self._services.clock.now(), on_purpose=on_purpose)
        if seats:
            self._computer.forget_request()
            if self._match is not None and self._match.computer_decides and not self._stopped:
                self._ring()  # nobody waits for the computer any more

    def _cancel_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _set_alarm(self, seconds: float) -> None:
        self._cancel_alarm()
        if not self._stopped:
            self._alarm = asyncio.get_running_loop().call_later(seconds, self._ring)

    def _ring(self) -> None:
        task = asyncio.create_task(self._wake_or_retry())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _wake_or_retry(self) -> None:
        try:
            await self.wake()
        except Unavailable as error:
            _log.warning("the table waits for the database: %s", error, extra={"table": self.id})
            self._set_alarm(_RETRY_SECONDS)

    # Messages

    def _presence_message(self) -> wire.Presence | None:
        if self._match is None:
            return None
        watchers = len(self._subscribers.watchers)
        return self._presence.message(self._match, watchers, self._services.clock.now())

    async def _opening(self) -> list[str]:
        """Returns what watchers receive first, serialised once for all who come together."""
        async with self._lock:
            try:
                match = await self._loaded()
            except NoSuchGame:
                for subscriber in self._subscribers.watchers:
                    subscriber.close()
                return []
            messages = (self._state(match, None), self._presence_message(), self._computer.progress)
            return [message.model_dump_json() for message in messages if message is not None]

    def _state(self, match: Match, player: str | None) -> wire.State:
        assert self._stored is not None
        now = self._services.clock.now()
        return presenter.state(self.id, self._stored.created, match, player, now)
