"""What a hint says about a position, with analyses that are made up."""

from collections.abc import Sequence
from pathlib import Path

import patchwork as pw
from patchwork.engine.analysis import Analysis, Line
from patchwork.rules.moves import Move
from patchwork.server.presenter import hint
from patchwork.server.wire import Candidate
from support.positions import LEATHER

GOLDEN = Path(__file__).parents[2] / "golden"
SETUP = pw.Setup.random(1)  # 26, 14 and 3 are on offer


def played(*moves: str, setup: pw.Setup = SETUP) -> pw.Position:
    """Returns the position after some moves."""
    game = pw.Game(setup)
    for move in moves:
        game.push(pw.parse_move(game.position, move))
    return game.position


def candidates(
    position: pw.Position,
    *lines: tuple[str | Move, float, float, int],
    exact: bool = False,
) -> Sequence[Candidate]:
    """Returns the candidates of a hint, from lines of first move, win, margin and visits."""
    found = [
        Line((pw.parse_move(position, str(move)),), win, margin, visits)
        for move, win, margin, visits in lines
    ]
    analysis = Analysis(
        found[0].moves[0],
        found[0].win,
        found[0].margin,
        position.turn,
        tuple(found),
        1000,
        exact,
    )
    answer = hint("h", 7, position, analysis)
    assert (answer.id, answer.seq, answer.thought.seat) == ("h", 7, position.turn)
    assert len(answer.thought.lines) == min(3, len(found))
    return answer.candidates


def why(position: pw.Position, move: str | Move) -> tuple[str, int] | None:
    """Returns the fact that speaks for a move, if it is the only candidate."""
    (candidate,) = candidates(position, (move, 0.5, 0.0, 10))
    return (candidate.why.code, candidate.why.figure) if candidate.why else None


def test_places_of_a_patch_are_one_candidate_and_the_best_comes_first() -> None:
    found = candidates(
        played(),
        ("3Aa1", 0.6, 4.0, 500),
        ("3Ab1", 0.59, 3.9, 300),
        ("14Aa1", 0.3, -5.0, 20),
        ("3Ac1", 0.58, 3.8, 10),
        ("A", 0.4, -2.0, 5),
    )
    assert [(each.move, each.win, each.margin) for each in found] == [
        ("3Aa1", 0.6, 4.0),
        ("A", 0.4, -2.0),
        ("14Aa1", 0.3, -5.0),
    ]


def test_moves_that_were_not_tried_are_no_candidates() -> None:
    found = candidates(played(), ("A", 0.6, 4.0, 0), ("3Aa1", 0.9, 9.0, 0), ("14Aa1", 0.1, 0.0, 1))
    assert [each.move for each in found] == ["A", "14Aa1"]


def test_nothing_is_worth_more_than_a_proven_best() -> None:
    lines = (("A", 0.0, -2.0, 9), ("3Aa1", 0.1, 3.0, 5))
    estimated = candidates(played(), *lines)
    assert [(each.win, each.margin) for each in estimated] == [(0.0, -2.0), (0.1, 3.0)]
    proven = candidates(played(), *lines, exact=True)
    assert [(each.win, each.margin) for each in proven] == [(0.0, -2.0), (0.0, -2.0)]


def test_leather_has_a_candidate_for_each_of_three_spaces() -> None:
    position = pw.Position.parse(LEATHER)
    moves = position.legal_moves()[:5]
    found = candidates(position, *((move, 0.5, 0.0, 9) for move in moves))
    assert [each.move for each in found] == [str(move) for move in moves[:3]]


def test_facts_follow_from_the_rules() -> None:
    """Every fact about every legal move of a few games agrees with what playing it leads to."""
    seen = set()
    for seed in range(6):
        game = pw.Game(pw.Setup.random(seed))
        while game.position.outcome is None:
            position = game.position
            moves = position.legal_moves()
            for move in moves[:: max(1, len(moves) // 12)]:
                fact = why(position, move)
                if fact is not None:
                    seen.add(fact[0])
                    check(position, move, *fact)
            game.push(moves[(seed * 7 + len(game.moves) * 13) % len(moves)])
    assert seen >= {"leather", "again", "income", "line"}


def check(position: pw.Position, move: Move, code: str, figure: int) -> None:
    """Checks a fact by other means than those that found it."""
    seat, after = position.turn, position.play(move)
    if code == "leather":
        assert len(after.leather) < len(position.leather)
    elif code == "again":
        assert after.turn == seat
    elif code == "line":
        price = pw.PATCHES[move.patch].cost if isinstance(move, pw.Buy) else 0
        advanced = after.players[seat].time - position.players[seat].time
        earned = 0 if isinstance(move, pw.Buy) else advanced
        gained = after.players[seat].buttons - position.players[seat].buttons
        assert gained + price - earned == figure > 0
    elif code == "income":
        assert isinstance(move, pw.Buy)
        patch = pw.PATCHES[move.patch]
        lines = [line for line in range(5, 54, 6) if line > position.players[seat].time]
        assert patch.income * len(lines) - patch.cost == figure > 0


def test_a_space_that_no_patch_could_fill_is_a_hole() -> None:
    position = pw.Position.parse(LEATHER)
    holes = [str(move) for move in position.legal_moves() if why(position, move) == ("hole", 1)]
    assert holes == ["Lh8"]
    assert why(position, "Li4") is None


def test_winning_the_tile_comes_first() -> None:
    text = (GOLDEN / "square-by-leather.txt").read_text("utf-8")
    record = pw.Record.parse(text.partition("\n=")[0])
    positions, moves = record.game.positions(), record.game.moves
    won = next(ply for ply, position in enumerate(positions) if position.tile is not None)
    assert why(positions[won - 1], moves[won - 1]) == ("tile", 7)


def test_a_fact_that_all_candidates_share_says_less_than_another_one() -> None:
    position = played("14Aa1")
    assert why(position, "25Aa1") == why(position, "13Aa1") == ("again", 1)
    found = candidates(position, ("25Aa1", 0.6, 1.0, 9), ("13Aa1", 0.5, 0.0, 9))
    codes = [each.why and (each.why.code, each.why.figure) for each in found]
    assert codes == [("again", 1), ("income", 7)]
    found = candidates(position, ("25Aa1", 0.6, 1.0, 9), ("13Aa1", 0.5, 0.0, 9), ("A", 0.4, 0.0, 9))
    assert [each.why and each.why.code for each in found] == ["again", "again", None]
