"""Identity without accounts: a player is a random id, signed so that nobody can forge it.

A browser keeps it in a cookie, a bot sends it as a bearer token, and a carry link takes it to
another device. ``players`` knows which of these have been revoked.
"""

import hmac
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe
from time import time

from starlette.datastructures import Headers
from starlette.requests import cookie_parser

COOKIE = "patchwork"
COOKIE_SECONDS = 400 * 24 * 60 * 60
"""The longest time for which browsers keep a cookie (RFC 6265bis)."""
_PLAYER_BYTES = 16
"""Of randomness in a player's id: too many to guess."""


class Signer:
    """Signs texts; a signature is valid for one purpose only."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def sign(self, purpose: str, text: str) -> str:
        """Returns a token that proves that the text comes from this server."""
        return f"{text}.{self._signature(purpose, text)}"

    def read(self, purpose: str, token: str) -> str | None:
        """Returns the text of a token; None if it was not signed here for this purpose."""
        text, _, signature = token.rpartition(".")
        expected = self._signature(purpose, text)
        return text if hmac.compare_digest(signature.encode(), expected.encode()) else None

    def _signature(self, purpose: str, text: str) -> str:
        digest = hmac.digest(self._secret, f"{purpose}:{text}".encode(), sha256)
        return urlsafe_b64encode(digest).rstrip(b"=").decode()


def unix_time() -> int:
    """Returns the time of the machine, in milliseconds since 1970, by which links expire."""
    return int(time() * 1000)


def new_player() -> str:
    """Returns a new random id."""
    return token_urlsafe(_PLAYER_BYTES)


@dataclass(frozen=True, slots=True)
class Credential:
    """What a token proves."""

    player: str
    key: str = ""
    """The key of the player's tokens when it was made; changing the key revokes them all."""
    day: int = 0
    """When it was made, in days since 1970; 0 for old tokens that do not say so."""


def token_of(signer: Signer, credential: Credential) -> str:
    """Returns the token that a client sends to be recognised."""
    return signer.sign("token", f"{credential.player}.{credential.key}.{credential.day}")


def read_token(signer: Signer, token: str) -> Credential | None:
    """Returns what a token proves; None if it was not made here."""
    text = signer.read("token", token)
    if text is not None:
        player, key, day = text.rsplit(".", 2)
        return Credential(player, key, int(day))
    player_alone = signer.read("player", token)  # the format before tokens could be revoked
    return None if player_alone is None else Credential(player_alone)


def bearer_token(headers: Headers) -> str | None:
    """Returns the token of an Authorization header; browsers send none."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def credential_of(signer: Signer, headers: Headers) -> Credential | None:
    """Returns what the headers of a request prove; None if they prove nothing.

    Raises:
        PermissionError: there is a bearer token that is not from this server.
    """
    token = bearer_token(headers)
    if token is None:
        return read_token(signer, cookie_parser(headers.get("cookie", "")).get(COOKIE, ""))
    credential = read_token(signer, token)
    if credential is None:
        raise PermissionError("the bearer token is not one of this server")
    return credential


def carry_token(signer: Signer, credential: Credential, expires: int) -> str:
    """Returns the token of a carry link, which makes another device the same player."""
    return signer.sign("carry", f"{credential.player}.{credential.key}.{expires}")


def read_carry_token(signer: Signer, token: str, now: int) -> Credential | None:
    """Returns who made the token of a carry link; None if it is invalid or has expired."""
    text = signer.read("carry", token)
    if text is None or text.count(".") < 2:
        return None
    player, key, expires = text.rsplit(".", 2)
    return Credential(player, key) if now < int(expires) else None
