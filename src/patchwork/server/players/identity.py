"""Who a client is, without accounts: a player is a random id, signed so that nobody can forge it.

A browser keeps it in a cookie, a bot sends it as a bearer token, and a private link carries it to
another device. Whether what was signed still counts, ``players`` knows.
"""

import hmac
from base64 import urlsafe_b64encode
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Credential:
    """What a token says."""

    player: str
    key: str = ""
    """The one that the player's tokens had when it was made; another one revokes them all."""
    day: int = 0
    """When it was made, in days since 1970; 0: before tokens said so."""


def token_of(signer: Signer, credential: Credential) -> str:
    """Returns what a client sends to be recognised."""
    return signer.sign("token", f"{credential.player}.{credential.key}.{credential.day}")


def read_token(signer: Signer, token: str) -> Credential | None:
    """Returns what a token says, if it was made here."""
    text = signer.read("token", token)
    if text is not None:
        player, key, day = text.rsplit(".", 2)
        return Credential(player, key, int(day))
    player_alone = signer.read("player", token)  # as tokens were before they could be revoked
    return None if player_alone is None else Credential(player_alone)


def bearer_token(headers: Headers) -> str | None:
    """Returns the token that a program sends."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def credential_of(signer: Signer, headers: Headers) -> Credential | None:
    """Returns who sent a request, if that can be told.

    Raises:
        PermissionError: it carries a bearer token that is not ours.
    """
    token = bearer_token(headers)
    if token is None:
        return read_token(signer, cookie_parser(headers.get("cookie", "")).get(COOKIE, ""))
    credential = read_token(signer, token)
    if credential is None:
        raise PermissionError("the bearer token is not one of this server")
    return credential


def carry_token(signer: Signer, credential: Credential, expires: int) -> str:
    """Returns a token that makes another device the same player until it expires."""
    return signer.sign("carry", f"{credential.player}.{credential.key}.{expires}")


def carried(signer: Signer, token: str, now: int) -> Credential | None:
    """Returns who made such a token, if it is sound and in time."""
    text = signer.read("carry", token)
    if text is None or text.count(".") < 2:
        return None
    player, key, expires = text.rsplit(".", 2)
    return Credential(player, key) if now < int(expires) else None
