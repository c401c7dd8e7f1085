"""Networks of a run are rated on the arena's scale, and no match is played twice."""

import json
from pathlib import Path

import pytest

from learn.tiny import network
from patchwork.learn.checkpoint import RunFolder, write_network
from patchwork.learn.measure import gauntlet as gauntlet_module
from patchwork.learn.measure.gauntlet import Gauntlet
from patchwork.learn.measure.plots import draw


def test_a_network_is_rated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gauntlet_module, "BASELINES", ("random", "greedy"))
    folder = RunFolder(tmp_path)
    folder.networks.mkdir()
    write_network(network(1), folder.networks / "player-001.0.pt")
    gauntlet = Gauntlet(folder, nodes=1, pairs=2, seed=0)
    assert gauntlet.networks == ("player-001.0@1n",)
    pairings = [
        ("random", "greedy"),
        ("random", gauntlet.networks[0]),
        ("greedy", "player-001.0@1n"),
    ]
    assert gauntlet.missing() == pairings
    reported: list[tuple[int, tuple[str, str]]] = []
    gauntlet.play(1, lambda games, names: reported.append((games, names)))
    assert [games for games, _ in reported] == list(range(1, 13))
    assert reported[-1][1] == pairings[-1]
    ratings = gauntlet.finish()
    assert {rated.player for rated in ratings} == {"random", "greedy", "player-001.0@1n"}
    strengths = {rated.player: rated.estimate for rated in ratings}
    assert strengths["greedy"].elo == 0 > strengths["player-001.0@1n"].elo
    kept = json.loads(folder.ratings.read_text("utf-8"))
    assert {each["player"]: each["elo"] for each in kept["ratings"]} == {
        player: estimate.elo for player, estimate in strengths.items()
    }
    draw(folder)
    assert "greedy" in (folder.plots / "rating.svg").read_text("utf-8")

    write_network(network(2), folder.networks / "player-002.0.pt")
    again = Gauntlet(folder, nodes=1, pairs=2, seed=0)
    newest = "player-002.0@1n"
    assert set(again.missing()) == {
        ("greedy", newest),
        ("player-001.0@1n", newest),
        ("random", newest),
    }
    assert len(Gauntlet(folder, nodes=2, pairs=2, seed=0).missing()) == 6, "another kind of match"
