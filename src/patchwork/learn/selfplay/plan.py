"""Self-play as a run plans it: with more simulations for each move as the run goes on."""

from time import perf_counter

import torch

from patchwork.learn.config import Config
from patchwork.learn.network import Network
from patchwork.learn.progress import Tally
from patchwork.learn.selfplay.inference import BatchedInference
from patchwork.learn.selfplay.loop import SelfPlay, selfplay_parameters
from patchwork.learn.training.distributed import ProcessGroup
from patchwork.learn.training.replay_buffer import ReplayBuffer


class PlannedSelfPlay:
    """Self-play that starts again whenever the plan changes the number of simulations."""

    def __init__(
        self,
        config: Config,
        network: Network,
        replay: ReplayBuffer,
        device: torch.device,
        processes: ProcessGroup,
        seed: int,
    ) -> None:
        self.simulations = 0
        self._config = config
        self._inference = BatchedInference(network, config.games, device)
        self._replay = replay
        self._processes = processes
        self._seed = seed
        self._current: SelfPlay | None = None
        self._earlier_games = 0
        """Games finished with other numbers of simulations."""
        self._evaluated, self._counted_at = 0, perf_counter()

    def step(self, share: float) -> None:
        """Takes every game one position further; ``share`` is the share of the run that is over."""
        simulations = self._config.simulations_at(share)
        if simulations != self.simulations:
            self.close()
            self.simulations = simulations
            parameters = selfplay_parameters(
                self._config.num_considered, simulations, td_lambda=self._config.td_lambda
            )
            # No two processes, and no two calls of a run, play the same games.
            seed = self._seed + self._earlier_games + simulations
            self._current = SelfPlay(
                self._inference,
                self._replay,
                parameters,
                self._config.games,
                seed * self._processes.size + self._processes.rank,
            )
        assert self._current is not None
        self._current.step()

    @property
    def positions(self) -> int:
        """Positions of finished games."""
        return int(self._replay.written.sum())

    @property
    def first_wins(self) -> float:
        """Share of the games with this number of simulations that the player who starts has won."""
        games, first, _ = self._current.counts() if self._current is not None else (0, 0, 0)
        return first / max(1, games)

    def tally(self) -> Tally:
        """Returns what has been played; the speed is that since the last call."""
        games, evaluated = self._earlier_games, 0
        if self._current is not None:
            finished, _, evaluated = self._current.counts()
            games += finished
        now = perf_counter()
        speed = max(0, evaluated - self._evaluated) / (now - self._counted_at)
        self._evaluated, self._counted_at = evaluated, now
        return Tally(games, self.positions, speed)

    def update(self, network: Network) -> None:
        """Plays with the weights of a network from now on."""
        self._inference.update(network)

    def close(self) -> None:
        """Ends the games; their counts remain."""
        if self._current is not None:
            self._earlier_games += self._current.counts()[0]
            self._evaluated = 0
            self._current.close()
            self._current = None
