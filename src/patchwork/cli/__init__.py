"""The command line: ``patchwork COMMAND``. Data goes to stdout, messages to stderr.

Without a command, it serves the game to this machine's browser.

Exit status: 0 for success; 1 if a file or an argument is invalid or cannot be read or written; 2
for wrong usage; 130 if interrupted.

Start reading here: ``games``, ``server``, ``engines``, ``matches`` and ``learning`` add commands,
with what they share from ``command``. It may import everything.
"""

import argparse
import difflib
import os
import sys
from collections.abc import Sequence

import patchwork
from patchwork.cli import engines, games, learning, matches, server
from patchwork.cli.arguments import Parser
from patchwork.cli.command import INTERRUPTED, Command, CommandError
from patchwork.locales import LANGUAGES, Messages, messages, preferred_language
from patchwork.terminal import screen

TOPICS = (games, server, engines, matches, learning)
"""The modules that add commands, in the order of the help."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status."""
    screen.prepare()
    arguments = sys.argv[1:] if arguments is None else arguments
    language, words = _language(arguments)
    say = messages(language)
    try:
        if sys.stdout is None:
            raise CommandError(say("cli-no-output"))
        try:
            return _run(arguments, words, say)
        finally:
            sys.stdout.flush()
    except CommandError as failure:
        print(f"patchwork: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        # An error with a file of the command is a CommandError, so this one concerns the output.
        if not isinstance(error, BrokenPipeError):  # the reader has exited, as `head` does
            print(
                f"patchwork: {say('cli-cannot-write', detail=error.strerror or '')}",
                file=sys.stderr,
            )
        # Keep Python from trying to write the rest when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _language(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Returns the language, which the real parser needs to know, and the other arguments."""
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    finder.add_argument("--lang", nargs="?")
    found, others = finder.parse_known_args(arguments)
    language: str = found.lang if found.lang in LANGUAGES else preferred_language(os.environ)
    return language, [word for word in others if not word.startswith("-")]


def _run(arguments: Sequence[str], words: Sequence[str], say: Messages) -> int:
    parser, commands = _parser(say)
    if words and words[0] not in commands:
        similar = difflib.get_close_matches(words[0], commands, n=1)
        parser.error(
            say("cli-similar-command", command=words[0], similar=similar[0])
            if similar
            else say("cli-no-such-command", command=words[0], commands=", ".join(commands))
        )
    options = parser.parse_args(arguments)
    if options.version:
        print(f"patchwork {patchwork.__version__}")
        return 0
    if not words:
        return server.serve_here(say)
    run: Command = options.run
    return run(options, say)


def _parser(say: Messages) -> tuple[Parser, list[str]]:
    """Returns the parser of all arguments, and the names of the commands."""
    parser = Parser(say, "patchwork", "cli-description")
    parser.flag("--version", "cli-version")
    commands = parser.add_subparsers(
        title=say("cli-commands"), metavar="COMMAND", parser_class=Parser
    )

    groups = {"": commands}

    def command(name: str, run: Command) -> Parser:
        group, _, last = name.rpartition(" ")
        if group not in groups:
            whole = commands.add_parser(
                group, help=say(f"cli-{group}"), say=say, text=f"cli-{group}"
            )
            groups[group] = whole.add_subparsers(
                title=say("cli-commands"), metavar="COMMAND", parser_class=Parser, required=True
            )
        text = f"cli-{name.replace(' ', '-')}"
        made = groups[group].add_parser(last, help=say(text), say=say, text=text)
        made.set_defaults(run=run, parser=made)
        return made

    for module in TOPICS:
        module.add_commands(command)
    return parser, list(commands.choices)
