"""Worker threads that step the games, and are called and wait without Python.

A step of self-play takes a few milliseconds. To start sixteen threads from Python for each step
would take as long again, since they need the interpreter's lock one after the other. So each worker
runs one compiled function for as long as it lives, and watches a number that says when to start.
"""

from threading import Thread
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.numba_internals import uncounted
from patchwork.engine.kernel.state import Numbers
from patchwork.learn.selfplay.games import (
    GameBatch,
    InferenceBuffers,
    SelfPlayParameters,
    new_workspace,
    step,
)
from patchwork.learn.training.replay_buffer import ReplayBuffer

_CALL, _GROUP, _NEXT = 0, 1, 2
"""Rows of the signals: how many calls there have been; the group of games of this call; the part of
the group to be taken next. After them, one row for each worker: how many calls it has answered."""
_WORKERS = 3
_LINE = 8
"""Numbers in a row: a cache line of 64 bytes each, so that threads do not contend for one."""
_PART = 32
"""Games that a worker takes at a time: few, so that all finish at about the same time."""
_STOP = -1
"""In place of a group: workers end."""
_SPINS = 2000
"""Looks at a signal before a thread gives up its processor for a moment."""
_NAP = 20
"""That moment in microseconds."""


@intrinsic
def _read(_typing: Any, signals: Any, row: Any) -> Any:
    """Reads a signal (atomic load, acquire)."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature, arguments)
        return builder.load_atomic(pointer, ordering="acquire", align=8)

    return types.int64(signals, row), write


@intrinsic
def _write(_typing: Any, signals: Any, row: Any, value: Any) -> Any:
    """Writes a signal (atomic store, release)."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], pointer, ordering="release", align=8)
        return context.get_dummy_value()

    return types.void(signals, row, types.int64), write


@intrinsic
def _take(_typing: Any, signals: Any, row: Any) -> Any:
    """Adds 1 to a signal and returns its value before."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature, arguments)
        return builder.atomic_rmw("add", pointer, ir.Constant(ir.IntType(64), 1), "acq_rel")

    return types.int64(signals, row), write


@intrinsic
def _sleep(_typing: Any, microseconds: Any) -> Any:
    """Gives up the processor, with the C library's ``usleep``."""

    def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        number = ir.IntType(32)
        function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            builder.module, ir.FunctionType(number, [number]), "usleep"
        )
        builder.call(function, [builder.trunc(arguments[0], number)])
        return ir.Constant(ir.IntType(64), 0)

    return types.int64(types.int64), write


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    row = builder.mul(arguments[1], ir.Constant(arguments[1].type, _LINE))
    return builder.gep(array.data, [row])


@compiled
def _await(signals: Numbers, row: int, value: int) -> None:
    looks = 0
    while _read(signals, row) < value:  # type: ignore[call-arg]
        looks += 1
        if looks > _SPINS:
            _sleep(_NAP)


@compiled
def _worker_loop(
    groups: tuple[GameBatch, ...],
    buffers: tuple[InferenceBuffers, ...],
    parameters: SelfPlayParameters,
    replay: ReplayBuffer,
    worker: int,
    signals: Numbers,
) -> None:
    """Answers calls until the one to stop."""
    own = new_workspace()
    # The arrays stay where they are until the thread ends.
    groups, buffers = uncounted(groups), uncounted(buffers)
    parameters, replay, work = uncounted(parameters), uncounted(replay), uncounted(own)
    call = 0
    while True:
        call += 1
        _await(signals, _CALL, call)
        group: int = _read(signals, _GROUP)  # type: ignore[call-arg]
        if group == _STOP:
            return
        count = len(groups[group].simulations)
        first = _PART * _take(signals, _NEXT)
        while first < count:
            last = min(first + _PART, count)
            step(groups[group], buffers[group], parameters, replay, worker, first, last, work)
            first = _PART * _take(signals, _NEXT)
        _write(signals, _WORKERS + worker, call)


@compiled
def _call(signals: Numbers, group: int, workers: int) -> None:
    """Calls all workers and waits until they are done."""
    call: int = _read(signals, _CALL) + 1  # type: ignore[call-arg]
    _write(signals, _GROUP, group)
    _write(signals, _NEXT, 0)
    _write(signals, _CALL, call)
    if group != _STOP:
        for worker in range(workers):
            _await(signals, _WORKERS + worker, call)


class Workers:
    """One thread for each shard of the replay buffer."""

    def __init__(
        self,
        groups: tuple[GameBatch, ...],
        buffers: tuple[InferenceBuffers, ...],
        parameters: SelfPlayParameters,
        replay: ReplayBuffer,
    ) -> None:
        self._count = len(replay.written)
        self._signals = np.zeros((_WORKERS + self._count, _LINE), np.int64)
        shared = groups, buffers, parameters, replay
        self._threads = [
            Thread(target=_worker_loop, args=(*shared, worker, self._signals), daemon=True)
            for worker in range(self._count)
        ]
        for thread in self._threads:
            thread.start()

    def step(self, group: int) -> None:
        """Takes all games of a group one step further."""
        _call(self._signals, group, self._count)

    def close(self) -> None:
        """Ends the threads."""
        _call(self._signals, _STOP, self._count)
        for thread in self._threads:
            thread.join()
