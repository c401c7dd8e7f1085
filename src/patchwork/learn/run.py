"""A run: self-play and training side by side, and the files they write.

The games go on in the calling thread, training in one of its own. ``checkpoint`` describes the
folder of a run.
"""

import copy
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from time import perf_counter

import torch

from patchwork.arena.elo import Estimate
from patchwork.learn.checkpoint import RunFolder, Unreadable, code_version, read_network, read_state
from patchwork.learn.config import Config
from patchwork.learn.devices import own_threads, switch_threads_often
from patchwork.learn.export import read_exported
from patchwork.learn.measure.run_elo import RunElo
from patchwork.learn.progress import Progress
from patchwork.learn.selfplay.plan import PlannedSelfPlay
from patchwork.learn.training.background import TrainingThread
from patchwork.learn.training.distributed import ProcessGroup
from patchwork.learn.training.replay_buffer import WRITE_MARGIN, new_buffer
from patchwork.learn.training.trainer import Trainer, learning_rate

_REPORT_EVERY = 5.0
"""Seconds between two lines of metrics."""
_SAVE_EVERY = 45.0
"""Seconds between two checkpoints: what a run loses at most if it is killed."""
_UPDATE_EVERY = 3.0
"""Seconds between two updates of the weights that self-play uses."""
_COUNT_EVERY = 1.0
"""Seconds between two counts of what has been played."""


