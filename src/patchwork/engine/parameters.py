"""How the engine searches: the constants that depend on what evaluates its positions.

Every evaluator names the parameters that suit it (see ``evaluators.evaluator``); the defaults are
those for an evaluator about which nothing is known. Imports nothing.
"""

from dataclasses import dataclass
from typing import NamedTuple


class SearchParameters(NamedTuple):
    """How the tree search spends its simulations. Compiled code reads it, so all are numbers."""

    exploration: float = 1.5
    """The constant of PUCT: how much a move counts for being likely but little tried."""
    first_play_urgency: float = 0.2
    """A move not tried yet is taken to be worth the mean of those tried, less this number times
    the square root of their share of the policy."""
    sibling_delay: int = 0
    """Below the root: visits that a placement of a patch gets before the next one, by the policy,
    of the same patch is tried at all. Placements differ less than patches do, so trying many of
    them early mostly repeats what is known."""
    num_considered: int = 0
    """Moves of the root among which sequential halving shares out the simulations. With 0, the
    root is searched by PUCT, as all other nodes are."""
    min_visit_share: float = 1.0
    """Moves of the root that may be played: those with at least this share of the visits of the
    most visited one. Of these, the best is played."""
    only_move_nodes: int = 256
    """Nodes to search, at most, where there is only one legal move: enough for an estimate."""


@dataclass(frozen=True, slots=True)
class EndgameParameters:
    """When a search calls the solver, and what that may cost.

    How late a game is, is counted in spaces left: those that both tokens together still have to
    walk. With more of them than named here, the solver hardly ever succeeds.
    """

    solve_from: int = 24
    """Spaces left from which on the position itself is solved."""
    test_from: int = 36
    """Spaces left from which on the moves that the search likes best are tested one by one, until
    one does not lose. With no more than ``solve_from``, none are tested."""
    max_tested: int = 8
    """Moves that are tested at most."""
    proves_winner: bool = True
    """Whether to ask who wins before asking by how much: that is known some moves earlier."""
    limit_share: float = 0.4
    """The share of a time limit that the solver may use; of a limit of nodes, too, unless
    ``states_per_node`` gives it states of its own."""
    states_per_node: int = 0
    """States that the solver may visit for every node of the limit but the first, besides these
    nodes. With 0, its states are nodes of the limit."""
    moves_per_state: int = 8
    """Moves of a state that count as one more state, since a state with many moves takes longer.
    With 0, all states count alike."""
