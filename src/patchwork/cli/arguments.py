"""The parser of the command line's arguments, in the user's language."""

import argparse
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NoReturn

from patchwork.locales import LANGUAGES, Messages
from patchwork.notation.errors import NotationError
from patchwork.notation.record import check_tag
from patchwork.rules.setup import SEEDS
from patchwork.rules.timeboard import EDITION_BY_NAME
from patchwork.terminal.screen import wrapped


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Formats help, with the word for "usage" in the user's language."""

    def __init__(self, say: Messages, prog: str) -> None:
        super().__init__(prog)
        self._say = say

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        super().add_usage(
            usage, actions, groups, f"{self._say('cli-usage')} " if prefix is None else prefix
        )


class Parser(argparse.ArgumentParser):
    """An argument parser in the user's language; only the errors of argparse itself are English."""

    def __init__(self, say: Messages, prog: str, text: str) -> None:
        super().__init__(
            prog=prog,
            description=wrapped(say(text)),
            epilog=wrapped(say(f"{text}-examples")),
            formatter_class=partial(_Formatter, say),
            add_help=False,
        )
        self.say = say
        self.arguments = self.add_argument_group(say("cli-arguments"))
        self.options = self.add_argument_group(say("cli-options"))
        self.options.add_argument("-h", "--help", action="help", help=say("cli-help"))
        self.options.add_argument("--lang", choices=LANGUAGES, help=say("cli-lang"))

    def option(self, name: str, text: str, **details: object) -> None:
        """Adds an option; ``text`` is the key of its help."""
        self.options.add_argument(name, help=self.say(text), **details)  # type: ignore[arg-type]

    def flag(self, name: str, text: str) -> None:
        """Adds an option without a value."""
        self.option(name, text, action="store_true")

    def argument(self, name: str, text: str, **details: object) -> None:
        """Adds a positional argument."""
        self.arguments.add_argument(name, help=self.say(text), **details)  # type: ignore[arg-type]

    def setup_options(self, seed: str = "cli-seed") -> None:
        """Adds the options that describe a set-up; those not given are None."""
        self.option("--seed", seed, type=self._seed, metavar="N")
        self.option("--edition", "cli-edition", choices=list(EDITION_BY_NAME))
        self.option("--first", "cli-first", choices=("0", "1"))

    def number(self, least: int) -> Callable[[str], int]:
        """Returns a parser of whole numbers with a lower bound."""

        def read(text: str) -> int:
            number = _whole(text)
            if number is None or number < least:
                raise argparse.ArgumentTypeError(
                    self.say("cli-bad-number", found=text, least=least)
                )
            return number

        return read

    def name(self, text: str) -> str:
        """Returns the name of a player if a record can hold it."""
        try:
            check_tag("Player0", text)
        except NotationError as error:
            message = self.say("cli-bad-name", name=ascii(text))
            raise argparse.ArgumentTypeError(message) from error
        return text

    def _seed(self, text: str) -> int:
        seed = _whole(text)
        if seed is None or not 0 <= seed < SEEDS:
            raise argparse.ArgumentTypeError(
                self.say("cli-bad-seed", seed=text, last=str(SEEDS - 1))
            )
        return seed

    def print_help(self, file: Any = None) -> None:
        """Prints the help; argparse itself would ignore errors in writing it."""
        print(self.format_help(), end="", file=file)

    def error(self, message: str) -> NoReturn:
        """Ends the program with status 2 and a pointer to the help."""
        self.exit(2, f"{self.prog}: {message}\n{self.say('cli-see-help', prog=self.prog)}\n")


def given_options(options: argparse.Namespace, *names: str) -> list[str]:
    """Returns those of the options that the user gave, as they are typed."""
    values = {name: getattr(options, name) for name in names}
    # A zero counts as given although it equals False, so compare by identity.
    return [
        f"--{name}" for name, value in values.items() if value is not None and value is not False
    ]


def _whole(text: str) -> int | None:
    """Returns the number in plain digits; ``int`` would also accept ``1_0`` and blanks."""
    return int(text) if re.fullmatch("-?[0-9]{1,18}", text) else None
