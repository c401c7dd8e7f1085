"""Runs commands of the program in this process."""

import pytest

from patchwork.cli import main


class Cli:
    """Runs commands and checks their exit status."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def run(self, *arguments: str, status: int = 0) -> tuple[str, str]:
        """Returns the output and the messages of a command that must exit with this status."""
        assert main(arguments) == status
        captured = self._capsys.readouterr()
        return captured.out, captured.err

    def output(self, *arguments: str) -> str:
        """Returns the output of a command that must succeed without messages."""
        output, message = self.run(*arguments)
        assert message == ""
        return output

    def refused(self, *arguments: str) -> str:
        """Returns the only message of a command that must refuse its input."""
        output, message = self.run(*arguments, status=1)
        assert output == ""
        assert message.startswith("patchwork: ")
        assert message.count("\n") == 1
        return message.removeprefix("patchwork: ").rstrip("\n")

    def stopped(self, status: int, *arguments: str) -> str:
        """Returns all output of a command that exits while it reads its arguments."""
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == status
        captured = self._capsys.readouterr()
        return captured.out + captured.err
