"""Configurations are read as written, and errors name the setting."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from patchwork.learn.config import NAMES, RANGES, Config, ConfigError, ConfigProblem, config_path
from patchwork.learn.training.trainer import learning_rate

GUIDE = Path(__file__).parents[2] / "docs" / "training.md"


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "some.toml"
    file.write_text("channels = 32\nminutes = 3\nsimulations = [[0, 8], [0.5, 24]]\n", "utf-8")
    config = Config.read(file)
    assert (config.channels, config.minutes, config.blocks) == (32, 3.0, Config().blocks)
    assert isinstance(config.minutes, float)
    assert [config.simulations_at(share) for share in (0, 0.49, 0.5, 1)] == [8, 8, 24, 24]
    assert Config.of(config.values()) == config


@pytest.mark.parametrize(
    ("text", "problem", "name"),
    [
        ("channels =", ConfigProblem.NOT_TOML, ""),
        ("chanels = 3", ConfigProblem.UNKNOWN, "chanels"),
        ("channels = 0", ConfigProblem.NOT_WHOLE, "channels"),
        ("channels = 1.5", ConfigProblem.NOT_WHOLE, "channels"),
        ("channels = true", ConfigProblem.NOT_WHOLE, "channels"),
        ('games = "many"', ConfigProblem.NOT_WHOLE, "games"),
        ("td_lambda = 1.01", ConfigProblem.NOT_A_NUMBER, "td_lambda"),
        ("td_lambda = nan", ConfigProblem.NOT_A_NUMBER, "td_lambda"),
        ("learning_rate = [1]", ConfigProblem.NOT_A_NUMBER, "learning_rate"),
        ("simulations = 16", ConfigProblem.NOT_A_PLAN, "simulations"),
        ("simulations = []", ConfigProblem.NOT_A_PLAN, "simulations"),
        ("simulations = [[0.1, 16]]", ConfigProblem.NOT_A_PLAN, "simulations"),
        ("simulations = [[0, 16], [0, 32]]", ConfigProblem.NOT_A_PLAN, "simulations"),
        ("simulations = [[0, 16], [2, 32]]", ConfigProblem.NOT_A_PLAN, "simulations"),
        ("simulations = [[0, 0]]", ConfigProblem.NOT_A_PLAN, "simulations"),
        ("simulations = [[0, 16, 1]]", ConfigProblem.NOT_A_PLAN, "simulations"),
    ],
)
def test_errors_name_the_setting(
    tmp_path: Path, text: str, problem: ConfigProblem, name: str
) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigError) as raised:
        Config.read(file)
    assert (raised.value.problem, raised.value.name) == (problem, name)


@pytest.mark.parametrize("name", NAMES)
def test_shipped_configurations_can_be_read(name: str) -> None:
    assert Config.read(config_path(name)).minutes > 0


def test_names_and_paths() -> None:
    assert set(NAMES) == {"deep", "far", "full", "smoke", "wide"}
    assert config_path("smoke").is_file()
    assert config_path("my/own.toml") == Path("my/own.toml")


def test_every_setting_has_a_range_and_a_row_in_the_guide() -> None:
    names = {field.name for field in fields(Config)}
    assert set(RANGES) | {"simulations"} == names
    described = set(re.findall(r"^\| `(\w+)` \|", GUIDE.read_text("utf-8"), re.MULTILINE))
    assert described == names
    for name, (least, most) in RANGES.items():
        assert least <= getattr(Config(), name) <= most


def test_the_learning_rate_follows_a_cosine() -> None:
    config = Config.of({"learning_rate": 0.01, "final_learning_rate": 0.002})
    assert learning_rate(config, 0.0) == pytest.approx(0.01)
    assert learning_rate(config, 0.25) == pytest.approx(0.002 + 0.008 * (1 + 0.5**0.5) / 2)
    assert learning_rate(config, 0.5) == pytest.approx(0.006)
    assert learning_rate(config, 1.0) == pytest.approx(0.002)
    assert learning_rate(config, 1.7) == pytest.approx(0.002)
