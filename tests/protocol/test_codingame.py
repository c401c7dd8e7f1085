"""CodinGame bots: what they get, how their answers are read, and how they fail."""

import re
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import patchwork as pw
from patchwork.engine.baselines.greedy import greedy
from patchwork.programs import program
from patchwork.protocol import NoAnswer, NotRunning, ProtocolError, WrongMove
from patchwork.protocol.codingame import Bot, format_answer, read_answer
from patchwork.rules.moves import Move
from support.positions import LEATHER

NOTATION = Path(__file__).parents[2] / "docs" / "notation.md"
ROW = re.compile(r"\| (\d+) \| `[^`]+` \|(?: \d+ \|){4} \w \| \w \| (\d+) \| (\w) \|")


def fake(fault: str = "none") -> list[str]:
    return [sys.executable, str(Path(__file__).with_name("fake_bot.py")), fault]


@pytest.fixture(autouse=True)
def _no_thread_is_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(program, "_GRACE", 60.0)  # on a busy machine who is killed may die late
    threads = set(threading.enumerate())
    yield
    assert threads.issuperset(threading.enumerate())


def site() -> dict[int, tuple[int, list[str]]]:
    """Our id and the site's drawing of each patch by its number there, from the notation's page."""
    patches = {}
    for patch, number, letter in ROW.findall(NOTATION.read_text("utf-8")):
        mirrored, rotations = divmod("ABCDEFGH".index(letter), 4)
        rows = list(pw.PATCHES[int(patch)].rows)
        patches[int(number)] = (int(patch), view(rows, mirrored, rotations))
    return patches


def view(rows: list[str], flip: int, rotations: int) -> list[str]:
    """A drawing mirrored, left and right swapped, and then turned clockwise."""
    if flip:
        rows = [row[::-1] for row in rows]
    for _ in range(rotations):
        rows = ["".join(row[column] for row in reversed(rows)) for column in range(len(rows[0]))]
    return rows


def on_offer(patch: int) -> pw.Position:
    """A position in which seat 0 has a patch on offer, buttons for any and an empty quilt."""
    circle = (patch, *(other for other in range(33) if other != patch))
    players = (pw.Player(buttons=20), pw.Player(time=1))
    return replace(pw.Setup.random(seed=1).start(), circle=circle, players=players)


SITE = site()


def test_the_table_is_complete() -> None:
    assert sorted(SITE) == list(range(33))


@pytest.mark.parametrize("number", SITE)
def test_every_placement(number: int) -> None:
    """By all flips, rotations, columns and rows, the site's placements are exactly ours."""
    patch, drawing = SITE[number]
    position = on_offer(patch)
    reached = set()
    for flip in (0, 1):
        for rotations in range(4):
            rows = view(drawing, flip, rotations)
            for x in range(10):
                for y in range(10):
                    move = read_answer(position, f"PLAY {number} {x} {y} {flip} {rotations}")
                    if x + len(rows[0]) > 9 or y + len(rows) > 9:
                        assert move == pw.Advance()
                        continue
                    covered = sum(
                        1 << 9 * (y + row) + x + column
                        for row, marks in enumerate(rows)
                        for column, mark in enumerate(marks)
                        if mark == "#"
                    )
                    assert move == pw.Buy(patch, covered)
                    reached.add(covered)
    assert reached == set(pw.PATCHES[patch].placements)
    for covered in reached:
        text = format_answer(pw.Buy(patch, covered), 0)
        assert read_answer(position, text) == pw.Buy(patch, covered)


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        ("SKIP", "A"),
        ("SKIP lovely weather", "A"),
        ("PLAY 3 2 3", "18Ac4"),
        ("PLAY 3 2 3 1", "18Ec4"),
        ("PLAY 3 2 3 1 2 hello", "18Gc4"),
        ("PLAY 3 2 3 hello", "18Ac4"),
        ("PLAY 3 2 3 0 5", "18Bc4"),
        ("PLAY", "A"),
        ("PLAY 3", "A"),
        ("PLAY 3 2", "A"),
        ("PLAY 3 x 3", "A"),
        ("PLAY 3 -1 3", "A"),
        ("PLAY 3 8 3", "A"),
        ("PLAY 33 2 3", "A"),
        ("PLAY -20 2 3", "A"),
        ("PLAY 0 2 3", "A"),
        (f"PLAY {'9' * 5000} 2 3", "A"),
    ],
)
def test_answers(answer: str, move: str) -> None:
    assert str(read_answer(on_offer(18), answer)) == move


def test_a_purchase_that_is_too_expensive_becomes_an_advance() -> None:
    position = pw.Setup((18, *(n for n in range(1, 33) if n != 18), 0)).start()
    assert read_answer(position, "PLAY 3 2 3 0 0") == pw.Advance()


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        ("PLAY -20 8 0", "Li1"),
        ("PLAY -20 8 0 1 3 mine", "Li1"),
        ("PLAY -20 0 0 0 0", "Ld1"),
        ("PLAY -26 8 0", "Ld1"),
        ("PLAY 3 0 6", "Ld1"),
        ("SKIP", "Ld1"),
        ("What?", "Ld1"),
        ("", "Ld1"),
    ],
)
def test_leather_goes_where_it_is_placed_or_else_on_the_first_free_space(
    answer: str, move: str
) -> None:
    assert str(read_answer(pw.Position.parse(LEATHER), answer)) == move


