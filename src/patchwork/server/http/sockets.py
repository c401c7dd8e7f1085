"""A table's socket: requests are handled in order; what happens is sent at once."""

import asyncio
from contextlib import suppress
from functools import partial
from time import monotonic

from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from patchwork.server import presenter, wire
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.http.cookies import renew_cookie
from patchwork.server.http.dependencies import address_of, players_of, services_of, tables_of
from patchwork.server.http.errors import problem
from patchwork.server.http.limits import counted_game
from patchwork.server.http.requests import action_of
from patchwork.server.ops.limits import Limiter
from patchwork.server.players.identity import Credential
from patchwork.server.store import Unavailable
from patchwork.server.tables.subscriber import Subscriber
from patchwork.server.tables.table import NoSuchGame, Table

_MESSAGE: TypeAdapter[wire.FromClient] = TypeAdapter(wire.FromClient)
_LIMIT_SECONDS = 20
"""In which the messages of a socket are counted; the settings say how many are allowed."""
_FLUSH_SECONDS = 5.0
"""For which messages that wait are still sent before a socket is closed."""

DONE, GOING_AWAY, POLICY, TRY_LATER = 1000, 1001, 1008, 1013
"""Codes with which sockets are closed (RFC 6455, 7.4.1, and the IANA registry)."""


async def live(socket: WebSocket, game: str) -> None:
    """Serves a socket until one side leaves."""
    players, services = players_of(socket), services_of(socket)
    failure: PermissionError | Unavailable | None = None
    credential = None
    try:
        credential = await players.recognise(socket.headers)
    except (PermissionError, Unavailable) as error:
        failure = error
    await socket.accept(headers=_renewed(socket, credential))
    if socket.query_params.get("v", str(wire.VERSION)) != str(wire.VERSION):
        await _refuse(socket, POLICY, Code.VERSION, f"this server speaks version {wire.VERSION}")
        return
    try:
        if failure is not None:
            raise failure
        requester = await players.requester(credential, address_of(socket))
        subscriber = Subscriber(requester)
        table = tables_of(socket).table(game)
        playing = await table.subscribe(subscriber)
        await players.disconnect_if_changed(credential, requester)
    except PermissionError as error:
        await _refuse(socket, POLICY, Code.FORBIDDEN, str(error))
        return
    except NoSuchGame:
        await _refuse(socket, POLICY, Code.NO_SUCH_TABLE, "there is no such table")
        return
    except Unavailable as error:
        refusal = presenter.unavailable(error)
        await _refuse(socket, TRY_LATER, refusal.code, refusal.detail)
        return
    with services.metrics.sockets.track_inprogress():
        await _Socket(socket, table, subscriber, playing=playing).serve()


def _renewed(socket: WebSocket, credential: Credential | None) -> list[tuple[bytes, bytes]]:
    response = Response()
    renew_cookie(socket, response, credential)
    return [header for header in response.raw_headers if header[0] == b"set-cookie"]


async def _refuse(socket: WebSocket, close: int, code: Code, detail: str) -> None:
    with suppress(WebSocketDisconnect):
        await socket.send_text(presenter.refused(Refusal(code, detail)).model_dump_json())
        await socket.close(close)


class _Socket:
    """A socket that is connected to a table."""

    def __init__(
        self, socket: WebSocket, table: Table, subscriber: Subscriber, *, playing: bool
    ) -> None:
        self._socket = socket
        self._table = table
        self._subscriber = subscriber
        self._settings = settings = services_of(socket).settings
        messages = settings.play_messages if playing else settings.watch_messages
        self._limiter = Limiter(messages, _LIMIT_SECONDS)
        self._left_on_purpose = False
        self._code = GOING_AWAY
        """With which the socket will be closed."""
        self._hint: asyncio.Task[None] | None = None

    async def serve(self) -> None:
        """Reads and writes until one side leaves, then cleans up."""
        reading = asyncio.create_task(self._read())
        writing = asyncio.create_task(self._write())
        try:
            await asyncio.wait((reading, writing), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._table.unsubscribe(self._subscriber, on_purpose=self._left_on_purpose)
            self._subscriber.close()
            await asyncio.wait((writing,), timeout=_FLUSH_SECONDS)
            tasks = [task for task in (reading, writing, self._hint) if task is not None]
            for task in tasks:
                task.cancel()
            for result in await asyncio.gather(*tasks, return_exceptions=True):
                # A client may leave at any time; anything else is a bug.
                if isinstance(result, Exception) and not isinstance(result, WebSocketDisconnect):
                    raise result

    async def _write(self) -> None:
        while (text := await self._subscriber.next()) is not None:
            await self._socket.send_text(text)
        await self._socket.close(self._code)

    async def _read(self) -> None:
        while not self._left_on_purpose:
            try:
                async with asyncio.timeout(self._settings.silence):
                    message = await self._socket.receive()
            except TimeoutError:
                return
            if message["type"] == "websocket.disconnect":
                return
            if not self._limiter.allow(None, monotonic()):
                self._subscriber.send(
                    presenter.refused(Refusal(Code.TOO_MANY, "too many messages"))
                )
                self._code = POLICY
                return
            await self._handle(message.get("text"))
            await asyncio.sleep(0)  # the answer is sent before the next message is handled
        self._code = DONE

    async def _handle(self, text: str | None) -> None:
        try:
            if text is None:
                raise Refusal(Code.MALFORMED, "messages are text, not bytes")
            try:
                message = _MESSAGE.validate_json(text)
            except ValidationError as error:
                raise Refusal(Code.MALFORMED, problem(error.errors())) from error
            await self._answer(message)
        except Refusal as refusal:
            self._subscriber.send(presenter.refused(refusal, _id_in(text)))
        except Unavailable as error:
            self._subscriber.send(presenter.refused(presenter.unavailable(error)))

    async def _answer(self, message: wire.FromClient) -> None:
        match message:
            case wire.Ping():
                self._subscriber.send(self._table.pong(self._subscriber))
            case wire.Sync():
                await self._table.send_state(self._subscriber)
            case wire.Leave():
                self._left_on_purpose = True
            case wire.AskHint():
                if self._hint is None or self._hint.done():
                    self._hint = asyncio.create_task(self._give_hint(message))
                else:
                    raise Refusal(Code.BUSY, "the last hint is not ready yet")
            case _:
                quota = partial(counted_game, self._socket)
                action = action_of(message)
                self._subscriber.send(
                    await self._table.act(action, self._subscriber.requester, quota)
                )

    async def _give_hint(self, request: wire.AskHint) -> None:
        try:
            self._subscriber.send(await self._table.hint(request.id, self._subscriber.requester))
        except Refusal as refusal:
            self._subscriber.send(presenter.refused(refusal, request.id))
        except Unavailable as error:
            self._subscriber.send(presenter.refused(presenter.unavailable(error), request.id))


class _WithId(BaseModel):
    """Any message with an id."""

    id: wire.Text


def _id_in(text: str | None) -> str | None:
    """Returns the id of a message that is refused, if it can be read."""
    try:
        return _WithId.model_validate_json(text or "").id
    except ValidationError:
        return None
