"""Stored games, and functions that make them."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from random import Random
from typing import Any

from sqlalchemy import event

from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import CLASSIC, REVISED
from patchwork.server.game import actions
from patchwork.server.game.events import Event, GameStatus, Kind
from patchwork.server.game.match import Match
from patchwork.server.game.refusals import Refusal
from patchwork.server.game.terms import Clock, Opponent, Terms
from patchwork.server.store import Store, StoredGame

CIRCLE = Setup.random(1).circle
TERMS = Terms(Opponent.FRIEND, REVISED, CIRCLE, 0, Clock(300_000, 5_000))
NOW = 1_800_000_000_000
VARIANTS = {
    "friend": TERMS,
    "friend-without-clock": replace(TERMS, clock=None, first=None),
    "friend-with-days": replace(TERMS, clock=Clock(3 * 86_400_000, renewed=True), first=1),
    "screen": Terms(Opponent.SCREEN, CLASSIC, CIRCLE, None),
    "computer": Terms(Opponent.COMPUTER, CLASSIC, CIRCLE, 1, Clock(60_000), computer=1, level=8),
}
ANN, BEN = "player-ann", "player-ben"
OPEN = GameStatus(turn=0, deadline=None, ending=None, winner=None, scores=None, tie_break=False)


def joined(seat: int = 0, player: str = ANN, name: str = "Ann", seq: int = 1) -> Event:
    return Event(seq, Kind.JOIN, seat, NOW, name, player=player)


def moved(seq: int, action: str | None = None, at: int = NOW) -> Event:
    action = action or f"action-{seq}"
    return Event(seq, Kind.MOVE, 0, at, "A", (299_000, 300_000), ANN, action)


def game(name: str, *events: Event, terms: Terms = TERMS, created: int = NOW) -> StoredGame:
    return StoredGame(name, terms, created, events or (joined(),))


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Store]:
    store = await Store.open(url)
    try:
        yield store
    finally:
        await store.close()


async def seq_of(store: Store, name: str) -> int:
    """Returns the number of the last event, after checking that none is missing."""
    found = await store.load(name)
    assert found is not None
    assert [event.seq for event in found.events] == list(range(1, len(found.events) + 1))
    return len(found.events)


def counted_commits(store: Store) -> list[object]:
    """Returns a list that grows with each transaction that the store commits."""
    commits: list[object] = []
    event.listen(store._writing.sync_engine, "commit", commits.append)
    return commits


async def pragma(store: Store, text: str) -> object:
    """Runs a pragma on the connection through which the store writes; returns its value."""
    async with store._writing.connect() as connection:
        driver = (await connection.get_raw_connection()).driver_connection
        assert driver is not None
        cursor = await driver.execute(f"PRAGMA {text}")
        row = await cursor.fetchone()
        await cursor.close()
        return row[0] if row else None


def played(terms: Terms, random: Random) -> Iterator[Match]:
    """Yields the same match after each event of a random game."""
    match = Match(terms)
    now = NOW

    def applied(event: Event) -> Match:
        match.apply(event)
        return match

    while None in match.seats:
        player = ANN if terms.opponent is Opponent.SCREEN else random.choice([ANN, BEN])
        if terms.opponent is not Opponent.SCREEN and match.seats_of(player):
            continue
        yield applied(match.join(player, player.title(), now))
    for step in range(200):
        now += random.randrange(1, 20_000)
        overdue = match.overdue(now)
        if overdue is not None:
            yield applied(overdue)
        elif match.computer_decides and match.game is not None:
            move = random.choice(match.game.position.legal_moves())
            yield applied(match.computer_move(move, now))
        else:
            player = random.choice([ANN, BEN])
            action = _action(match, random, f"action-{step}")
            try:
                answer = match.respond(action, player, now)
            except Refusal:
                continue
            if answer.kind is Kind.NEXT:
                return
            yield applied(answer)


def _action(match: Match, random: Random, name: str) -> actions.Action:
    known: dict[str, Any] = {"id": name, "seq": match.seq}
    if match.game is None:
        return actions.ChooseFirst(first=random.randrange(2), **known)
    if match.ending is not None:
        return actions.Rematch(**known)
    others: list[type[actions.Action]] = [
        actions.Undo,
        actions.AcceptUndo,
        actions.DeclineUndo,
        actions.Abort,
    ]
    if random.random() < 0.01:
        return actions.Resign(**known)
    if random.random() < 0.2:
        return random.choice(others)(**known)
    moves = match.game.position.legal_moves()
    return actions.PlayMove(move=str(random.choice(moves)), **known)
