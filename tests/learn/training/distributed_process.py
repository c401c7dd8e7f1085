"""One process of a team that learns together; ``torchrun`` starts several of it."""

import sys
from dataclasses import replace
from pathlib import Path

import torch

from learn.tiny import CONFIG, CPU
from patchwork.learn.run import Run
from patchwork.learn.training.distributed import ProcessGroup


def main(folder: Path, steps: int) -> None:
    """Learns for a while, then writes its weights, and what it learned from."""
    team = ProcessGroup.join()
    run = Run(replace(CONFIG, keep_every=0), folder / "run", CPU, team)
    # Another part of the run, so another learning rate, where no process agreed with the others.
    run.minutes = 10.0 * team.rank
    run.learn(60, lambda _: None, lambda: run.trainer.steps >= steps)
    saved = run.trainer.state_dict()
    written = run._replay.written
    torch.save(
        {
            "rank": team.rank,
            "size": team.size,
            "steps": saved["steps"],
            "network": saved["learners"]["player"]["network"],
            "average": saved["learners"]["player"]["average"],
            "circles": torch.from_numpy(run._replay.circles[0, : written[0]].copy()),
            "games": run.games,
        },
        folder / f"member-{team.rank}.pt",
    )
    team.leave()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
