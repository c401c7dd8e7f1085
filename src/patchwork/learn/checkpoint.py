"""The folder of a run, and files of networks.

A folder holds the configuration and the circumstances of each call (``run.json``), measurements
(``metrics.jsonl``, a line every few seconds), the state to resume from (``checkpoint.pt``),
networks kept along the way (``networks/``, named after the minute), ratings (``ratings.json``) and
``plots/``.
"""

import json
import platform
import subprocess
import sys
from dataclasses import astuple
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

import patchwork
from patchwork.learn import old_names
from patchwork.learn.config import Config
from patchwork.learn.network import Network, Size


class Unreadable(Exception):
    """A file that is damaged, or not of the expected kind."""


class RunFolder:
    """Writes the files of a run and reads them back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoint = path / "checkpoint.pt"
        self.networks = path / "networks"
        self.ratings = path / "ratings.json"
        self.plots = path / "plots"
        self._run = path / "run.json"
        self._metrics = path / "metrics.jsonl"

    def begin(self, config: Config, device: torch.device, threads: int) -> None:
        """Records the circumstances in which a run starts or resumes; earlier entries stay.

        Raises:
            OSError: the folder cannot be written.
        """
        self.networks.mkdir(parents=True, exist_ok=True)
        calls = self._archived()["calls"] if self._run.exists() else []
        calls.append(
            {
                "began": datetime.now(UTC).isoformat(timespec="seconds"),
                **code_version(),
                "python": sys.version.split()[0],
                "torch": torch.__version__,
                "device": _device_name(device),
                "processor": platform.processor() or platform.machine(),
                "threads": threads,
            }
        )
        archived = {"config": config.values(), "calls": calls}
        write_whole(self._run, (json.dumps(archived, indent=2) + "\n").encode())

    def continue_from(self, other: "RunFolder") -> None:
        """Copies the records of the run so far from another folder."""
        if other.path.resolve() == self.path.resolve():
            return
        self.path.mkdir(parents=True, exist_ok=True)
        for mine, theirs in ((self._run, other._run), (self._metrics, other._metrics)):
            if theirs.exists():
                write_whole(mine, theirs.read_bytes())

    def config(self) -> Config:
        """Returns the configuration of the run.

        Raises:
            OSError: there is no run in the folder.
            Unreadable: the record of the run is damaged.
            ConfigError: the configuration has settings that this version does not know.
        """
        return Config.of(self._archived()["config"])

    def note(self, values: dict[str, Any]) -> None:
        """Adds a line to the metrics."""
        with self._metrics.open("a", encoding="utf-8") as file:
            file.write(json.dumps(values) + "\n")

    def metrics(self) -> list[dict[str, Any]]:
        """Returns all measurements, without a last line that was not written to its end.

        A run that is killed goes through the time after its last checkpoint again when it is
        resumed; only what was measured the second time is returned.
        """
        if not self._metrics.exists():
            return []
        lines: list[dict[str, Any]] = []
        for text in self._metrics.read_text(encoding="utf-8").splitlines():
            try:
                line = old_names.renamed(json.loads(text), old_names.METRICS)
            except ValueError:
                continue
            while lines and lines[-1]["minutes"] > line["minutes"]:
                lines.pop()
            lines.append(line)
        return lines

    def save(self, state: dict[str, Any]) -> None:
        """Writes the state to resume from; a run killed meanwhile keeps the previous one."""
        _save_whole(state, self.checkpoint)

    def keep(self, name: str, network: Network, facts: dict[str, Any]) -> None:
        """Writes a network as it is now, with facts about it."""
        file = self.networks / f"{name}-{facts['minutes']:05.1f}.pt"
        write_network(network, file, {"name": file.stem, **facts})

    def _archived(self) -> dict[str, Any]:
        try:
            archived: dict[str, Any] = json.loads(self._run.read_text(encoding="utf-8"))
            archived["config"], archived["calls"]
        except (ValueError, KeyError, TypeError) as error:
            raise Unreadable(f"{self._run} is damaged: {error!r}") from error
        return archived


def write_network(network: Network, path: Path, facts: dict[str, Any] | None = None) -> None:
    """Writes a network with its size and other facts about it."""
    saved = {
        "size": astuple(network.size),
        "network": {name: value.cpu() for name, value in network.state_dict().items()},
        "facts": facts or {},
    }
    _save_whole(saved, path)


def read_network(path: Path) -> Network:
    """Returns the network in a file.

    Raises:
        OSError: the file cannot be read.
        Unreadable: there is no network in it.
    """
    saved = read_state(path)
    try:
        network = Network(Size(*saved["size"]))
        network.load_state_dict(saved["network"])
    except (KeyError, TypeError, RuntimeError) as error:
        raise Unreadable(f"{path} is not a network") from error
    return network


def read_facts(path: Path) -> dict[str, Any]:
    """Returns the facts about the network in a file; see ``read_network``."""
    facts: dict[str, Any] = read_state(path).get("facts", {})
    return facts


def read_state(path: Path, device: torch.device | None = None) -> dict[str, Any]:
    """Returns the content of a PyTorch file, a checkpoint under its present names.

    Raises:
        OSError: the file cannot be read.
        Unreadable: the file is of another kind, or damaged.
    """
    with path.open("rb") as file:
        try:
            state = torch.load(file, map_location=device or "cpu", weights_only=True)
        except Exception as error:  # PyTorch raises many kinds for other files
            raise Unreadable(f"{path} is not a PyTorch file, or is damaged") from error
    if not isinstance(state, dict):
        raise Unreadable(f"{path} is neither a network nor a checkpoint")
    return old_names.renamed(state, old_names.CHECKPOINT)


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file under another name and renames it, so that no reader ever sees half of it."""
    new = path.with_name(f"{path.name}.new")
    new.write_bytes(content)
    new.replace(path)


def _save_whole(state: dict[str, Any], path: Path) -> None:
    new = path.with_name(f"{path.name}.new")
    torch.save(state, new)
    new.replace(path)


def code_version() -> dict[str, str]:
    """Returns the version of this code and its commit, marked if files differ from the commit."""
    return {"version": patchwork.__version__, "commit": _commit()}


def _commit() -> str:
    try:
        found = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return found.stdout.strip()


def _device_name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
