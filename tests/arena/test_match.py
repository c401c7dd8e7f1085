"""Matches: their games do not depend on the processes that play them; forfeits; summaries."""

import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import patchwork as pw
from patchwork.arena.elo import Pairs
from patchwork.arena.match import play_schedule, summarise
from patchwork.arena.play import play
from patchwork.arena.players import Description
from patchwork.arena.pool import PlayerNotStarted, play_all
from patchwork.arena.schedule import Fault, PlayedGame, Schedule, Task
from patchwork.arena.sprt import Sprt, Verdict
from patchwork.notation.record import Record, Termination
from patchwork.programs.pool import Worker
from patchwork.protocol import NoAnswer, NotRunning, ProtocolError, WrongMove
from support.processes import child_processes

PLAYERS = ("greedy", "random")
SCHEDULE = Schedule((PLAYERS,), pairs=6, seed=3)
LONG = 3600.0
"""More seconds than any test takes."""
PROGRAMS = Path(__file__).parents[1] / "protocol"


def essence(games: Sequence[PlayedGame]) -> list[PlayedGame]:
    """Games in their order, without the time they took."""
    timeless = [replace(played, seconds=(0.0, 0.0)) for played in games]
    return sorted(timeless, key=lambda played: played.task.key)


def locally(schedule: Schedule) -> list[PlayedGame]:
    """The games of a schedule, played in this process."""
    return [
        play(task, [Description.parse(name).player() for name in task.players], lambda _: None)
        for task in schedule.tasks()
    ]


@pytest.fixture(scope="module")
def games() -> list[PlayedGame]:
    return locally(SCHEDULE)


class TestSchedule:
    def test_pairs_share_a_circle_and_swap_seats(self) -> None:
        tasks = list(SCHEDULE.tasks())
        assert [(task.pair, task.game) for task in tasks[:4]] == [(0, 0), (0, 1), (1, 0), (1, 1)]
        first, second, third = tasks[:3]
        assert first.setup == second.setup
        assert first.setup.circle != third.setup.circle
        assert [first.player_at(0), second.player_at(0)] == [0, 1]
        assert len({task.player_seed(player) for task in tasks for player in (0, 1)}) == 24

    def test_editions_alternate_unless_one_is_chosen(self) -> None:
        editions = [task.setup.edition for task in SCHEDULE.tasks()]
        assert editions[:4] == [pw.CLASSIC, pw.CLASSIC, pw.REVISED, pw.REVISED]
        fixed = replace(SCHEDULE, edition="revised")
        assert {task.setup.edition for task in fixed.tasks()} == {pw.REVISED}

    def test_another_seed_is_another_match(self) -> None:
        other = replace(SCHEDULE, seed=4)
        circles = {task.setup.circle for s in (SCHEDULE, other) for task in s.tasks()}
        assert len(circles) == 12

    def test_a_longer_match_begins_like_a_short_one(self) -> None:
        longer = list(replace(SCHEDULE, pairs=9).tasks())
        assert longer[:12] == list(SCHEDULE.tasks())

    def test_a_known_seed(self) -> None:
        # Should this change, no old log could be continued.
        assert next(iter(SCHEDULE.tasks())).circle_seed == 6780724680293197


@pytest.fixture
def others() -> set[str]:
    """The child processes that other tests keep running, such as a database."""
    return child_processes()


class TestPlaying:
    def test_games_are_complete_and_results_belong_to_players(
        self, games: list[PlayedGame]
    ) -> None:
        for played in games:
            record = played.record()
            assert record.termination is Termination.PLAYED_OUT
            outcome = record.game.position.outcome
            assert outcome is not None
            assert record.players[outcome.winner] == PLAYERS[played.winner]
            scores = dict(zip(record.players, outcome.scores, strict=True))
            assert (scores["greedy"], scores["random"]) == played.scores
            assert sum(played.decisions) == len(played.moves)
            assert Record.parse(record.format()) == record

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_child_processes_play_the_same_games(
        self, games: list[PlayedGame], jobs: int, others: set[str]
    ) -> None:
        assert essence(list(play_schedule(SCHEDULE, jobs))) == essence(games)
        assert child_processes() == others

    def test_programs_get_the_same_seeds_as_our_own_players(self) -> None:
        program = f'upi:"{sys.executable} -m patchwork upi"@40n'
        ours, theirs = (
            essence(list(play_schedule(Schedule(((name, "greedy"),), 2, seed=3), jobs)))
            for name, jobs in (("level:8@40n", 1), (program, 2))
        )
        assert [played.moves for played in theirs] == [played.moves for played in ours]

    def test_closing_ends_the_processes(self, others: set[str]) -> None:
        playing = play_schedule(replace(SCHEDULE, pairs=1000), 2)
        next(playing)
        assert child_processes() > others
        playing.close()
        assert child_processes() == others


