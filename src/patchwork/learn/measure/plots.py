"""Plots of a run: its ratings over time, its losses, and its speed."""

import re
from collections.abc import Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from patchwork.learn.checkpoint import RunFolder
from patchwork.learn.measure.gauntlet import BASELINES, read_ratings
from patchwork.learn.training.losses import LOSSES

_SIZE = (8, 4.5)
"""Of a figure, in inches."""
_NETWORK_NAME = re.compile(r"(?P<learner>\w+)-(?P<minutes>[0-9.]+)@(?P<nodes>[0-9]+)n")
"""The names of networks in ratings."""


def draw(folder: RunFolder) -> None:
    """Writes all plots of a run for which there are measurements.

    Raises:
        OSError: the folder cannot be written.
    """
    lines = folder.metrics()
    folder.plots.mkdir(parents=True, exist_ok=True)
    reports = [line for line in lines if "evaluations" in line]
    rated = [line for line in lines if "rating" in line]
    strengths = read_ratings(folder.ratings)
    if rated or strengths:
        _save(folder, "rating", _rating(rated, strengths))
    if any(line["losses"] for line in reports):
        _save(folder, "losses", _losses([line for line in reports if line["losses"]]))
    if reports:
        _save(folder, "throughput", _throughput(reports))


def _rating(rated: Sequence[dict[str, Any]], strengths: Sequence[dict[str, Any]]) -> Figure:
    figure = Figure(_SIZE, layout="constrained")
    both = [bool(rated), bool(strengths)]
    parts = iter(figure.subplots(1, sum(both), squeeze=False)[0])
    if rated:
        axes = next(parts)
        _with_interval(axes, rated, "rating", "rating_low", "rating_high", "network in training")
        _label(axes, "Elo, first network = 0")
    if strengths:
        axes = next(parts)
        learners: dict[str, list[dict[str, Any]]] = {}
        for strength in strengths:
            found = _NETWORK_NAME.fullmatch(strength["player"])
            if found is not None:
                label = f"{found['learner']}, {found['nodes']} nodes a move"
                point = strength | {"minutes": float(found["minutes"])}
                learners.setdefault(label, []).append(point)
            elif strength["player"] in BASELINES:
                axes.axhline(strength["elo"], color="grey", linestyle=":", linewidth=1)
                axes.annotate(strength["player"], (0, strength["elo"]), color="grey")
        for label, points in learners.items():
            points.sort(key=lambda point: point["minutes"])
            _with_interval(axes, points, "elo", "low", "high", label)
        _label(axes, "Elo, greedy = 0")
    return figure


def _losses(reports: Sequence[dict[str, Any]]) -> Figure:
    figure = Figure(_SIZE, layout="constrained")
    for axes, (number, name) in zip(
        figure.subplots(1, len(LOSSES)), enumerate(LOSSES), strict=True
    ):
        # Runs of earlier versions do not have all of them.
        known = [line for line in reports if number < len(line["losses"][0])]
        minutes = [line["minutes"] for line in known]
        for learner in range(len(reports[0]["losses"])):
            label = "player" if learner == 0 else "student"
            axes.plot(minutes, [line["losses"][learner][number] for line in known], label=label)
        axes.set_title(name)
        _label(axes, "loss" if number == 0 else "")
    return figure


def _throughput(reports: Sequence[dict[str, Any]]) -> Figure:
    figure = Figure(_SIZE, layout="constrained")
    minutes = [line["minutes"] for line in reports]
    speed, games = figure.subplots(1, 2)
    speed.plot(minutes, [line["evaluations"] for line in reports], label="evaluations per second")
    _label(speed, "evaluations per second")
    games.plot(minutes, [line["games"] for line in reports], label="games")
    games.plot(minutes, [line["positions"] for line in reports], label="positions")
    games.set_yscale("symlog")
    _label(games, "so far")
    return figure


def _with_interval(
    axes: Axes, points: Sequence[dict[str, Any]], middle: str, low: str, high: str, label: str
) -> None:
    minutes = [point["minutes"] for point in points]
    (line,) = axes.plot(minutes, [point[middle] for point in points], marker=".", label=label)
    lows, highs = ([point[end] for point in points] for end in (low, high))
    axes.fill_between(minutes, lows, highs, alpha=0.2, color=line.get_color())


def _label(axes: Axes, what: str) -> None:
    axes.set_xlabel("minutes")
    axes.set_ylabel(what)
    axes.grid(alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize="small")


def _save(folder: RunFolder, name: str, figure: Figure) -> None:
    # Without a date and with a fixed salt for ids, the same measurements give the same file.
    with matplotlib.rc_context({"svg.hashsalt": name}):
        figure.savefig(folder.plots / f"{name}.svg", metadata={"Date": None})
