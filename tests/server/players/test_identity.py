"""Forged credentials identify nobody, whatever a request carries."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers

from patchwork.server.players.identity import (
    COOKIE,
    Credential,
    Signer,
    carry_token,
    credential_of,
    new_player,
    read_carry_token,
    token_of,
)

SIGNER = Signer(b"s" * 32)
OTHER = Signer(b"t" * 32)
PLAYER = "jXn-2_0bQm1yO9m9cQpTsA"
ANN = Credential(PLAYER, "3bTm9cQpTsAk", 20_000)
TOKEN = token_of(SIGNER, ANN)
OLD = SIGNER.sign("player", PLAYER)
"""A token in the format from before tokens could be revoked."""
EXPIRES = 1_800_000_000_000


def headers(**fields: str | bytes) -> Headers:
    return Headers(
        raw=[
            (name.encode(), value if isinstance(value, bytes) else value.encode("latin-1"))
            for name, value in fields.items()
        ]
    )


def forgeries() -> list[str]:
    text, _, signature = TOKEN.rpartition(".")
    swapped = signature[:-1] + ("A" if signature[-1] != "A" else "B")
    return [
        "",
        ".",
        "..",
        text,
        f"{text}.",
        f".{signature}",
        f"{text}.{swapped}",
        f"{text}.{signature[:-1]}",
        f"{text}.{signature}=",
        f"{text}.{signature} ",
        f"{text}..{signature}",
        f"{text.lower()}.{signature}",
        f"{text}x.{signature}",
        f"x{TOKEN}",
        TOKEN[:-10],
        TOKEN.upper(),
        token_of(OTHER, ANN),
        SIGNER.sign("carry", PLAYER),
        carry_token(SIGNER, ANN, EXPIRES),
        SIGNER.sign("", f"player:{PLAYER}"),
        f"{text}.{base64.urlsafe_b64encode(b'0' * 32).decode()}",
        "é" * 43,
        f"{text}.\xff\xfe",
        "x" * 5000,
    ]


def test_a_player_is_identified_by_cookie_or_bearer_token() -> None:
    assert credential_of(SIGNER, headers(cookie=f"{COOKIE}={TOKEN}")) == ANN
    assert credential_of(SIGNER, headers(authorization=f"Bearer {TOKEN}")) == ANN
    assert credential_of(SIGNER, headers(authorization=f"bearer  {TOKEN} ")) == ANN
    assert credential_of(SIGNER, headers()) is None
    assert credential_of(OTHER, headers(cookie=f"{COOKIE}={TOKEN}")) is None


def test_tokens_in_the_old_format_are_accepted() -> None:
    assert credential_of(SIGNER, headers(cookie=f"{COOKIE}={OLD}")) == Credential(PLAYER)
    assert credential_of(SIGNER, headers(authorization=f"Bearer {OLD}")) == Credential(PLAYER)
    disguised = SIGNER.sign("player", f"{PLAYER}.{ANN.key}.{ANN.day}")
    assert credential_of(SIGNER, headers(cookie=f"{COOKIE}={disguised}")) != ANN


def test_a_bearer_token_takes_precedence_over_a_cookie() -> None:
    both = headers(authorization="Bearer wrong", cookie=f"{COOKIE}={TOKEN}")
    with pytest.raises(PermissionError):
        credential_of(SIGNER, both)
    other = headers(
        authorization=f"Bearer {token_of(SIGNER, Credential('other'))}", cookie=f"{COOKIE}={TOKEN}"
    )
    assert credential_of(SIGNER, other) == Credential("other")


@pytest.mark.parametrize("token", [token for token in forgeries() if token != f"{TOKEN} "])
def test_a_forged_token_identifies_nobody(token: str) -> None:
    assert SIGNER.read("token", token) is None
    if not token.endswith(" "):
        assert credential_of(SIGNER, headers(cookie=f"{COOKIE}={token}")) is None
        with pytest.raises(PermissionError):
            credential_of(SIGNER, headers(authorization=f"Bearer {token}"))


@pytest.mark.parametrize(
    "others",
    [
        'seen={"x":1}',
        "a:b=1",
        "novalue",
        "ä=ö",
        "a b=c d",
        "=",
        "a=[1, 2]",
        'a="open',
        "a=b,c",
        "expires=1",
        "a=\x01",
    ],
)
def test_cookies_of_other_programs_on_the_host_are_ignored(others: str) -> None:
    """Cookies ignore ports: those of other programs on this host are sent along."""
    ours = f"{COOKIE}={TOKEN}"
    assert credential_of(SIGNER, headers(cookie=f"{others}; {ours}")) == ANN
    assert credential_of(SIGNER, headers(cookie=f"{ours}; {others}")) == ANN


@pytest.mark.parametrize("kind", ["Basic", "Digest", "Bearer2", ""])
def test_other_authorization_schemes_are_ignored(kind: str) -> None:
    asked = headers(authorization=f"{kind} {TOKEN}", cookie=f"{COOKIE}={TOKEN}")
    assert credential_of(SIGNER, asked) == ANN


@given(st.binary(), st.binary())
def test_garbage_is_refused_without_other_errors(cookie: bytes, credential: bytes) -> None:
    assert credential_of(SIGNER, headers(cookie=cookie)) is None
    assert credential_of(SIGNER, headers(cookie=COOKIE.encode() + b"=" + cookie)) is None
    with pytest.raises(PermissionError):
        credential_of(SIGNER, headers(authorization=b"Bearer " + credential))
    try:
        credential_of(SIGNER, headers(authorization=credential, cookie=cookie))
    except PermissionError:
        assert credential.lower().startswith(b"bearer")


@given(st.text())
def test_random_text_is_not_a_token(text: str) -> None:
    assert SIGNER.read("token", text) is None
    assert read_carry_token(SIGNER, text, 0) is None


def test_a_carry_token_is_valid_until_it_expires() -> None:
    token = carry_token(SIGNER, ANN, EXPIRES)
    assert read_carry_token(SIGNER, token, EXPIRES - 1) == Credential(PLAYER, ANN.key)
    assert read_carry_token(SIGNER, token, EXPIRES) is None
    assert read_carry_token(SIGNER, token, EXPIRES + 1) is None
    assert read_carry_token(OTHER, token, 0) is None
    assert read_carry_token(SIGNER, TOKEN, 0) is None
    assert read_carry_token(SIGNER, SIGNER.sign("carry", f"{PLAYER}.{EXPIRES}"), 0) is None
    later = token.replace(str(EXPIRES), str(EXPIRES + 10**9))
    assert read_carry_token(SIGNER, later, 0) is None


@pytest.mark.parametrize("player", ["", "a.b", "ä", "with space", "1.2.3"])
def test_a_carry_token_holds_any_player_id(player: str) -> None:
    made = Credential(player, "key")
    assert read_carry_token(SIGNER, carry_token(SIGNER, made, EXPIRES), 0) == made


def test_player_ids_are_unique_and_fit_into_cookies_and_urls() -> None:
    players = {new_player() for _ in range(1000)}
    assert len(players) == 1000
    for player in players:
        assert len(base64.urlsafe_b64decode(f"{player}==")) * 8 >= 128
        token = token_of(SIGNER, Credential(player))
        assert token.isascii()
        assert not set(token) & set('"%&+,/;<=>?\\ ')
