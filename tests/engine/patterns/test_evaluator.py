"""The pattern evaluator: what it says, and what happens where its file cannot be used."""

import logging
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.search.search_support import parse
from patchwork.engine import Engine, Limit, engine
from patchwork.engine.evaluators.evaluator import Evaluation
from patchwork.engine.evaluators.network import SHIPPED, NetworkError, NetworkEvaluator
from patchwork.engine.kernel.state import Numbers, from_position, to_move
from patchwork.engine.patterns.evaluator import PatternEvaluator
from patchwork.engine.patterns.file import CARD, FORMAT, SUFFIX, write
from patchwork.engine.patterns.weights import SIZES, Weights
from patchwork.rules.game import Game
from patchwork.rules.moves import Buy
from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import EDITIONS
from support.evaluations import evaluated, evaluated_as_root
from support.positions import LEATHER, MIDDLE, START

PATTERNS = SHIPPED.with_suffix(SUFFIX)
DOCS = Path(__file__).parents[3] / "docs"


def random_weights(seed: int = 1) -> Weights:
    random = np.random.default_rng(seed)
    return Weights(*(random.normal(0, 0.2, shape).astype(np.float32) for shape in SIZES.values()))


@pytest.fixture
def network(tmp_path: Path) -> Path:
    """A copy of the network, with a patterns file beside it that knows nothing."""
    path = tmp_path / "copy.onnx"
    path.write_bytes(SHIPPED.read_bytes())
    write(path.with_suffix(SUFFIX), random_weights(), {"name": "random"})
    return path


def below_root(patterns: PatternEvaluator, text: str, copies: int = 1) -> Evaluation:
    """What is said about a position that is not the root."""
    state, circle = from_position(parse(text))
    return evaluated(patterns, np.repeat(state[None], copies, 0), circle)


@pytest.mark.parametrize("text", [START, MIDDLE, LEATHER])
def test_moves_are_legal_and_priors_sum_to_one(text: str) -> None:
    found = below_root(PatternEvaluator(PATTERNS, NetworkEvaluator()), text)
    count = int(found.counts[0])
    legal = parse(text).legal_moves()
    moves = [to_move(int(code)) for code in found.moves[0, :count]]
    assert len(set(moves)) == count > 1
    assert set(moves) <= set(legal)
    assert found.priors[0, :count].sum() == pytest.approx(1)
    assert found.priors[0, :count].min() > 0


def test_the_network_evaluates_the_root() -> None:
    state, circle = from_position(parse(MIDDLE))
    mine = evaluated_as_root(PatternEvaluator(PATTERNS, NetworkEvaluator()), state, circle)
    theirs = evaluated_as_root(NetworkEvaluator(), state, circle)
    for one, other in zip(mine, theirs, strict=True):
        assert (one == other).all()


def games(patterns: PatternEvaluator, count: int) -> Iterator[tuple[Numbers, Numbers, Evaluation]]:
    """Positions of games of any quality, and what patterns say of them."""
    for seed in range(count):
        game = Game(Setup.random(seed, EDITIONS[seed % 2]))
        while game.position.outcome is None:
            state, circle = from_position(game.position)
            said = evaluated(patterns, state, circle)
            yield state, circle, said
            game.push(to_move(int(said.moves[0, seed % said.counts[0]])))


def test_patterns_agree_roughly_with_the_network() -> None:
    network = NetworkEvaluator()
    differences = []
    for state, circle, mine in games(PatternEvaluator(PATTERNS, network), 20):
        theirs = evaluated(network, state, circle)
        differences.append([*(mine.values - theirs.values)[0], (mine.totals - theirs.totals)[0]])
    win, margin, total = np.abs(differences).mean(0)
    assert win < 0.08
    assert margin < 3
    assert total < 5


def test_what_is_cached_changes_no_answer() -> None:
    network = NetworkEvaluator()
    for state, circle, mine in games(PatternEvaluator(PATTERNS, network), 3):
        anew = evaluated(PatternEvaluator(PATTERNS, network), state, circle)
        for one, other in zip(mine, anew, strict=True):
            assert (one == other).all()


def test_on_an_empty_quilt_one_placement_stands_for_all_symmetric_ones() -> None:
    found = below_root(PatternEvaluator(PATTERNS, NetworkEvaluator()), START)
    moves = [to_move(int(code)) for code in found.moves[0, 1 : found.counts[0]]]
    views = set()
    for move in moves:
        assert isinstance(move, Buy)
        rows = [[move.cells >> 9 * row + column & 1 for column in range(9)] for row in range(9)]
        turned = np.array(rows)
        alike = [
            view
            for quarter in range(4)
            for view in (np.rot90(turned, quarter), np.rot90(turned, quarter).T)
        ]
        views.add((move.patch, min(view.tobytes() for view in alike)))
    assert len(views) == len(moves) > 3