def play(bot: Bot, seed: int) -> tuple[pw.Game, list[Move]]:
    """A whole game of a bot in seat 1 against greedy, and what the bot played."""
    game = pw.Game(pw.Setup.random(seed=seed))
    moves = []
    while game.position.outcome is None:
        if game.position.turn == 0:
            game.push(greedy(game.position))
        else:
            moves.append(bot.choose(game.position, game))
            game.push(moves[-1])
    return game, moves


def test_whole_games_by_an_independent_bot() -> None:
    with Bot(fake(), first=60, later=60) as bot:
        for seed in (1, 2, 3):
            bot.new_game()
            _, moves = play(bot, seed)
            assert sum(isinstance(move, pw.Buy) for move in moves) > 5
            assert any(isinstance(move, pw.Leather) for move in moves)


def test_it_gets_the_moves_of_its_opponent(tmp_path: Path) -> None:
    log = tmp_path / "told"
    with Bot([*fake(), str(log)], first=60, later=60) as bot:
        game, _ = play(bot, 5)
    told = [line.split(";") for line in log.read_text().splitlines()]
    expected: list[list[tuple[pw.Position, Move]]] = []
    others: list[tuple[pw.Position, Move]] = []
    for position, move in zip(game.positions(), game.moves, strict=False):
        if position.turn == 0:
            others.append((position, move))
        else:
            expected.append(others)
            others = []
    assert {0, 1, 2} <= {len(turn) for turn in expected}
    assert any(isinstance(move, pw.Leather) for turn in expected for _, move in turn)
    for texts, turn in zip(told, expected, strict=True):
        assert len(texts) - 1 == len(turn)
        for text, (position, move) in zip(texts, turn, strict=False):
            assert read_answer(position, text) == move
            assert text == "SKIP" or re.fullmatch(r"PLAY -?\d+ \d \d [01] [0-3]", text)


def test_the_first_turn_word_for_word(tmp_path: Path) -> None:
    log = tmp_path / "told"
    code = f"""
import sys
told = [sys.stdin.readline() for _ in range(60)]
open({str(log)!r}, "w").writelines(told)
print("SKIP", flush=True)
"""
    game = pw.Game(pw.Setup.random(seed=1, first=1))
    with Bot([sys.executable, "-c", code], first=60, later=60) as bot:
        game.push(pw.parse_move(game.position, "3Aa1"))
        assert bot.choose(game.position, game) == pw.Advance()
    lines = log.read_text().splitlines()
    empty = ["........."] * 9
    assert lines[:4] == ["9", "5 11 17 23 29 35 41 47 53", "5", "20 26 32 44 50"]
    assert lines[4:15] == ["5 0 0", *empty, "2 1 0"]
    assert lines[15:18] == ["OO.......", "O........", "........."]
    assert lines[24] == "32"
    assert lines[25] == "16 1 2 3 OOO.|..OO"  # our 13
    assert lines[26] == "22 0 4 2 OOO.|.OOO"  # our 25
    assert lines[56:60] == ["13 1 3 4 OOOO|.O..", "0", "1", "PLAY 31 0 0 0 1"]  # our 14, and 3Aa1


@pytest.mark.parametrize(
    ("fault", "later", "kind", "message"),
    [
        ("slow", 0.3, NoAnswer, "did not answer within 300 ms"),
        ("crash", 60, NotRunning, "ended unexpectedly with status 1; .*out of thread"),
        ("chatter", 60, WrongMove, "answered 'Hello there', neither SKIP nor PLAY"),
    ],
)
def test_failures(fault: str, later: float, kind: type[ProtocolError], message: str) -> None:
    with Bot(fake(fault), first=60, later=later) as bot:
        with pytest.raises(kind, match=message):
            play(bot, 1)
        with pytest.raises(ProtocolError, match="it has been closed"):
            play(bot, 1)
        bot.new_game()
        game = pw.Game(pw.Setup.random(seed=1))
        assert bot.choose(game.position, game) in game.position.legal_moves()


def test_a_slow_start_is_allowed_for_the_first_answer_of_each_game() -> None:
    with Bot(fake("slow-start"), first=60) as bot:
        for seed in (1, 2):
            bot.new_game()
            game = pw.Game(pw.Setup.random(seed=seed))
            for later in (0.4, 60):  # the second answer comes at once, but on a busy machine
                bot._later = later
                game.push(bot.choose(game.position, game))


def test_bad_answers_only_lose_turns() -> None:
    with Bot(fake("bad"), first=60, later=60) as bot:
        _, moves = play(bot, 1)
    assert {type(move) for move in moves} == {pw.Advance, pw.Leather}


def test_what_a_bot_cannot_be_asked() -> None:
    with Bot(fake()) as bot:
        revised = pw.Game(pw.Setup.random(seed=1, edition=pw.REVISED))
        with pytest.raises(ValueError, match="revised edition"):
            bot.choose(revised.position, revised)
        game = pw.Game(pw.Setup.random(seed=1))
        with pytest.raises(ValueError, match="not that of the game"):
            bot.choose(game.position.play(pw.Advance()), game)
        while game.position.outcome is None:
            game.push(game.position.legal_moves()[0])
        with pytest.raises(ValueError, match="the game is over"):
            bot.choose(game.position, game)


def test_a_missing_bot() -> None:
    with pytest.raises(NotRunning, match="cannot be started"):
        Bot("no-such-bot-anywhere")
