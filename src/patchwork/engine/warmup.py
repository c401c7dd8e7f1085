"""Compiles what the engine needs, or loads it from the disk, before anybody waits for a move."""

from collections.abc import Callable
from contextlib import suppress

from patchwork.engine.analysis import Limit
from patchwork.engine.endgame.solver import Solver
from patchwork.engine.evaluators.evaluator import Evaluator, Playouts
from patchwork.engine.evaluators.network import SHIPPED, Learned, NetworkError
from patchwork.engine.patterns.evaluator import SUFFIX, Swift
from patchwork.engine.search.mcts import Search
from patchwork.rules.setup import Setup

_MEMORY = 1 << 20


def prepare(progress: Callable[[int, int], None] | None = None) -> None:
    """Makes every compiled function ready; takes long only the first time after an installation.

    Tells ``progress`` how many steps are done, and of how many.
    """
    position = Setup.random(seed=0).start()

    def search(evaluator: Evaluator, considered: int) -> None:
        search = Search(evaluator, _MEMORY, considered=considered)
        search.run(position, Limit(nodes=2), 1, lambda: False)

    def search_with_network() -> None:
        with suppress(NetworkError):  # whoever makes an engine is told
            network = Learned()
            search(network, considered=1)
            search(Swift(SHIPPED.with_suffix(SUFFIX), network), considered=0)

    steps: tuple[Callable[[], object], ...] = (
        lambda: search(Playouts(seed=0), considered=0),
        search_with_network,
        lambda: Solver(1 << 10).solve(position, 2, lambda: False),
    )
    for done, step in enumerate(steps):
        if progress is not None:
            progress(done, len(steps))
        step()
    if progress is not None:
        progress(len(steps), len(steps))