def test_threads_change_nothing() -> None:
    one = below_root(PatternEvaluator(PATTERNS, NetworkEvaluator()), MIDDLE, 40)
    two = below_root(PatternEvaluator(PATTERNS, NetworkEvaluator(), threads=3), MIDDLE, 40)
    for mine, theirs in zip(one, two, strict=True):
        assert (mine == theirs).all()


def test_what_is_written_is_read(network: Path) -> None:
    patterns = PatternEvaluator(network.with_suffix(SUFFIX), NetworkEvaluator())
    assert patterns.card["name"] == "random"
    other = network.with_name("other.swift")
    write(other, random_weights(2), {"name": "other"})
    assert (
        below_root(patterns, MIDDLE).values
        != below_root(PatternEvaluator(other, NetworkEvaluator()), MIDDLE).values
    ).all()


def test_the_shipped_patterns_know_what_their_teacher_knew() -> None:
    card = PatternEvaluator(PATTERNS, NetworkEvaluator()).card
    teacher = DOCS / "runs" / card["name"] / f"{card['name']}.onnx"
    assert NetworkEvaluator(teacher).card["name"] == card["name"]
    assert card["log_loss"] < card["log_loss_of_network"] + 0.005
    assert PATTERNS.stat().st_size < 1_200_000


def test_level_8_uses_the_patterns_and_others_do_not(network: Path) -> None:
    for level in (7, 8):
        mine, shipped = (
            Engine(level, network=path, memory=8).analyse(parse(MIDDLE), Limit(nodes=200))
            for path in (network, SHIPPED)
        )
        assert (mine == shipped) == (level == 7)


def test_without_patterns_level_8_uses_the_network_alone(network: Path) -> None:
    network.with_suffix(SUFFIX).unlink()
    player = Engine(8, network=network, memory=8)
    assert player.fault is None
    alone = Engine(evaluator=NetworkEvaluator(), memory=8)
    limit = Limit(nodes=50)
    assert player.analyse(parse(MIDDLE), limit) == alone.analyse(parse(MIDDLE), limit)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5_000])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def text(path: Path) -> None:
    path.write_text("hello")


def save(path: Path, parts: dict[str, np.ndarray], number: int) -> None:
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **parts, **{CARD: np.array(f'{{"format": {number}}}')})


def one_array(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.zeros(3))


def of_the_future(path: Path) -> None:
    save(path, random_weights()._asdict(), FORMAT + 1)


def of_the_first_format(path: Path) -> None:
    parts = random_weights()._asdict()
    for name in ("second", "second_bias", "third", "third_bias"):
        parts[name] = parts[name][0]
    save(path, parts, 1)


def of_another_size(path: Path) -> None:
    write(path, random_weights()._replace(second_bias=np.zeros(3, np.float32)), {})


def without_a_part(path: Path) -> None:
    parts = random_weights()._asdict()
    del parts["places"]
    save(path, parts, FORMAT)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (cut, "is damaged"),
        (empty, "is damaged"),
        (text, "is damaged"),
        (one_array, "is damaged"),
        (of_the_future, f"is of format {FORMAT + 1}; this engine reads {FORMAT}"),
        (of_the_first_format, f"is of format 1; this engine reads {FORMAT}"),
        (of_another_size, "is damaged: second_bias is float32 of (3,)"),
        (without_a_part, "is damaged"),
    ],
)
def test_patterns_that_cannot_be_used_are_reported_and_done_without(
    damage: object, reason: str, network: Path, caplog: pytest.LogCaptureFixture
) -> None:
    patterns = network.with_suffix(SUFFIX)
    assert callable(damage)
    damage(patterns)
    with pytest.raises(NetworkError):
        PatternEvaluator(patterns, NetworkEvaluator())
    engine._warn_once.cache_clear()
    with caplog.at_level(logging.WARNING):
        player = Engine(8, network=network, memory=8)
    assert player.fault is not None
    assert player.fault.startswith(f"{patterns} ")
    assert reason in player.fault
    assert [record.getMessage() for record in caplog.records] == [
        f"The engine cannot use all it has learned: {player.fault}."
    ]
    assert player.analyse(parse(MIDDLE), Limit(nodes=20)).visits > 0
