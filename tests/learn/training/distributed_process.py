"""One of several processes that train together; ``torchrun`` starts them."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from learn.tiny import CONFIG, CPU
from patchwork.learn.run import Run
from patchwork.learn.training.distributed import ProcessGroup


def main(folder: Path, steps: int) -> None:
    """Trains for a while, then writes its weights and the circles of its games."""
    processes = ProcessGroup.join()
    run = Run(replace(CONFIG, keep_every=0), folder / "run", CPU, processes)
    # A different minute means a different learning rate, unless the processes agree on one.
    run.minutes = 10.0 * processes.rank
    run.learn(60, lambda _: None, lambda: run.trainer.steps >= steps)
    saved = run.trainer.state_dict()
    replay = run._replay
    shards = zip(replay.circles, replay.written, strict=True)
    torch.save(
        {
            "rank": processes.rank,
            "size": processes.size,
            "steps": saved["steps"],
            "network": saved["learners"]["player"]["network"],
            "average": saved["learners"]["player"]["average"],
            "circles": torch.from_numpy(np.concatenate([shard[:last] for shard, last in shards])),
            "games": run.games,
        },
        folder / f"member-{processes.rank}.pt",
    )
    processes.leave()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
