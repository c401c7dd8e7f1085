"""Training in a thread of its own, beside the games."""

from contextlib import nullcontext
from threading import Event, Lock, Thread
from time import sleep
from typing import Any

import torch

from patchwork.learn.progress import Tally
from patchwork.learn.training.distributed import Team
from patchwork.learn.training.trainer import Trainer


class Learning(Thread):
    """Takes steps of training, as many as the games allow; in a team all take them together."""

    def __init__(self, trainer: Trainer, device: torch.device, team: Team) -> None:
        super().__init__(daemon=True)
        self.part = 0.0
        self.allowed = 0.0
        """Samples that may have been learned from by now."""
        self.tally = Tally(0, 0, 0)
        """What this process has played."""
        self.lock = Lock()
        """Held during a step, and by whoever looks at the weights."""
        self.over = Event()
        """Set when it will learn no more: it was stopped, another of the team was, or it failed."""
        self.failure: BaseException | None = None
        self._learned = 0
        self._trainer = trainer
        self._device = device
        self._team = team
        self._together = self.tally
        self._losses: list[torch.Tensor] = []
        self._ended = Event()

    def run(self) -> None:
        """Learns until it is stopped."""
        try:
            with self._stream():
                self._learn()
        except BaseException as error:
            self.failure = error
        finally:
            self.over.set()

    def _stream(self) -> Any:
        if self._device.type != "cuda":
            return nullcontext()
        return torch.cuda.stream(torch.cuda.Stream())  # type: ignore[no-untyped-call]

    def _learn(self) -> None:
        batch = self._trainer.config.batch
        while True:
            ended = self._ended.is_set()
            if not ended and self._learned + batch > self.allowed:
                sleep(0.001)
                continue
            # All of a team step at the same part of the run, and stop when one of them stops.
            stops, part, *tally = self._team.sums((float(ended), self.part, *self.tally))
            self._together = Tally(*tally)
            if stops:
                return
            with self.lock:
                self._losses.append(self._trainer.step(part / self._team.size))
                self._learned += batch
                if self._device.type == "cuda":
                    torch.cuda.current_stream().synchronize()

    @property
    def together(self) -> Tally:
        """What the whole team has played, as far as this process knows."""
        return self.tally if self._team.size == 1 else self._together

    def losses(self) -> tuple[tuple[float, ...], ...]:
        """Returns the mean losses since it was last asked, of each pupil."""
        with self.lock:
            losses, self._losses = self._losses, []
        if not losses:
            return ()
        return tuple(tuple(each) for each in torch.stack(losses).mean(0).tolist())

    def stop(self) -> None:
        """Ends the training after the step it is at."""
        self._ended.set()
        self.join()
        self._trainer.close()
