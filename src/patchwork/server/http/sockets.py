"""A table's socket: what a client sends is done in order, what happens is sent at once."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from patchwork.server import wire
from patchwork.server.engines.fair_queue import Requester
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.http.requests import action_of
from patchwork.server.ops.limits import Limiter
from patchwork.server.players.identity import Credential
from patchwork.server.services import address_of, context_of, counted_game, renew_cookie
from patchwork.server.store import Unavailable
from patchwork.server.tables import presenter
from patchwork.server.tables.listener import Listener
from patchwork.server.tables.table import NoSuchGame, Table

_MESSAGE: TypeAdapter[wire.FromClient] = TypeAdapter(wire.FromClient)
_WINDOW = 20
"""Seconds in which the messages of a socket are counted."""

_FAREWELL = 5.0
"""Seconds in which what waits for a socket is sent before that is closed."""

DONE, GOING_AWAY, POLICY, TRY_LATER = 1000, 1001, 1008, 1013
"""Codes with which sockets are closed."""


async def live(socket: WebSocket, game: str) -> None:
    """Serves a socket until one side leaves."""
    context = context_of(socket)
    unknown: PermissionError | Unavailable | None = None
    credential = None
    try:
        credential = await context.players.recognise(socket.headers)
    except (PermissionError, Unavailable) as error:
        unknown = error
    await socket.accept(headers=_renewed(socket, credential))
    if socket.query_params.get("v", str(wire.VERSION)) != str(wire.VERSION):
        await _refuse(socket, POLICY, Code.VERSION, f"this server speaks {wire.VERSION}")
        return
    try:
        if unknown is not None:
            raise unknown
        player = credential.player if credential else None
        listener = Listener(Requester(player, address_of(socket)))
        table = context.tables.table(game)
        playing = await table.enter(listener)
        context.players.check(credential)
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
    with context.house.metrics.sockets.track_inprogress():
        await _Socket(socket, table, listener, playing=playing).serve()


def _renewed(socket: WebSocket, credential: Credential | None) -> list[tuple[bytes, bytes]]:
    response = Response()
    renew_cookie(socket, response, credential)
    return [header for header in response.raw_headers if header[0] == b"set-cookie"]


async def _refuse(socket: WebSocket, close: int, code: Code, detail: str) -> None:
    with suppress(WebSocketDisconnect):
        await socket.send_text(presenter.refused(Refusal(code, detail)).model_dump_json())
        await socket.close(close)


class _Socket:
    """A socket that listens to a table."""

    def __init__(
        self, socket: WebSocket, table: Table, listener: Listener, *, playing: bool
    ) -> None:
        self._socket = socket
        self._table = table
        self._listener = listener
        self._settings = settings = context_of(socket).settings
        messages = settings.play_messages if playing else settings.watch_messages
        self._limiter = Limiter(messages, _WINDOW)
        self._leaves = False
        self._code = GOING_AWAY
        """With which the socket is closed."""
        self._hint: asyncio.Task[None] | None = None

    async def serve(self) -> None:
        """Reads and writes until one side leaves, then cleans up."""
        reading = asyncio.create_task(self._read())
        writing = asyncio.create_task(self._write())
        try:
            await asyncio.wait((reading, writing), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._table.leave(self._listener, on_purpose=self._leaves)
            self._listener.end()
            await asyncio.wait((writing,), timeout=_FAREWELL)
            tasks = [task for task in (reading, writing, self._hint) if task is not None]
            for task in tasks:
                task.cancel()
            for result in await asyncio.gather(*tasks, return_exceptions=True):
                # What fails here is an error of ours; that a client left is none.
                if isinstance(result, Exception) and not isinstance(result, WebSocketDisconnect):
                    raise result

    async def _write(self) -> None:
        while (text := await self._listener.next()) is not None:
            await self._socket.send_text(text)
        await self._socket.close(self._code)

    async def _read(self) -> None:
        while not self._leaves:
            try:
                async with asyncio.timeout(self._settings.silence):
                    message = await self._socket.receive()
            except TimeoutError:
                return
            if message["type"] == "websocket.disconnect":
                return
            if not self._limiter.allow(None, monotonic()):
                self._listener.tell(presenter.refused(Refusal(Code.TOO_MANY, "too many messages")))
                self._code = POLICY
                return
            await self._do(message.get("text"))
            await asyncio.sleep(0)  # so that the answer goes out before the next one is made
        self._code = DONE

    async def _do(self, text: str | None) -> None:
        try:
            if text is None:
                raise Refusal(Code.MALFORMED, "messages are text, not bytes")
            try:
                message = _MESSAGE.validate_json(text)
            except ValidationError as error:
                raise Refusal(Code.MALFORMED, problem(error.errors())) from error
            await self._answer(message)
        except Refusal as refusal:
            self._listener.tell(presenter.refused(refusal, _id_in(text)))
        except Unavailable as error:
            self._listener.tell(presenter.refused(presenter.unavailable(error)))

    async def _answer(self, message: wire.FromClient) -> None:
        match message:
            case wire.Ping():
                self._listener.tell(self._table.pong(self._listener))
            case wire.Sync():
                await self._table.sync(self._listener)
            case wire.Leave():
                self._leaves = True
            case wire.AskHint():
                if self._hint is None or self._hint.done():
                    self._hint = asyncio.create_task(self._give_hint(message))
                else:
                    raise Refusal(Code.BUSY, "the last hint is not there yet")
            case _:
                opening = partial(counted_game, self._socket)
                action = action_of(message)
                self._listener.tell(
                    await self._table.act(action, self._listener.requester, opening)
                )

    async def _give_hint(self, request: wire.AskHint) -> None:
        try:
            self._listener.tell(await self._table.hint(request, self._listener.requester))
        except Refusal as refusal:
            self._listener.tell(presenter.refused(refusal, request.id))
        except Unavailable as error:
            self._listener.tell(presenter.refused(presenter.unavailable(error), request.id))


class _Named(BaseModel):
    """Whatever has an id."""

    id: wire.Text


def _id_in(text: str | None) -> str | None:
    """Returns the id of a message that could not be obeyed, if that much can be read."""
    try:
        return _Named.model_validate_json(text or "").id
    except ValidationError:
        return None


def problem(errors: Sequence[Mapping[str, Any]]) -> str:
    """Returns the first thing that is wrong with a message, in short."""
    where = ".".join(map(str, errors[0]["loc"]))
    return f"{where}: {errors[0]['msg']}" if where else str(errors[0]["msg"])
