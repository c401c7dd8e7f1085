"""A run: self-play and training together, with its folder.

The games go on in the calling thread, training in one of its own; see ``folder`` for what they
leave behind.
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
from patchwork.learn.measure.run_elo import Scale
from patchwork.learn.progress import Progress
from patchwork.learn.selfplay.plan import PlannedPlay
from patchwork.learn.training.background import Learning
from patchwork.learn.training.distributed import Team
from patchwork.learn.training.replay_buffer import new_samples
from patchwork.learn.training.trainer import UNSTEADY, Trainer, learning_rate

_TELL = 5.0
"""Seconds between two lines of metrics."""
_SAVE = 45.0
"""Seconds between two checkpoints: what a run that is killed may lose."""
_UPDATE = 3.0
"""Seconds after which self-play gets the new weights."""
_COUNT = 1.0
"""Seconds between two counts of what was played."""


class Run:
    """Self-play and training of one network, in a folder."""

    def __init__(
        self, config: Config, folder: Path, device: torch.device, team: Team | None = None
    ) -> None:
        self._config = config
        self._folder = RunFolder(folder)
        self._device = device
        self._team = team or Team()
        self._threads = own_threads()
        if device.type == "cpu":
            # Games and training share the cores; more threads would only wait for one another.
            torch.set_num_threads(max(1, self._threads // 2))
        # A shelf must be longer than what is being written while lessons are drawn from it.
        shelf = max(-(-config.samples // self._threads), 2 * UNSTEADY)
        self._samples = new_samples(self._threads, shelf)
        self.trainer = Trainer(config, self._samples, device, self._team)
        self._scale = Scale(config, device)
        self.rating: Estimate | None = None
        """The strength on the run's own scale when it was last measured."""
        self._began_with: str | None = None
        """The name of the network that the run began with, if not with nothing."""
        self.minutes = 0.0
        self.games = 0
        self.positions = 0
        self._before = 0, 0
        """Games and positions when this call began."""

    def resume(self, path: Path) -> None:
        """Goes on from the folder of a run, or from a checkpoint of one.

        Raises:
            OSError: it cannot be read.
            Unreadable: there is no checkpoint in it.
            ValueError: the networks in it are not of the configured sizes.
        """
        source = RunFolder(path if path.is_dir() else path.parent)
        saved = read_state(source.checkpoint if path.is_dir() else path, self._device)
        if "pupils" not in saved:
            raise Unreadable(f"{path} is not a checkpoint")
        self.trainer.load(saved)
        self._scale.load(saved.get("scale", {}), self.trainer.player)
        self.minutes, self.games = saved["minutes"], saved["games"]
        self.positions = saved["positions"]
        self._began_with = saved.get("began_with")
        if self._team.leads:
            self._folder.continue_from(source)

    def begin_with(self, path: Path) -> None:
        """Begins a new run with the weights of a network, by which it measures its own.

        The network may be one that a run has kept, or one that was exported.

        Raises:
            OSError: it cannot be read.
            Unreadable: there is no network in it.
            ValueError: it is not of the configured size.
        """
        read = read_exported if path.suffix == ".onnx" else read_network
        self.trainer.pupils["player"].begin_as(read(path))
        self._began_with = path.stem
        self._scale.rate(self.trainer.player, path.stem)

    def learn(
        self,
        minutes: float,
        tell: Callable[[Progress], None],
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Plays and learns for that many minutes, to the end of the plan, or until it is stopped.

        Raises:
            OSError: the folder cannot be written.
        """
        # Who calls the hands must not wait long for the interpreter while training holds it.
        switch_threads_often()
        if self._team.leads:
            self._folder.begin(self._config, self._device, self._threads)
        minutes = min(minutes, self._config.minutes - self.minutes)
        self._before = self.games, self.positions
        playing = PlannedPlay(
            self._config,
            self.trainer.player,
            self._samples,
            self._device,
            self._team,
            self._config.seed + self.games,
        )
        if self._team.leads and self._config.match_every:
            self._scale.prepare(self.trainer.player)
        learning = Learning(self.trainer, self._device, self._team)
        learning.start()
        try:
            self._go_on(minutes, playing, learning, tell, stopped)
        finally:
            learning.stop()
            playing.close()
            self._count(playing, learning)
            if self._team.leads:
                self._save()
                self._keep()
        if learning.failure is not None:
            raise learning.failure

    def _go_on(
        self,
        minutes: float,
        playing: PlannedPlay,
        learning: Learning,
        tell: Callable[[Progress], None],
        stopped: Callable[[], bool],
    ) -> None:
        config = self._config
        playing.turn(self.minutes / config.minutes)  # what there is to compile takes no time of it
        counting, telling, saving, updating = map(_Every, (_COUNT, _TELL, _SAVE, _UPDATE))
        matching, keeping = _Every(60 * config.match_every), _Every(60 * config.keep_every)
        before, started = self.minutes, perf_counter()
        while not (stopped() or learning.over.is_set()):
            elapsed = (perf_counter() - started) / 60
            self.minutes = before + min(elapsed, minutes)
            if elapsed >= minutes:
                return
            learning.part = self.minutes / config.minutes
            playing.turn(learning.part)
            if playing.positions >= config.start:
                learning.allowed = config.reuse * playing.positions
            if counting.due():
                self._count(playing, learning)
            if updating.due():
                with learning.lock:
                    playing.update(self.trainer.player)
            if not self._team.leads:
                continue
            if telling.due():
                progress = self._progress(playing, learning, minutes - elapsed, minutes)
                self._folder.note(asdict(progress))
                tell(progress)
            if saving.due():
                with learning.lock:
                    self._save()
            if matching.due():
                self._rate(learning.lock)
            if keeping.due():
                with learning.lock:
                    self._keep()

    def _count(self, playing: PlannedPlay, learning: Learning) -> None:
        learning.tally = playing.tally()
        games, positions = self._before
        self.games = games + int(learning.together.games)
        self.positions = positions + int(learning.together.positions)

    def _progress(
        self, playing: PlannedPlay, learning: Learning, left: float, minutes: float
    ) -> Progress:
        return Progress(
            minutes=self.minutes,
            games=self.games,
            positions=self.positions,
            evaluations=learning.together.speed,
            steps=self.trainer.steps,
            walks=playing.walks,
            rate=learning_rate(self._config, learning.part),
            losses=learning.losses(),
            first_wins=playing.first_wins,
            left=left,
            share_left=left / minutes,
        )

    def _rate(self, lock: Lock) -> None:
        """Measures the strength on the run's own scale, and notes it."""
        with lock:
            player = copy.deepcopy(self.trainer.player)
            if self._device.type == "cuda":
                torch.cuda.synchronize()
        self.rating = rating = self._scale.rate(player, f"{self.minutes:.2f}")
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
        for name, pupil in self.trainer.pupils.items():
            self._folder.keep(name, pupil.average, facts)

    def _save(self) -> None:
        self._folder.save(
            self.trainer.saved()
            | {
                "scale": self._scale.saved(),
                "config": self._config.values(),
                "began_with": self._began_with,
                "minutes": self.minutes,
                "games": self.games,
                "positions": self.positions,
            }
        )


class _Every:
    """Tells when a number of seconds have passed again; 0 is never."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._last = perf_counter()

    def due(self) -> bool:
        """Returns whether it is time, and begins to wait anew if so."""
        now = perf_counter()
        if not self._seconds or now - self._last < self._seconds:
            return False
        self._last = now
        return True
