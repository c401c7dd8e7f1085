"""HEAD, answered wherever GET is: with the same headers and nothing else."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Heads:
    """Asks an application with GET for what HEAD asks for, and keeps the body back."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return
        answered = False

        async def receiving() -> Message:
            # An endless answer, such as a stream of events, ends when nobody is there any more.
            return {"type": "http.disconnect"} if answered else await receive()

        async def sending(message: Message) -> None:
            nonlocal answered
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                answered = True

        await self.app({**scope, "method": "GET"}, receiving, sending)