class Scripted:
    """Plays greedily, then fails in a given way."""

    def __init__(self, misdeed: Exception | pw.Leather | None, in_new_game: bool = False) -> None:
        self.name = "scripted"
        self._misdeed = misdeed
        self._in_new_game = in_new_game
        self._greedy = Description.parse("greedy").player()

    def new_game(self, seed: int) -> None:
        if self._in_new_game and isinstance(self._misdeed, Exception):
            raise self._misdeed

    def choose(self, game: pw.Game) -> pw.Advance | pw.Buy | pw.Leather:
        if len(game.moves) >= 10:
            if isinstance(self._misdeed, Exception):
                raise self._misdeed
            if self._misdeed is not None:
                return self._misdeed
        return self._greedy.choose(game)

    def close(self) -> None:
        pass


class TestForfeits:
    TASK = Task(("greedy", "random"), 0, 1, 3, "classic")

    @pytest.mark.parametrize(
        ("misdeed", "fault", "detail"),
        [
            (ZeroDivisionError("oh\nno"), Fault.CRASHED, "ZeroDivisionError: oh no"),
            (NoAnswer("slow"), Fault.NO_ANSWER, "NoAnswer: slow"),
            (WrongMove("99Zz"), Fault.ILLEGAL_MOVE, "WrongMove: 99Zz"),
            (NotRunning("gone"), Fault.CRASHED, "NotRunning: gone"),
            (ProtocolError("no"), Fault.PROTOCOL_ERROR, "ProtocolError: no"),
            (ValueError("\udcff" * 900), Fault.CRASHED, f"ValueError: {'?' * 488}"),
            (pw.Leather(99), Fault.ILLEGAL_MOVE, "IllegalMove: "),
        ],
    )
    @pytest.mark.parametrize("culprit", [0, 1])
    def test_a_player_that_fails_forfeits(
        self, misdeed: Exception | pw.Leather, fault: Fault, detail: str, culprit: int
    ) -> None:
        players = [Scripted(misdeed if number == culprit else None) for number in (0, 1)]
        told: list[PlayedGame] = []
        played = play(self.TASK, players, told.append)
        assert (played.winner, played.fault) == (1 - culprit, fault)
        assert played.detail.startswith(detail)
        assert len(played.moves) >= 10
        record = played.record()
        assert record.players[record.winner or 0] == self.TASK.players[1 - culprit]
        assert record.termination in (Termination.LEFT, Termination.TIME)
        assert detail[:20] in record.format()
        assert told[-1].moves == played.moves
        assert told[-1].winner == played.winner

    def test_a_player_that_cannot_start_a_game_forfeits(self) -> None:
        players = [Scripted(None), Scripted(OSError("gone"), in_new_game=True)]
        played = play(self.TASK, players, lambda _: None)
        assert (played.winner, played.fault, played.moves) == (0, Fault.CRASHED, ())
        assert "greedy" in played.record().format()

    @pytest.mark.parametrize(
        ("kind", "program", "fault", "detail"),
        [
            ("upi", "fake_engine.py illegal", Fault.ILLEGAL_MOVE, "wrong move: 26Aa1"),
            ("upi", "fake_engine.py crash", Fault.CRASHED, "ended unexpectedly with status 3"),
            ("upi", "fake_engine.py complain", Fault.PROTOCOL_ERROR, "I do not feel like it"),
            ("codingame", "fake_bot.py slow", Fault.NO_ANSWER, "did not answer within"),
        ],
    )
    def test_a_program_that_fails_forfeits_for_the_right_reason(
        self, kind: str, program: str, fault: Fault, detail: str
    ) -> None:
        culprit = f"{kind}:{sys.executable} {PROGRAMS}/{program}"
        played, _ = play_all(Schedule(((culprit, "greedy"),), 1, edition="classic").tasks(), 1)
        assert (played.winner, played.fault) == (1, fault)
        assert detail in played.detail

    @pytest.mark.skipif(os.name != "posix", reason="needs signals")
    @pytest.mark.parametrize(
        ("number", "fault", "detail"),
        [
            (signal.SIGKILL, Fault.CRASHED, "its process ended with status -9"),
            (signal.SIGSTOP, Fault.NO_ANSWER, f"no answer within {LONG:g} s"),
        ],
    )
    def test_a_process_that_dies_or_hangs_forfeits_and_the_match_goes_on(
        self,
        monkeypatch: pytest.MonkeyPatch,
        number: signal.Signals,
        fault: Fault,
        detail: str,
        others: set[str],
    ) -> None:
        expected: list[int] = []
        expect = Worker.expect

        def fail_once(worker: Worker, seconds: float) -> None:
            """Has the first process fail when both players have moved."""
            expected.append(worker.pid)
            if len(expected) == 8:  # its start, the task, two new games, and four decisions
                os.kill(worker.pid, number)
            hangs = len(expected) >= 8 and worker.pid == expected[0] and fault is Fault.NO_ANSWER
            expect(worker, 0.0 if hangs else seconds)

        monkeypatch.setattr(Worker, "expect", fail_once)
        first, second = Schedule((("uct2000", "random"),), pairs=1).tasks()
        lost, other = play_all([first, second], 1, timeout=LONG)
        assert (lost.fault, lost.detail) == (fault, detail)
        assert lost.task == first
        assert lost.moves
        assert (other.fault, other.task) == (None, second)
        assert child_processes() == others

    def test_a_player_that_cannot_be_started_ends_the_match(
        self, tmp_path: Path, others: set[str]
    ) -> None:
        command = f"codingame:{tmp_path}/nowhere"
        with pytest.raises(PlayerNotStarted, match="nowhere cannot be started"):
            list(play_all(Schedule(((command, "greedy"),), 1).tasks(), 2))
        assert child_processes() == others


