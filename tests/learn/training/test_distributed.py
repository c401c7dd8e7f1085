"""Two processes train one network on processors, each with games of its own."""

import os
import subprocess
import sys
from pathlib import Path

import torch

from patchwork.learn.training.distributed import ProcessGroup

MEMBER = Path(__file__).parent / "distributed_process.py"


def test_one_process_shares_nothing() -> None:
    processes = ProcessGroup()
    assert processes.is_main
    assert processes.sums((1.5, 2)) == [1.5, 2]


def test_two_processes_keep_the_same_weights_and_play_different_games(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "torch.distributed.run", "--standalone"),
            *("--nproc-per-node", "2", str(MEMBER), str(tmp_path), "12"),
        ],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    first, second = (
        torch.load(tmp_path / f"member-{rank}.pt", weights_only=True) for rank in (0, 1)
    )
    assert (first["rank"], second["rank"], first["size"]) == (0, 1, 2)
    assert first["steps"] == second["steps"] >= 12
    for part in ("network", "average"):
        for name, value in first[part].items():
            assert torch.equal(value, second[part][name]), name
    circles = [{tuple(row) for row in each["circles"].tolist()} for each in (first, second)]
    assert all(len(each) > 1 for each in circles)
    assert not circles[0] & circles[1], "both played the same games"
    assert len(list((tmp_path / "run" / "networks").iterdir())) == 1, "only one of them writes"
    assert (tmp_path / "run" / "checkpoint.pt").exists()
