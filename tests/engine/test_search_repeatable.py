"""The search gives the same answers every time."""

import hashlib

from engine.searching import BENCH, MEGABYTE, bench, never, parse, searched, tree_of
from patchwork.engine import Engine, Limit
from patchwork.engine.evaluators import Playouts
from patchwork.engine.search import Search
from positions import MIDDLE, START


@bench
def test_same_seed_and_nodes_give_equal_analyses_with_one_thread_or_two(text: str) -> None:
    one, two, three = (
        Engine(7, seed=5, memory=16, threads=threads).analyse(
            parse(text), Limit(nodes=2_000), lines=5
        )
        for threads in (1, 1, 2)
    )
    assert one == two == three


def test_an_engine_is_not_changed_by_what_it_has_thought_before() -> None:
    engine = Engine(7, seed=5, memory=16)
    first = engine.analyse(parse(MIDDLE), Limit(nodes=500))
    engine.analyse(parse(START), Limit(nodes=300))
    assert engine.analyse(parse(MIDDLE), Limit(nodes=500)) == first


def test_different_seeds_may_think_differently() -> None:
    wins = {searched(parse(MIDDLE), 300, seed=seed).win for seed in range(8)}
    assert len(wins) > 1


def signature() -> str:
    """Returns a fingerprint of some trees: which moves were looked at, and how often."""
    digest = hashlib.sha256()
    for text in BENCH.values():
        search = Search(Playouts(1), 16 * MEGABYTE)
        search.run(parse(text), Limit(nodes=2_000), 1, never)
        tree = tree_of(search)
        edges = int(tree.used[1])
        digest.update(tree.moves[:edges].astype("<i4").tobytes())
        digest.update(tree.visits[:edges].astype("<i4").tobytes())
    return digest.hexdigest()[:16]


# Changes whenever the search, its priors or its playouts do, on purpose or not. After a change on
# purpose, put in what the failing test prints, and say in the commit that the search has changed.
SIGNATURE = "b737b182c28d8e5e"


def test_the_trees_are_those_of_the_last_change_made_on_purpose() -> None:
    assert signature() == SIGNATURE
