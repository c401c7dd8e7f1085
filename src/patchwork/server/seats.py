"""Who a client is, without accounts: a player is a random id, signed so that nobody can forge it.

A browser keeps it in a cookie, a bot sends it as a bearer token, and a private link carries it to
another device.
"""

import hmac
from base64 import urlsafe_b64encode
from hashlib import sha256
from secrets import token_urlsafe

from starlette.datastructures import Headers
from starlette.requests import cookie_parser

COOKIE = "patchwork"
COOKIE_SECONDS = 400 * 24 * 60 * 60
"""The longest that browsers keep a cookie."""


class Signer:
    """Signs texts, each for one purpose."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def sign(self, purpose: str, text: str) -> str:
        """Returns a token that proves where the text comes from."""
        return f"{text}.{self._signature(purpose, text)}"

    def read(self, purpose: str, token: str) -> str | None:
        """Returns the text of a token, if it was signed here for the purpose."""
        text, _, signature = token.rpartition(".")
        expected = self._signature(purpose, text)
        return text if hmac.compare_digest(signature.encode(), expected.encode()) else None

    def _signature(self, purpose: str, text: str) -> str:
        digest = hmac.digest(self._secret, f"{purpose}:{text}".encode(), sha256)
        return urlsafe_b64encode(digest).rstrip(b"=").decode()


def new_player() -> str:
    """Returns an id that nobody can guess and that nobody else has."""
    return token_urlsafe(16)


def player_token(signer: Signer, player: str) -> str:
    """Returns what a client sends to be recognised."""
    return signer.sign("player", player)


def player_of(signer: Signer, headers: Headers) -> str | None:
    """Returns who sent a request, if that can be told.

    Raises:
        PermissionError: it carries a bearer token that is not ours.
    """
    kind, _, token = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        player = signer.read("player", token.strip())
        if player is None:
            raise PermissionError("the bearer token is not one of this server")
        return player
    return signer.read("player", cookie_parser(headers.get("cookie", "")).get(COOKIE, ""))


def carry_token(signer: Signer, player: str, expires: int) -> str:
    """Returns a token that makes another device the same player until it expires."""
    return signer.sign("carry", f"{player}.{expires}")


def carried_player(signer: Signer, token: str, now: int) -> str | None:
    """Returns the player of such a token, if it is sound and in time."""
    text = signer.read("carry", token)
    if text is None:
        return None
    player, _, expires = text.rpartition(".")
    return player if now < int(expires) else None
