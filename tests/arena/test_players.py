"""Descriptions of players, and the players that they describe."""

import sys
from pathlib import Path

import pytest

import patchwork as pw
from patchwork.arena.players import Description
from patchwork.engine import Limit
from patchwork.engine.baselines.greedy import greedy

UPI = f'upi:"{sys.executable} -m patchwork upi"@40n'


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("random", None),
        ("greedy", None),
        ("uct1000", None),
        ("uct1", None),
        ("level:1", None),
        ("level:8", None),
        ("level:8@1s", Limit(time=1.0)),
        ("level:8@0.25s", Limit(time=0.25)),
        ("level:3@2000n", Limit(nodes=2000)),
        ("playout:8", None),
        ("playout:8@50n", Limit(nodes=50)),
        ("upi:patchwork upi", None),
        ('upi:"patchwork upi"@2s', Limit(time=2.0)),
        ("upi:me@home --x", None),
        ('codingame:"./bot -v"', None),
        ("codingame:./bot@1s", None),
    ],
)
def test_descriptions(text: str, limit: Limit | None) -> None:
    assert Description.parse(text) == Description(text, limit)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Random",
        "greedy ",
        "uct",
        "uct0",
        "uct-5",
        "level",
        "level:0",
        "level:9",
        "level:8@",
        "level:8@1",
        "level:8@-1s",
        "level:8@0n",
        "level:8@1s@1s",
        "playout:7",
        "greedy@1s",
        "upi:",
        "upi:  ",
        "codingame:",
        "upi:a\nb",
        "codingame:\udcff",
    ],
)
def test_other_texts_are_refused_with_a_list_of_players(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a player; players are random, greedy, uct1000"):
        Description.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "random",
        "greedy",
        "uct20",
        "level:1",
        "level:8@40n",
        "playout:8@40n",
        pytest.param(UPI, id="upi"),
    ],
)
def test_a_player_plays_whole_games_and_repeats_them(text: str) -> None:
    player = Description.parse(text).player()
    assert player.name == text
    games = []
    for _ in range(2):
        game = pw.Game(pw.Setup.random(5))
        player.new_game(3)
        while game.position.outcome is None:
            move = player.choose(game) if game.position.turn == 0 else greedy(game.position)
            game.push(move)
        games.append(game.moves)
    player.close()
    assert games[0] == games[1]


# At level 8 with a network, nothing is left to chance.
VARIED = (
    f'upi:sh -c "(echo setoption name Level value 2; cat) | {sys.executable} -m patchwork upi"@1n'
)


@pytest.mark.parametrize(
    "text", ["random", "uct20", "level:2", "playout:8@40n", pytest.param(VARIED, id="upi")]
)
def test_another_seed_is_another_game(text: str) -> None:
    player = Description.parse(text).player()
    openings = set()
    for seed in range(8):
        game = pw.Game(pw.Setup.random(5))
        player.new_game(seed)
        while len(game.moves) < 6:
            game.push(player.choose(game))
        openings.add(game.moves)
    player.close()
    assert len(openings) > 4


def test_random_plays_every_move_equally_often() -> None:
    game = pw.Game(pw.Setup.random(5))
    for _ in range(4):
        game.push(pw.Advance())
    while len(game.position.legal_moves()) > 60:
        game.push(greedy(game.position))
    moves = game.position.legal_moves()
    player = Description.parse("random").player()
    player.new_game(1)
    drawn = [player.choose(game) for _ in range(200 * len(moves))]
    assert {drawn.count(move) for move in moves} <= set(range(130, 271))


def test_only_codingame_bots_are_bound_to_an_edition() -> None:
    assert Description.parse("codingame:./bot").classic_only
    assert not Description.parse("upi:codingame:./bot").classic_only


def test_missing_programs_cannot_be_started(tmp_path: Path) -> None:
    for kind in ("upi", "codingame"):
        with pytest.raises(Exception, match="nowhere"):
            Description.parse(f"{kind}:{tmp_path}/nowhere").player()
