"""Self-play: groups of games take turns, so that one is searched while the others are evaluated."""

from patchwork.engine.search.gumbel import schedule
from patchwork.learn.selfplay.games import SelfPlayParameters, new_game_batch, reset
from patchwork.learn.selfplay.inference import BatchedInference
from patchwork.learn.selfplay.workers import Workers
from patchwork.learn.training.replay_buffer import ReplayBuffer

_GROUPS = 4
"""Two would do if self-play had the GPU to itself; with four, a training step delays no group."""
_MAX_UNSEARCHED = 40
"""About the number of moves in a game; see ``games.reset``."""


class SelfPlay:
    """Games that a network plays against itself, with their samples going to the replay buffer."""

    def __init__(
        self,
        inference: BatchedInference,
        replay: ReplayBuffer,
        parameters: SelfPlayParameters,
        games: int,
        seed: int,
    ) -> None:
        """Starts groups of ``games`` games each."""
        self._inference = inference
        self._groups = tuple(new_game_batch(games, parameters) for _ in range(_GROUPS))
        self._buffers = tuple(inference.new_buffers(games) for _ in range(_GROUPS))
        self._requests = []
        for number, (group, buffers) in enumerate(zip(self._groups, self._buffers, strict=True)):
            reset(group, buffers, parameters, _GROUPS * seed + number, 1, _MAX_UNSEARCHED)
            self._requests.append(inference.submit(buffers))
        self._workers = Workers(self._groups, self._buffers, parameters, replay)

    def step(self) -> None:
        """Takes every game one position further."""
        for number, buffers in enumerate(self._buffers):
            self._inference.wait(self._requests[number])
            self._workers.step(number)
            self._requests[number] = self._inference.submit(buffers)

    def counts(self) -> tuple[int, int, int]:
        """Returns the games finished, those that the first seat won, and the evaluations."""
        finished, first_seat_wins, evaluated = (
            int(number) for number in sum(group.counts.sum(0) for group in self._groups)
        )
        return finished, first_seat_wins, evaluated

    def close(self) -> None:
        """Ends the worker threads."""
        self._workers.close()
        for request in self._requests:
            self._inference.wait(request)


def selfplay_parameters(
    num_considered: int, simulations: int, *, gumbel_scale: float = 1.0, td_lambda: float = 1.0
) -> SelfPlayParameters:
    """Returns the parameters of a search with so many simulations for each move."""
    return SelfPlayParameters(schedule(num_considered, simulations), gumbel_scale, td_lambda)