class Run:
    """Self-play and training of one network, in a folder."""

    def __init__(
        self,
        config: Config,
        folder: Path,
        device: torch.device,
        processes: ProcessGroup | None = None,
    ) -> None:
        self._config = config
        self._folder = RunFolder(folder)
        self._device = device
        self._processes = processes or ProcessGroup()
        self._threads = own_threads()
        if device.type == "cpu":
            # Games and training share the cores; with more threads they would only wait.
            torch.set_num_threads(max(1, self._threads // 2))
        # A shard must hold more than what self-play writes to it while a batch is drawn.
        shard = max(-(-config.buffer_size // self._threads), 2 * WRITE_MARGIN)
        self._replay = new_buffer(self._threads, shard)
        self.trainer = Trainer(config, self._replay, device, self._processes)
        self._run_elo = RunElo(config, device)
        self.rating: Estimate | None = None
        """The latest rating on the run's own scale."""
        self._began_with: str | None = None
        """The name of the network that the run started from, if it did."""
        self.minutes = 0.0
        self.games = 0
        self.positions = 0
        self._before = 0, 0
        """Games and positions before this call."""

    def resume(self, path: Path) -> None:
        """Resumes from the folder of a run, or from a checkpoint.

        Raises:
            OSError: it cannot be read.
            Unreadable: there is no checkpoint in it.
            ValueError: the networks in it are not of the configured sizes.
        """
        source = RunFolder(path if path.is_dir() else path.parent)
        saved = read_state(source.checkpoint if path.is_dir() else path, self._device)
        if "learners" not in saved:
            raise Unreadable(f"{path} is not a checkpoint")
        self.trainer.load_state_dict(saved)
        self._run_elo.load_state_dict(saved.get("run_elo", {}), self.trainer.player)
        self.minutes, self.games = saved["minutes"], saved["games"]
        self.positions = saved["positions"]
        self._began_with = saved.get("began_with")
        if self._processes.is_main:
            self._folder.continue_from(source)

    def start_from(self, path: Path) -> None:
        """Starts a new run from the weights of a network, which is also the zero of its ratings.

        The file may be one that a run kept or one that was exported.

        Raises:
            OSError: it cannot be read.
            Unreadable: there is no network in it.
            ValueError: the network cannot grow to the configured size.
        """
        read = read_exported if path.suffix == ".onnx" else read_network
        self.trainer.learners["player"].start_from(read(path))
        self._began_with = path.stem
        self._run_elo.rate(self.trainer.player)

    def learn(
        self,
        minutes: float,
        report: Callable[[Progress], None],
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Plays and trains for that many minutes, to the end of the plan, or until stopped.

        Raises:
            OSError: the folder cannot be written.
        """
        # Training must not keep the thread that steps the games waiting for the interpreter.
        switch_threads_often()
        if self._processes.is_main:
            self._folder.begin(self._config, self._device, self._threads)
        minutes = min(minutes, self._config.minutes - self.minutes)
        self._before = self.games, self.positions
        selfplay = PlannedSelfPlay(
            self._config,
            self.trainer.player,
            self._replay,
            self._device,
            self._processes,
            self._config.seed + self.games,
        )
        if self._processes.is_main and self._config.match_every:
            self._run_elo.prepare(self.trainer.player)
        training = TrainingThread(self.trainer, self._device, self._processes)
        training.start()
        try:
            self._go_on(minutes, selfplay, training, report, stopped)
        finally:
            training.stop()
            selfplay.close()
            self._count(selfplay, training)
            if self._processes.is_main:
                self._save()
                self._keep()
        if training.failure is not None:
            raise training.failure

    def _go_on(
        self,
        minutes: float,
        selfplay: PlannedSelfPlay,
        training: TrainingThread,
        report: Callable[[Progress], None],
        stopped: Callable[[], bool],
    ) -> None:
        config = self._config
        selfplay.step(self.minutes / config.minutes)  # compiling does not count as minutes
        counting, reporting, saving, updating = map(
            _Every, (_COUNT_EVERY, _REPORT_EVERY, _SAVE_EVERY, _UPDATE_EVERY)
        )
        matching, keeping = _Every(60 * config.match_every), _Every(60 * config.keep_every)
        before, started = self.minutes, perf_counter()
        while not (stopped() or training.over.is_set()):
            elapsed = (perf_counter() - started) / 60
            self.minutes = before + min(elapsed, minutes)
            if elapsed >= minutes:
                return
            training.share = self.minutes / config.minutes
            selfplay.step(training.share)
            if selfplay.positions >= config.min_buffer_size:
                training.allowed = config.reuse * selfplay.positions
            if counting.due():
                self._count(selfplay, training)
            if updating.due():
                with training.lock:
                    selfplay.update(self.trainer.player)
            if not self._processes.is_main:
                continue
            if reporting.due():
                progress = self._progress(selfplay, training, minutes - elapsed, minutes)
                self._folder.note(asdict(progress))
                report(progress)
            if saving.due():
                with training.lock:
                    self._save()
            if matching.due():
                self._rate(training.lock)
            if keeping.due():
                with training.lock:
                    self._keep()

    def _count(self, selfplay: PlannedSelfPlay, training: TrainingThread) -> None:
        training.tally = selfplay.tally()
        games, positions = self._before
        self.games = games + int(training.total_tally.games)
        self.positions = positions + int(training.total_tally.positions)

    def _progress(
        self, selfplay: PlannedSelfPlay, training: TrainingThread, left: float, minutes: float
    ) -> Progress:
        return Progress(
            minutes=self.minutes,
            games=self.games,
            positions=self.positions,
            evaluations=training.total_tally.speed,
            steps=self.trainer.steps,
            simulations=selfplay.simulations,
            learning_rate=learning_rate(self._config, training.share),
            losses=training.mean_losses(),
            first_wins=selfplay.first_wins,
            left=left,
            share_left=left / minutes,
        )

    def _rate(self, lock: Lock) -> None:
        """Rates the current network on the run's own scale and records the rating."""
        with lock:
            player = copy.deepcopy(self.trainer.player)
            if self._device.type == "cuda":
                torch.cuda.synchronize()
        self.rating = rating = self._run_elo.rate(player)
        self._folder.note(
            {
                "minutes": self.minutes,
                "rating": rating.elo,
                "rating_low": rating.low,
                "rating_high": rating.high,
            }
        )

    def _keep(self) -> None:
        facts = {
            "minutes": self.minutes,
            "games": self.games,
            "positions": self.positions,
            "steps": self.trainer.steps,
            **({"began_with": self._began_with} if self._began_with else {}),
            **code_version(),
            "config": self._config.values(),
        }
        for name, learner in self.trainer.learners.items():
            self._folder.keep(name, learner.average, facts)

    def _save(self) -> None:
        self._folder.save(
            self.trainer.state_dict()
            | {
                "run_elo": self._run_elo.state_dict(),
                "config": self._config.values(),
                "began_with": self._began_with,
                "minutes": self.minutes,
                "games": self.games,
                "positions": self.positions,
            }
        )


class _Every:
    """Says when a number of seconds has passed again; 0 is never."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._last = perf_counter()

    def due(self) -> bool:
        """Returns whether it is time; if so, the next period starts."""
        now = perf_counter()
        if not self._seconds or now - self._last < self._seconds:
            return False
        self._last = now
        return True
