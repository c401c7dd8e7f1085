"""Files of earlier versions can still be read."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from learn.tiny import CONFIG, CPU
from patchwork.learn import old_names
from patchwork.learn.checkpoint import RunFolder, read_state
from patchwork.learn.config import Config, ConfigError
from patchwork.learn.export import read_exported
from patchwork.learn.network import Size
from patchwork.learn.progress import Progress
from patchwork.learn.run import Run

RUNS = Path(__file__).parents[2] / "docs" / "runs"


@pytest.mark.parametrize("name", ["far-016.6", "wide-017.1", "wide-034.3", "wide-050.9"])
def test_runs_of_the_training_log_are_read(name: str) -> None:
    folder = RunFolder(RUNS / name)
    config, lines = folder.config(), folder.metrics()
    assert config.simulations == ((0.0, 64),)
    assert (config.num_considered, config.buffer_size) == (16, 6_000_000)
    assert (config.min_buffer_size, config.batch_size, config.ema_decay) == (200_000, 4096, 0.9995)
    assert config.td_lambda == (0.8 if name.startswith("far") else 0.95)
    assert config.mlp_blocks == 1
    assert config.circle_channels == (64 if name.startswith("far") else 0)
    assert lines[0]["simulations"] == 64
    assert 0 < lines[-1]["learning_rate"] <= config.learning_rate
    assert set(lines[0]) == {field.name for field in fields(Progress)}


def test_a_network_of_an_earlier_version_is_read() -> None:
    network = read_exported(RUNS / "far-016.6" / "far-016.6.onnx")
    assert network.size == Size(64, 4, hidden=384, mlp_blocks=1, circle_channels=64)


def test_every_earlier_setting_has_a_present_name() -> None:
    names = {field.name for field in fields(Config)}
    assert set(old_names.CONFIG.values()) <= names
    assert not set(old_names.CONFIG) & names


def test_a_setting_given_under_both_names_is_refused() -> None:
    with pytest.raises(ConfigError):
        Config.of({"td_lambda": 0.9, "trust": 0.8})


def test_a_checkpoint_of_an_earlier_version_is_resumed(tmp_path: Path) -> None:
    config = replace(CONFIG, circle_channels=4, match_simulations=1, match_pairs=1)
    first = Run(config, tmp_path / "one", CPU)
    first._run_elo.rate(first.trainer.player)
    first.learn(60, lambda _: None, lambda: first.trainer.steps >= 2)
    checkpoint = tmp_path / "one" / "checkpoint.pt"
    torch.save(_with_earlier_names(read_state(checkpoint)), checkpoint)
    second = Run(config, tmp_path / "two", CPU)
    second.resume(tmp_path / "one")
    for one, other in zip(
        first.trainer.player.parameters(), second.trainer.player.parameters(), strict=True
    ):
        assert torch.equal(one, other)
    assert second._run_elo.state_dict()["names"] == ["1"]


def _with_earlier_names(saved: Any) -> Any:
    """Returns a checkpoint as a version before this one wrote it."""
    names = {new: old for old, new in (old_names.CHECKPOINT | old_names.CONFIG).items()}
    if not isinstance(saved, dict):
        return saved
    renamed = {}
    for name, value in saved.items():
        if isinstance(name, str) and name.startswith("circle."):
            name = name.replace("circle.summary.", "ring.told.").replace("circle.", "ring.")
        renamed[names.get(name, name)] = _with_earlier_names(value)
    return renamed