def outcomes(text: str) -> list[PlayedGame]:
    """Games of pairs by letters: w for 2-0, s for 1-1, l for 0-2, h for half a pair."""
    winners = {"w": (0, 0), "s": (0, 1), "l": (1, 1), "h": (0,)}
    return [
        PlayedGame(Task(PLAYERS, pair, game, 0, "classic"), winner, (9, 3), (), (10, 5), (1.0, 2.0))
        for pair, letter in enumerate(text)
        for game, winner in enumerate(winners[letter])
    ]


class TestSummary:
    def test_finished_pairs_are_counted(self) -> None:
        result = summarise(PLAYERS, outcomes("wshlw"))
        assert result.pairs == Pairs(lost=1, split=1, won=2)
        assert result.mean_scores == (9, 3)
        assert result.seconds_per_move == (0.1, 0.4)
        assert (result.ratio, result.verdict, result.decided) == (None, None, False)
        assert 0.5 < result.superiority < 1
        assert result.estimate.low < 0 < result.estimate.elo

    def test_games_of_other_players_do_not_count(self) -> None:
        assert summarise(("random", "greedy"), outcomes("ww")).pairs == Pairs()

    def test_nothing_yet(self) -> None:
        result = summarise(PLAYERS, [], Sprt(0, 10))
        assert result.mean_scores is None
        assert result.seconds_per_move == (None, None)
        assert (result.ratio, result.verdict) == (0, Verdict.UNDECIDED)

    def test_forfeits_count_as_games_but_not_as_scores(self) -> None:
        games = outcomes("ww")
        games[0] = replace(games[0], fault=Fault.CRASHED, scores=(-99, -99))
        result = summarise(PLAYERS, games)
        assert result.pairs == Pairs(won=2)
        assert result.mean_scores == (9, 3)
        assert result.forfeits == (games[0],)

    def test_a_test_takes_pairs_in_order_and_none_after_its_decision(self) -> None:
        sprt = Sprt(0, 200)
        decisive = next(n for n in range(99) if sprt.verdict(Pairs(won=n)) is Verdict.ACCEPTED)
        result = summarise(PLAYERS, outcomes("w" * decisive + "lllll"), sprt)
        assert result.pairs == Pairs(won=decisive)
        assert (result.verdict, result.decided) == (Verdict.ACCEPTED, True)
        assert result.ratio is not None
        waiting = summarise(PLAYERS, outcomes("h" + "w" * 99), sprt)
        assert (waiting.pairs, waiting.decided) == (Pairs(), False)
        assert summarise(PLAYERS, outcomes("l" * 99), sprt).verdict is Verdict.REJECTED


def test_greedy_beats_random() -> None:
    games = locally(Schedule((("greedy", "random"),), 20, 0))
    assert summarise(("greedy", "random"), games).pairs.score > 0.85


def test_uct1000_beats_greedy() -> None:
    games = locally(Schedule((("uct1000", "greedy"),), 5, 0))
    assert summarise(("uct1000", "greedy"), games).pairs.score > 0.7
