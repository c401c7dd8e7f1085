"""The engine as a child process: it answers each request with an analysis or an error.

``python -m patchwork.programs.engine_child --memory MB --nice N`` speaks the JSON of ``schema``.
The same request always gets the same answer, unless it has a time limit.
"""

import argparse
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from patchwork.engine.analysis import Analysis
from patchwork.programs.child import Child
from patchwork.programs.schema import analysis_as_json, error_as_json, request_from_json

if TYPE_CHECKING:
    from patchwork.engine import Engine


class Analyst:
    """Answers requests, each with a new engine."""

    def __init__(self, memory: int) -> None:
        """Makes an analyst that uses this many megabytes, and one thread."""
        self._memory = memory
        self._engine: Engine | None = None
        self._child = Child(on_stop=self._stop)

    def run(self) -> None:
        """Answers requests until the parent is gone."""
        from patchwork.engine.warmup import prepare

        prepare()
        self._child.ready()
        for request in self._child.requests():
            self._child.send(self._answer(request))

    def _stop(self) -> None:
        engine = self._engine
        if engine is not None:
            engine.stop()

    def _answer(self, content: Mapping[str, Any]) -> dict[str, Any]:
        from patchwork.engine import Engine

        def check(_: Analysis) -> None:  # for a stop that came before the search began
            if self._child.stopped:
                engine.stop()

        try:
            request = request_from_json(content)
            options = request.options
            engine = Engine(options.level, seed=request.seed, threads=1, memory=self._memory)
            self._engine = engine
            analysis = engine.analyse(
                request.position, options.limit, lines=options.lines, progress=check
            )
            return analysis_as_json(analysis)
        except ValueError as error:
            return error_as_json(str(error))
        finally:
            self._engine = None


def main() -> None:
    """Answers requests until the parent is gone."""
    parser = argparse.ArgumentParser(description="Analyses positions for another process.")
    parser.add_argument("--memory", type=int, required=True, help="megabytes of the search tree")
    parser.add_argument(
        "--nice", type=int, default=0, help="how far to lower the priority of the process"
    )
    options = parser.parse_args()
    if hasattr(os, "nice"):
        os.nice(options.nice)
    Analyst(options.memory).run()


if __name__ == "__main__":
    main()
