"""The game of the tutorial follows the rules, and each of its tasks can be done."""

import json
from pathlib import Path
from typing import Any

import pytest

import patchwork as pw
from patchwork.rules.quilt import places
from patchwork.rules.timeboard import INCOME_LINES, LAST, income_lines

LESSON: Any = json.loads(
    (Path(__file__).parents[2] / "web" / "src" / "tutorial" / "lesson.json").read_text("utf-8")
)
STEPS: dict[str, Any] = {step["name"]: step for step in LESSON["steps"]}
LEARNER = 0


def played() -> pw.Game:
    """Plays the whole game of the tutorial."""
    game = pw.Game(pw.Setup(tuple(LESSON["circle"]), first=LESSON["first"]))
    for text in LESSON["moves"]:
        game.push(pw.parse_move(game.position, text))
    return game


GAME = played()


def at(name: str) -> pw.Position:
    """Returns the position at which a step begins."""
    ply: int = STEPS[name]["ply"]
    return GAME.positions()[ply]


def bought(position: pw.Position) -> list[pw.Position]:
    """Returns the positions after each purchase that the learner can make."""
    moves = position.legal_moves()
    return [position.play(move) for move in moves if isinstance(move, pw.Buy)]


def test_the_game_is_played_to_its_end() -> None:
    assert GAME.position.outcome is not None


def test_the_steps_are_in_order() -> None:
    plies = [step["ply"] for step in STEPS.values()]
    assert plies == sorted(plies)
    assert len(plies) <= 11
    for before, step in zip(LESSON["steps"], LESSON["steps"][1:], strict=False):
        if step.get("continues"):
            assert step["ply"] == before["ply"] + 1


@pytest.mark.parametrize("name", [name for name in STEPS if STEPS[name]["task"] != "read"])
def test_it_is_the_turn_of_the_learner_in_every_task(name: str) -> None:
    position = at(name)
    assert (position.turn, position.outcome) == (LEARNER, None)
    shown = STEPS[name].get("shown", 0)
    first = STEPS[name]["ply"] - shown
    assert all(position.turn != LEARNER for position in GAME.positions()[first:][:shown])


def test_the_text_has_the_score_at_the_beginning() -> None:
    assert at("welcome").scores == (-157, -157)


def test_the_advance_earns_seven_buttons_as_the_text_says() -> None:
    before = at("advance")
    after = before.play(pw.Advance()).players[LEARNER]
    assert after.time - before.players[LEARNER].time == 7
    assert after.buttons - before.players[LEARNER].buttons == 7
    assert before.play(pw.Advance()).turn != LEARNER


def test_the_learner_can_buy_any_patch_and_moves_again() -> None:
    position = at("buy")
    after = bought(position)
    gone = {patch for each in after for patch in position.circle if patch not in each.circle}
    assert gone == set(position.offer)
    assert {each.turn for each in after} == {LEARNER}


def test_every_move_crosses_the_income_line() -> None:
    position = at("income")
    player = position.players[LEARNER]
    assert player.income > 0
    for move in position.legal_moves():
        assert income_lines(player.time, position.play(move).players[LEARNER].time) == 1
    assert len(INCOME_LINES) == 9, "as the text says"


def test_every_move_wins_leather_from_the_shared_space() -> None:
    position = at("leather")
    assert position.players[0].time == position.players[1].time
    assert {position.play(move).phase for move in position.legal_moves()} == {pw.Phase.LEATHER}
    assert len(position.edition.leather) == 5, "as the text says"
    assert at("sew").phase is pw.Phase.LEATHER


def test_only_the_third_patch_turned_fills_the_square_at_the_top_left() -> None:
    position = at("tile")
    (winning,) = [move for move in position.legal_moves() if position.play(move).tile == LEARNER]
    assert isinstance(winning, pw.Buy)
    assert winning == GAME.moves[STEPS["tile"]["ply"]]
    assert winning.patch == position.offer[2]
    assert winning.cells not in places(pw.PATCHES[winning.patch].rows).values()
    square = sum(1 << 9 * row + column for row in range(7) for column in range(7))
    assert position.play(winning).players[LEARNER].quilt & square == square


def test_the_last_move_ends_the_game_and_only_a_patch_wins_it() -> None:
    position = at("end")
    assert position.players[1 - LEARNER].time == LAST
    outcomes = [after.outcome for after in bought(position)]
    assert outcomes
    assert {outcome.winner if outcome else None for outcome in outcomes} == {LEARNER}
    advanced = position.play(pw.Advance()).outcome
    assert advanced is not None
    assert advanced.winner != LEARNER
    assert STEPS["score"]["ply"] == len(GAME.moves)
