"""Compiles what the engine needs, or loads it from the disk, before anybody waits for a move."""

from collections.abc import Callable

from patchwork.engine.analysis import Limit
from patchwork.engine.evaluators import Playouts
from patchwork.engine.search import Search
from patchwork.engine.solver import Solver
from patchwork.rules.setup import Setup

_MEMORY = 1 << 20


def prepare(progress: Callable[[int, int], None] | None = None) -> None:
    """Makes every compiled function ready; takes long only the first time after an installation.

    Tells ``progress`` how many steps are done, and of how many.
    """
    position = Setup.random(seed=0).start()
    search = Search(Playouts(seed=0), _MEMORY)
    steps: tuple[Callable[[], object], ...] = (
        lambda: search.run(position, Limit(nodes=2), 1, lambda: False),
        lambda: Solver(1 << 10).solve(position, 2, lambda: False),
    )
    for done, step in enumerate(steps):
        if progress is not None:
            progress(done, len(steps))
        step()
    if progress is not None:
        progress(len(steps), len(steps))
