"""Threads that tend orchards in turn, and that are called and wait without Python.

A turn of self-play is a few milliseconds; starting sixteen threads from Python for each would take
as long again, since they need the interpreter's lock one after the other. So they run one compiled
function for as long as they live, and watch a number that tells them when to begin.
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
from patchwork.learn.selfplay.games import Evaluations, Orchard, Rules, new_work, tend
from patchwork.learn.training.replay_buffer import Samples

_TICKET, _GROUP, _NEXT = 0, 1, 2
"""Rows of the signals: how often the hands were called, for which orchard, and which part of it
comes next. Then one for each hand: how many calls it has answered. A row is as long as a cache
line, so that none shares one."""
_HANDS = 3
_PART = 32
"""Games that a hand takes at once: few, so that all end at about the same time."""
_LINE = 8
_STOP = -1
_LOOKS = 2000
"""Looks at a signal before a thread gives its processor away for a moment."""
_MOMENT = 20
"""Microseconds."""


@intrinsic
def _read(_typing: Any, signals: Any, row: Any) -> Any:
    """Returns a signal as other threads last wrote it."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature, arguments)
        return builder.load_atomic(pointer, ordering="acquire", align=8)

    return types.int64(signals, row), write


@intrinsic
def _write(_typing: Any, signals: Any, row: Any, value: Any) -> Any:
    """Writes a signal after all that was written before."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], pointer, ordering="release", align=8)
        return context.get_dummy_value()

    return types.void(signals, row, types.int64), write


@intrinsic
def _take(_typing: Any, signals: Any, row: Any) -> Any:
    """Adds 1 to a signal; returns what it was."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature, arguments)
        return builder.atomic_rmw("add", pointer, ir.Constant(ir.IntType(64), 1), "acq_rel")

    return types.int64(signals, row), write


@intrinsic
def _sleep(_typing: Any, microseconds: Any) -> Any:
    """Gives the processor away, by the C library's own function."""

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
        if looks > _LOOKS:
            _sleep(_MOMENT)


@compiled
def _labour(
    orchards: tuple[Orchard, ...],
    rooms: tuple[Evaluations, ...],
    rules: Rules,
    samples: Samples,
    hand: int,
    signals: Numbers,
) -> None:
    """Answers calls until the one to stop."""
    own = new_work()
    # All of it stays where it is until the thread ends.
    orchards, rooms = uncounted(orchards), uncounted(rooms)
    rules, samples, work = uncounted(rules), uncounted(samples), uncounted(own)
    call = 0
    while True:
        call += 1
        _await(signals, _TICKET, call)
        group: int = _read(signals, _GROUP)  # type: ignore[call-arg]
        if group == _STOP:
            return
        games = len(orchards[group].walks)
        first = _PART * _take(signals, _NEXT)
        while first < games:
            last = min(first + _PART, games)
            tend(orchards[group], rooms[group], rules, samples, hand, first, last, work)
            first = _PART * _take(signals, _NEXT)
        _write(signals, _HANDS + hand, call)


@compiled
def _call(signals: Numbers, group: int, hands: int) -> None:
    """Calls all hands and waits until they are done."""
    call: int = _read(signals, _TICKET) + 1  # type: ignore[call-arg]
    _write(signals, _GROUP, group)
    _write(signals, _NEXT, 0)
    _write(signals, _TICKET, call)
    if group != _STOP:
        for hand in range(hands):
            _await(signals, _HANDS + hand, call)


class Hands:
    """One thread for each shelf of samples."""

    def __init__(
        self,
        orchards: tuple[Orchard, ...],
        rooms: tuple[Evaluations, ...],
        rules: Rules,
        samples: Samples,
    ) -> None:
        self._count = len(samples.written)
        self._signals = np.zeros((_HANDS + self._count, _LINE), np.int64)
        work = orchards, rooms, rules, samples
        self._threads = [
            Thread(target=_labour, args=(*work, hand, self._signals), daemon=True)
            for hand in range(self._count)
        ]
        for thread in self._threads:
            thread.start()

    def tend(self, group: int) -> None:
        """Tends one of the orchards; returns when all its games have gone on."""
        _call(self._signals, group, self._count)

    def close(self) -> None:
        """Ends the threads."""
        _call(self._signals, _STOP, self._count)
        for thread in self._threads:
            thread.join()
