"""Self-play as the plan of a run says: with more walks for each move as the run goes on."""

from time import perf_counter

import torch

from patchwork.learn.config import Config
from patchwork.learn.network import Network
from patchwork.learn.progress import Tally
from patchwork.learn.selfplay.inference import Judge
from patchwork.learn.selfplay.loop import SelfPlay, rules_of
from patchwork.learn.training.distributed import Team
from patchwork.learn.training.replay_buffer import Samples


class PlannedPlay:
    """Self-play that is begun anew whenever the plan asks for another search."""

    def __init__(
        self,
        config: Config,
        network: Network,
        samples: Samples,
        device: torch.device,
        team: Team,
        seed: int,
    ) -> None:
        self.walks = 0
        self._config = config
        self._judge = Judge(network, config.games, device)
        self._samples = samples
        self._team = team
        self._seed = seed
        self._play: SelfPlay | None = None
        self._games = 0
        """Of earlier searches."""
        self._evaluated, self._counted = 0, perf_counter()

    def turn(self, part: float) -> None:
        """Takes every game one position further, at a part of the run."""
        walks = self._config.walks_at(part)
        if walks != self.walks:
            self.close()
            self.walks = walks
            rules = rules_of(self._config.considered, walks, trust=self._config.trust)
            # No two processes of a team, and no two calls of a run, play the same games.
            seed = (self._seed + self._games + walks) * self._team.size + self._team.rank
            self._play = SelfPlay(self._judge, self._samples, rules, self._config.games, seed)
        assert self._play is not None
        self._play.turn()

    @property
    def positions(self) -> int:
        """Positions of finished games."""
        return int(self._samples.written.sum())

    @property
    def first_wins(self) -> float:
        """Share of the games that the one who begins wins, with the present search."""
        games, first, _ = self._play.counts() if self._play is not None else (0, 0, 0)
        return first / max(1, games)

    def tally(self) -> Tally:
        """Returns what was done; the speed is that since the tally was last asked for."""
        games, evaluations = self._games, 0
        if self._play is not None:
            finished, _, evaluations = self._play.counts()
            games += finished
        now = perf_counter()
        speed = max(0, evaluations - self._evaluated) / (now - self._counted)
        self._evaluated, self._counted = evaluations, now
        return Tally(games, self.positions, speed)

    def update(self, network: Network) -> None:
        """Plays with the weights of a network from now on."""
        self._judge.update(network)

    def close(self) -> None:
        """Ends the games; what was counted stays."""
        if self._play is not None:
            self._games += self._play.counts()[0]
            self._evaluated = 0
            self._play.close()
            self._play = None
