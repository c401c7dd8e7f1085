"""The commands by which other programs use the engine."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

import patchwork
from patchwork.cli.command import AddCommand, CommandError
from patchwork.engine.analysis import LEAST_MEMORY, MEMORY
from patchwork.locales import Messages

_NOTICE_DELAY = 1.5
"""Seconds after which a notice is printed: loading compiled code takes less, compiling it more."""


def add_commands(command: AddCommand) -> None:
    """Adds the commands of this module."""
    command("upi", _upi)
    analyse = command("analyse", _analyse)
    analyse.option("--threads", "cli-threads", type=analyse.number(1), default=1, metavar="N")
    least = analyse.number(LEAST_MEMORY)
    analyse.option("--memory", "cli-memory", type=least, default=MEMORY, metavar="MB")


def _upi(_: argparse.Namespace, say: Messages) -> int:
    from patchwork.protocol import upi

    if sys.stdin is None:
        raise CommandError(say("cli-no-input"))
    with engine_needed(say):
        upi.serve(sys.stdin.buffer, sys.stdout.buffer, name=f"Patchwork {patchwork.__version__}")
    return 0


def _analyse(options: argparse.Namespace, say: Messages) -> int:
    if sys.stdin is None:
        raise CommandError(say("cli-no-input"))
    prepare_engine(say)
    from patchwork.protocol import batch

    batch.serve(sys.stdin.buffer, sys.stdout.buffer, threads=options.threads, memory=options.memory)
    return 0


@contextmanager
def engine_needed(say: Messages) -> Iterator[None]:
    """Reports what is missing if the engine cannot be imported."""
    try:
        yield
    except ImportError as error:
        raise CommandError(say("cli-not-installed", detail=str(error))) from error


def prepare_engine(say: Messages) -> None:
    """Gets the engine ready, with a notice if that takes long, as it does the first time."""
    with engine_needed(say):
        from patchwork.engine.warmup import prepare
    notice = Timer(_NOTICE_DELAY, lambda: print(say("cli-preparing"), file=sys.stderr))
    notice.start()
    try:
        prepare()
    finally:
        notice.cancel()
