"""The thread that trains while the games go on."""

from contextlib import nullcontext
from threading import Event, Lock, Thread
from time import sleep
from typing import Any

import torch

from patchwork.learn.progress import Tally
from patchwork.learn.training.distributed import ProcessGroup
from patchwork.learn.training.trainer import Trainer

_POLL = 0.001
"""Seconds between two looks at whether there are positions for another step."""


class TrainingThread(Thread):
    """Takes training steps as fast as new positions allow; all processes of a run step together."""

    def __init__(self, trainer: Trainer, device: torch.device, processes: ProcessGroup) -> None:
        super().__init__(daemon=True)
        self.share = 0.0
        """The share of the run that is over."""
        self.allowed = 0.0
        """Samples that training may have used by now."""
        self.tally = Tally(0, 0, 0)
        """What this process has played."""
        self.lock = Lock()
        """Held during a step, and by any thread that reads the weights."""
        self.over = Event()
        """Set when there will be no more steps: it or another process was stopped, or it failed."""
        self.failure: BaseException | None = None
        self._used = 0
        self._trainer = trainer
        self._device = device
        self._processes = processes
        self._sums = self.tally
        self._losses: list[torch.Tensor] = []
        self._stopping = Event()

    def run(self) -> None:
        """Trains until it is stopped."""
        try:
            with self._stream():
                self._train()
        except BaseException as error:
            self.failure = error
        finally:
            self.over.set()

    def _stream(self) -> Any:
        if self._device.type != "cuda":
            return nullcontext()
        return torch.cuda.stream(torch.cuda.Stream())  # type: ignore[no-untyped-call]

    def _train(self) -> None:
        batch_size = self._trainer.config.batch_size
        while True:
            stopping = self._stopping.is_set()
            if not stopping and self._used + batch_size > self.allowed:
                sleep(_POLL)
                continue
            # All processes use the same learning rate, and stop when one of them stops.
            stops, share, *tally = self._processes.sums((float(stopping), self.share, *self.tally))
            self._sums = Tally(*tally)
            if stops:
                return
            with self.lock:
                self._losses.append(self._trainer.step(share / self._processes.size))
                self._used += batch_size
                if self._device.type == "cuda":
                    torch.cuda.current_stream().synchronize()

    @property
    def total_tally(self) -> Tally:
        """What all processes have played, as of the last step."""
        return self.tally if self._processes.size == 1 else self._sums

    def mean_losses(self) -> tuple[tuple[float, ...], ...]:
        """Returns the mean losses of each learner since the last call."""
        with self.lock:
            losses, self._losses = self._losses, []
        if not losses:
            return ()
        return tuple(tuple(each) for each in torch.stack(losses).mean(0).tolist())

    def stop(self) -> None:
        """Ends the training after the current step."""
        self._stopping.set()
        self.join()
        self._trainer.close()
