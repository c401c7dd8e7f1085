"""The commands behind docs/strategy.md: their games are legal, and their figures correct."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from studies.pages import PAGE, table, write_block
from studies.selfplay import Games, play_games

from patchwork.engine.evaluators.features import new_inputs, write_inputs
from patchwork.engine.evaluators.network import NetworkEvaluator
from patchwork.engine.evaluators.policy import legal_logits, new_frame
from patchwork.engine.insight import look
from patchwork.engine.kernel.state import from_position, to_move
from patchwork.engine.kernel.state import to_position as position_of
from patchwork.rules.moves import MOST_LEGAL_MOVES
from patchwork.rules.position import Position
from patchwork.rules.quilt import FULL, mask
from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import EDITIONS
from studies import calibration, ladder, selfplay, strategy
from support.little_network import write_network


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> NetworkEvaluator:
    return NetworkEvaluator(
        write_network(tmp_path_factory.mktemp("network") / "little.onnx", name="little")
    )


@pytest.fixture(scope="module")
def games(network: NetworkEvaluator) -> Games:
    return play_games(network, 8, 3, seed=2, gumbel_scale=1.0, threads=2)


def position(games: Games, game: int, state: np.ndarray) -> Position:
    return position_of(state, games.circles[game], EDITIONS[int(games.editions[game])])


def test_recorded_games_replay_by_the_rules(games: Games) -> None:
    assert set(games.games) == set(range(8))
    assert set(games.editions) == {0, 1}
    for game in range(8):
        numbers = np.flatnonzero(games.games == game)
        now = position(games, game, games.states[numbers[0]])
        assert [player.time for player in now.players] == [0, 0]
        for number in numbers:
            assert position(games, game, games.states[number]) == now
            legal = now.legal_moves()
            assert games.choice[number] == (len(legal) > 1)
            assert np.isnan(games.values[number, 0]) == (len(legal) == 1)
            now = now.play(to_move(int(games.moves[number])))
        assert position(games, game, games.ends[game]) == now
        assert now.outcome is not None


def test_predictions_are_recorded_with_their_positions(
    games: Games, network: NetworkEvaluator
) -> None:
    numbers = np.flatnonzero(games.choice == 1)[::17]
    for number in numbers:
        now = position(games, int(games.games[number]), games.states[number])
        found = look(now, network, placements=0, views=1)
        assert games.values[number] == pytest.approx(
            (found.win[now.turn], found.margin), rel=1e-4, abs=1e-4
        )


def test_without_noise_a_patch_has_the_weight_of_all_its_placements(
    network: NetworkEvaluator,
) -> None:
    state, circle = from_position(Setup.random(1).start())
    inputs = new_inputs(2)
    write_inputs(np.stack([state, state]), circle, inputs)
    prediction = network.ask(inputs.planes, inputs.scalars)
    biases = prediction.biases.copy()
    selfplay._add_placement_bonuses(
        inputs.words, inputs.pieces, np.array([0, 1], np.float32), prediction.shapes, biases
    )
    assert (biases[1] == prediction.biases[1]).all()
    codes, before = np.empty(MOST_LEGAL_MOVES, np.int64), np.empty(MOST_LEGAL_MOVES, np.float32)
    after = np.empty(MOST_LEGAL_MOVES, np.float32)
    for row, logits in ((1, before), (0, after)):
        count = legal_logits(
            inputs.words[0],
            inputs.pieces[0],
            prediction.shapes[0],
            biases[row],
            codes,
            logits,
            new_frame(),
        )
    bought = [getattr(to_move(int(code)), "patch", None) for code in codes[:count]]
    assert len(set(bought)) > 2
    for patch in set(bought):
        of_patch = np.array([each == patch for each in bought])
        whole = np.log(np.exp(before[:count][of_patch].astype(float)).sum())
        assert after[:count][of_patch].max() == pytest.approx(whole, rel=1e-4)


# Calibration


def outcomes(temperature: float) -> tuple[calibration.Numbers, calibration.Numbers]:
    """Returns predictions that are overconfident by a temperature, and the outcomes."""
    random = np.random.default_rng(3)
    logits = random.normal(0, 1, 40_000)
    won = (random.random(40_000) < 1 / (1 + np.exp(-logits))).astype(float)
    return 1 / (1 + np.exp(-temperature * logits)), won


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_the_fitted_temperature_is_correct(temperature: float) -> None:
    win, won = outcomes(temperature)
    found = calibration.fitted_temperature(win, won)
    assert found == pytest.approx(temperature, rel=0.04)
    after = calibration.calibration_error(calibration.tempered(win, found), won)
    assert after < 0.012
    if temperature != 1:
        assert calibration.calibration_error(win, won) > 4 * after


def test_the_calibration_error_weights_bins_by_their_size() -> None:
    win = np.array([0.52, 0.52, 0.52, 0.92])
    won = np.array([1.0, 1.0, 0.0, 0.0])
    expected = 0.75 * abs(2 / 3 - 0.52) + 0.25 * 0.92
    assert calibration.calibration_error(win, won) == pytest.approx(expected)


def test_predictions_are_for_the_seat_to_move(games: Games) -> None:
    found = calibration.predictions(games)
    assert len(found.win) == (games.choice == 1).sum()
    for game in range(8):
        outcome = position(games, game, games.ends[game]).outcome
        assert outcome is not None
        of_game = found.game == game
        turns = games.states[(games.choice == 1) & (games.games == game), 10]
        assert (found.won[of_game] == (turns == outcome.winner)).all()
        ahead = np.array(outcome.scores)[turns] - np.array(outcome.scores)[1 - turns]
        assert (found.ahead[of_game] == ahead).all()


def test_temperatures_are_applied_only_to_games_they_were_not_fitted_to() -> None:
    win, won = outcomes(2.0)
    count = len(win)
    game = np.arange(count) % 2
    nothing = np.zeros(count, np.int64)
    won[game == 1] = win[game == 1] > 0.5  # as if every prediction were underconfident
    found = calibration.Predictions(game, nothing, win, win, won, won)
    after = calibration.cross_fitted(found)
    surer = abs(after - 0.5) > abs(win - 0.5)
    assert surer[game == 0].all()
    assert not surer[game == 1].any()


def test_calibration_is_measured_and_drawn(
    games: Games, network: NetworkEvaluator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration, "TURNED", 1)
    figures = calibration.measured(network, games, simulations=3, seed=1)
    one, eight = figures["steadiness"]["one_view"], figures["steadiness"]["eight_views"]
    assert eight[0] < one[0]
    assert eight[1] < one[1]
    assert "8 games of the network `little` against itself" in calibration.written(figures)
    calibration.draw(figures, tmp_path / "plot.svg")
    assert "<svg" in (tmp_path / "plot.svg").read_text(encoding="utf-8")


# The ladder


def test_a_ladder_is_played_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    players = {"greedy": "a rule", "random": "nothing", "uct2": "a little"}
    monkeypatch.setattr(ladder, "PLAYERS", players)
    monkeypatch.setattr(ladder, "LONG", {"uct2"})
    ratings = ladder.measure(2, 1, 1, tmp_path)
    assert {rated.player for rated in ratings} == set(players)
    games = {path.name: path.read_text("utf-8").count("\n") for path in tmp_path.iterdir()}
    assert games == {"short.jsonl": 1 + 4, "long.jsonl": 1 + 2 * 2}
    assert ladder.measure(2, 1, 1, tmp_path) == ratings  # from the logs
    rows = ladder.written(ratings).splitlines()[2:]
    assert len(rows) == 3
    assert "| `greedy` | a rule | +0 | +0 to +0 |" in rows
    ladder.draw(ratings, tmp_path / "plot.svg")
    assert "<svg" in (tmp_path / "plot.svg").read_text("utf-8")


# Strategy


def test_a_hole_has_only_filled_neighbours() -> None:
    assert strategy.holes(mask(("###", "#.#", "###"))) == 1 << 10
    assert strategy.holes(mask((".#", "#."))) == 1
    assert strategy.holes(0) == strategy.holes(FULL) == 0


def test_with_a_hole_keeps_the_area_and_adds_one_hole(games: Games) -> None:
    random = np.random.default_rng(0)
    torn = 0
    for number in range(0, len(games.states), 5):
        for player in position(games, int(games.games[number]), games.states[number]).players:
            quilt = strategy.with_a_hole(player.quilt, random)
            if quilt is not None:
                torn += 1
                assert quilt.bit_count() == player.quilt.bit_count()
                assert (
                    strategy.holes(quilt).bit_count()
                    == strategy.holes(player.quilt).bit_count() + 1
                )
    assert torn > 10


def test_there_are_figures_for_every_block_of_the_page(
    games: Games, network: NetworkEvaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strategy, "OPENINGS", 1)
    blocks = strategy.written(strategy.measured(network, games, count=12, seed=1), simulations=3)
    marks = re.findall(r"^<!-- ([^/].*) -->$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [*blocks, "calibration"] == marks
    assert blocks["patches"].count("\n") == 34
    assert "nan" not in "".join(blocks.values())


def test_the_first_player_is_counted_by_edition(games: Games) -> None:
    rows = strategy.first_player(games)
    assert sum(row["games"] for row in rows) == 8
    won = [0, 0]
    for game, end in enumerate(games.ends):
        outcome = position(games, game, end).outcome
        assert outcome is not None
        won[games.editions[game]] += outcome.winner == 0
    assert [row["won"] * row["games"] for row in rows] == pytest.approx(won)


# Blocks


def test_a_block_is_written_between_its_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- a -->\nold\n<!-- /a -->\nafter\n", encoding="utf-8")
    for text in ("new", "newer\n"):
        write_block(page, "a", text)
    assert page.read_text() == "before\n<!-- a -->\n\nnewer\n\n<!-- /a -->\nafter\n"
    with pytest.raises(ValueError, match="needs the marks <!-- b -->"):
        write_block(page, "b", "text")


def test_a_table_is_markdown() -> None:
    assert table(("a", "b"), [("1", "2")]) == "| a | b |\n| --- | ---: |\n| 1 | 2 |"
