"""Insights are consistent, agree with the rules and the search, and refuse wrong arguments."""

from dataclasses import replace
from pathlib import Path

import pytest

import patchwork as pw
from patchwork.engine import Analysis, Engine, Limit, insight
from patchwork.engine.evaluators.network import NetworkError, NetworkEvaluator
from patchwork.engine.insight import Insight, calibrated, look
from patchwork.rules.quilt import SIDE, cells
from support.little_network import write_network
from support.positions import VALID
from support.svg import played

POSITIONS = {name: pw.Position.parse(VALID[name]) for name in ("start", "bought", "middle")}
LEATHER = pw.Position.parse(VALID["leather"])
positions = pytest.mark.parametrize("position", POSITIONS.values(), ids=POSITIONS)


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> NetworkEvaluator:
    return NetworkEvaluator(write_network(tmp_path_factory.mktemp("network") / "little.onnx"))


def last_decision() -> pw.Position:
    """Returns a position in which an advance ends the game."""
    game = played(1)
    game.pop()
    return game.position


def mirrored(filling: tuple[float, ...]) -> list[float]:
    return [filling[SIDE * (cell // SIDE) + SIDE - 1 - cell % SIDE] for cell in range(81)]


@positions
def test_win_probabilities_sum_to_1_and_scores_differ_by_the_margin(
    position: pw.Position, network: NetworkEvaluator
) -> None:
    found = look(position, network)
    assert sum(found.win) == pytest.approx(1)
    assert min(found.win) >= 0
    assert found.seat == position.turn
    assert found.margin == pytest.approx(found.scores[found.seat] - found.scores[1 - found.seat])
    assert not found.exact


@positions
def test_filling_is_81_probabilities_and_1_where_something_lies(
    position: pw.Position, network: NetworkEvaluator
) -> None:
    found = look(position, network, placements=0)
    for filling, player, expected in zip(
        found.filling, position.players, found.filled, strict=True
    ):
        assert len(filling) == 81
        assert all(0 <= chance <= 1 for chance in filling)
        assert all(filling[cell] == 1 for cell in cells(player.quilt))
        assert expected == pytest.approx(sum(filling))
    assert not found.patches
    assert not found.leather
    assert found.advance is None


def test_the_seats_expect_the_same_game(network: NetworkEvaluator) -> None:
    position = POSITIONS["middle"]
    swapped = replace(
        position,
        turn=1 - position.turn,
        players=position.players[::-1],
        tile=None if position.tile is None else 1 - position.tile,
    )
    one, other = look(position, network), look(swapped, network)
    assert one.win == pytest.approx(other.win[::-1])
    assert one.scores == pytest.approx(other.scores[::-1])
    assert one.filling[0] == pytest.approx(other.filling[1])
    assert [patch.gain for patch in one.patches] == pytest.approx(
        [patch.gain for patch in other.patches]
    )


@positions
@pytest.mark.parametrize("views", [1, 8])
def test_a_move_is_worth_what_the_position_after_it_is(
    position: pw.Position, views: int, network: NetworkEvaluator
) -> None:
    found = look(position, network, views=views)
    assert found.advance is not None
    prospects = [found.advance]
    for patch in found.patches:
        assert patch.best == patch.placements[0]
        assert patch.gain == pytest.approx(patch.best.win - found.advance.win)
        assert patch.points == pytest.approx(patch.best.margin - found.advance.margin)
        prospects += patch.placements
    assert len(prospects) > 3
    for prospect in prospects:
        after = look(position.play(prospect.move), network, views=views, placements=0)
        assert prospect.win == pytest.approx(after.win[position.turn], abs=1e-5)
        margin = after.scores[position.turn] - after.scores[1 - position.turn]
        assert prospect.margin == pytest.approx(margin, abs=1e-3)


@positions
def test_patches_that_can_be_bought_come_in_the_order_of_the_offer(
    position: pw.Position, network: NetworkEvaluator
) -> None:
    found = look(position, network, placements=2)
    legal = position.legal_moves()
    bought = {move.patch for move in legal if isinstance(move, pw.Buy)}
    assert [patch.patch for patch in found.patches] == [
        patch for patch in position.offer if patch in bought
    ]
    for patch in found.patches:
        assert 1 <= len(patch.placements) <= 2
        assert all(prospect.move in legal for prospect in patch.placements)
        assert all(0 < prospect.share <= patch.share for prospect in patch.placements)
    assert found.advance is not None
    assert found.advance.share + sum(patch.share for patch in found.patches) == pytest.approx(1)


def test_leather_is_placed_where_it_is_worth_most(network: NetworkEvaluator) -> None:
    found = look(LEATHER, network, placements=4)
    assert found.advance is None
    assert found.patches == ()
    assert len(found.leather) == 4
    assert {prospect.move for prospect in found.leather} <= set(LEATHER.legal_moves())


def test_a_move_that_ends_the_game_is_worth_its_true_result(network: NetworkEvaluator) -> None:
    position = last_decision()
    outcome = position.play(pw.Advance()).outcome
    assert outcome is not None
    advance = look(position, network).advance
    assert advance is not None
    assert advance.win == (outcome.winner == position.turn)
    assert advance.margin == outcome.scores[position.turn] - outcome.scores[1 - position.turn]


def test_symmetric_quilts_are_filled_symmetrically_by_all_views_together(
    network: NetworkEvaluator,
) -> None:
    start = POSITIONS["start"]
    for filling in look(start, network, placements=0).filling:
        assert mirrored(filling) == pytest.approx(filling, abs=1e-6)
    alone = look(start, network, placements=0, views=1).filling[0]
    assert mirrored(alone) != pytest.approx(alone, abs=1e-3)


def test_symmetric_positions_have_the_same_values(network: NetworkEvaluator) -> None:
    position = POSITIONS["middle"]
    flipped = []
    for player in position.players:
        quilt = sum(1 << SIDE * (cell // SIDE) + 8 - cell % SIDE for cell in cells(player.quilt))
        flipped.append(replace(player, quilt=quilt))
    other = look(replace(position, players=(flipped[0], flipped[1])), network)
    found = look(position, network)
    assert other.win == pytest.approx(found.win, abs=1e-6)
    assert other.filling[0] == pytest.approx(mirrored(found.filling[0]), abs=1e-6)
    assert [patch.share for patch in other.patches] == pytest.approx(
        [patch.share for patch in found.patches], abs=1e-6
    )


def test_symmetric_placements_are_shown_once(network: NetworkEvaluator) -> None:
    patch, *_ = look(POSITIONS["start"], network, placements=1000).patches
    covered = {
        prospect.move.cells for prospect in patch.placements if isinstance(prospect.move, pw.Buy)
    }
    everywhere = pw.PATCHES[patch.patch].placements
    # Mirrored, too: one place stands for eight, or for four where it lies on an axis.
    assert len(everywhere) / 8 <= len(covered) == len(patch.placements) < len(everywhere) / 4
    assert sum(prospect.share for prospect in patch.placements) == pytest.approx(patch.share)


def test_temperature_draws_probabilities_to_the_middle(
    tmp_path: Path, network: NetworkEvaluator
) -> None:
    mild = NetworkEvaluator(write_network(tmp_path / "mild.onnx", temperature=2.0))
    position = POSITIONS["middle"]
    plain, calmed = look(position, network), look(position, mild)
    assert calmed.win[0] == pytest.approx(calibrated(plain.win[0], 2.0))
    assert calmed.scores == pytest.approx(plain.scores)
    assert plain.advance is not None
    assert calmed.advance is not None
    assert calmed.advance.win == pytest.approx(calibrated(plain.advance.win, 2.0), abs=1e-3)


def test_calibrated() -> None:
    assert calibrated(0.8, 1.0) == pytest.approx(0.8)
    assert calibrated(0.8, 2.0) == pytest.approx(2 / 3)
    assert calibrated(0.2, 2.0) == pytest.approx(1 / 3)
    assert (calibrated(0.0, 2.0), calibrated(1.0, 2.0)) == (0.0, 1.0)


# With a search


def deepened(
    position: pw.Position, network: NetworkEvaluator, nodes: int
) -> tuple[Analysis, Insight]:
    engine = Engine(evaluator=network, threads=1, memory=16)
    analysis = engine.analyse(position, Limit(nodes=nodes), lines=30)
    return analysis, look(position, network, analysis=analysis)


def test_a_search_gives_its_values(network: NetworkEvaluator) -> None:
    position = POSITIONS["middle"]
    analysis, found = deepened(position, network, 200)
    assert found.win[position.turn] == pytest.approx(analysis.win)
    assert found.margin == pytest.approx(analysis.margin)
    prospects = [prospect for patch in found.patches for prospect in patch.placements]
    assert found.advance is not None
    tried = {prospect.move: prospect for prospect in (*prospects, found.advance)}
    assert analysis.best in tried
    for line in analysis.lines:
        if line.visits > 0 and line.moves[0] in tried:
            prospect = tried[line.moves[0]]
            assert (prospect.win, prospect.margin, prospect.visits) == pytest.approx(
                (line.win, line.margin, line.visits)
            )
    for patch in found.patches:
        visits = [prospect.visits for prospect in patch.placements]
        assert visits == sorted(visits, reverse=True)


def test_of_symmetric_placements_the_most_visited_is_shown(network: NetworkEvaluator) -> None:
    start = POSITIONS["start"]
    analysis, found = deepened(start, network, 300)
    alone = look(start, network, placements=1000)
    unlike = {prospect.move for patch in alone.patches for prospect in patch.placements}
    shown = [prospect for patch in found.patches for prospect in patch.placements]
    assert any(prospect.move not in unlike for prospect in shown), "the search tried no image"
    best = {line.moves[0]: line.visits for line in reversed(analysis.lines)}
    assert all(prospect.visits == best.get(prospect.move, 0) for prospect in shown)
    shares = {prospect.share for prospect in shown}
    assert shares <= {prospect.share for patch in alone.patches for prospect in patch.placements}
    assert len(shares) == len(shown), "places alike are shown twice"


def test_a_proven_result_is_exact(network: NetworkEvaluator) -> None:
    position = last_decision()
    analysis, found = deepened(position, network, 2000)
    assert analysis.exact
    assert found.exact
    assert found.win[position.turn] == analysis.win


# What is refused


def test_a_finished_game_is_refused(network: NetworkEvaluator) -> None:
    with pytest.raises(ValueError, match="the game is over"):
        look(played(1).position, network)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"placements": -1}, "placements is a number from 0 on, not -1"),
        ({"views": 0}, "views is a number from 1 to 8, not 0"),
        ({"views": 9}, "views is a number from 1 to 8, not 9"),
    ],
)
def test_numbers_out_of_range_are_refused(
    wrong: dict[str, int], message: str, network: NetworkEvaluator
) -> None:
    with pytest.raises(ValueError, match=message):
        look(
            POSITIONS["start"],
            network,
            placements=wrong.get("placements", 3),
            views=wrong.get("views", 8),
        )


def test_the_analysis_of_another_position_is_refused(network: NetworkEvaluator) -> None:
    analysis, _ = deepened(POSITIONS["middle"], network, 20)
    with pytest.raises(ValueError, match="another position"):
        look(LEATHER, network, analysis=analysis)


def test_without_a_network_the_error_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "patchwork.onnx"
    monkeypatch.setattr(insight, "SHIPPED", path)
    insight.shipped_network.cache_clear()
    with pytest.raises(NetworkError, match=r"there is no network .*patchwork\.onnx"):
        look(POSITIONS["start"])
    write_network(path)
    assert sum(look(POSITIONS["start"]).win) == pytest.approx(1)
    insight.shipped_network.cache_clear()
