"""Metrics of whole matches that are played by runners; the number of series does not grow with the matches."""

import random
from collections.abc import Sequence

import pytest

from engines.api import Game
from referee.live.match_request import LADDER
from referee.live.ports import Entry, RunnerDependencies, SeatDelays
from referee.live.runner import MatchRunner
from referee.match.clock import MS, SECOND
from referee.match.clock_charge import NetworkCredit
from referee.match.commands import DisconnectSeat, Resign, StartPlay
from referee.match.setup import IllegalMovePolicy, LatePolicy, Policies
from referee.match.state import Match
from referee.observability.metrics import GaugeSources, Metrics
from tests.live.fake_rating_writer import LadderRater
from tests.live.runner_harness import NotingKeeper, Scene, answer, goes_on, in_loop, played, terms
from tests.observability.exposition import Page
from tests.strangers_games.strangers_games import FINGERS, NIM

ON_LADDER = ((LADDER, "main"),)


class MeasuredScene(Scene):
    """A scene whose keeper updates the metrics, with a ladder."""

    def __init__(self) -> None:
        super().__init__()
        self.metrics = Metrics("1.2.3")
        self.keeper = TellingKeeper(self.metrics)
        self._ladder = LadderRater(self.stored.contests)

    @property
    def desk(self) -> RunnerDependencies:
        return RunnerDependencies(self.log, self.time, self.keeper, self._ladder)

    @property
    def page(self) -> Page:
        return Page(self.metrics)


class TellingKeeper(NotingKeeper):
    def __init__(self, metrics: Metrics) -> None:
        super().__init__()
        self._metrics = metrics

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        super().on_entries(before, entries, match)
        self._metrics.matches.on_entries(before, entries, match)

    def on_fault(self, match_id: str, fault: Exception) -> None:
        super().on_fault(match_id, fault)
        self._metrics.matches.on_fault(match_id, fault)


async def played_at_random(scene: Scene, game: Game, match_id: str) -> int:
    """Play a whole match with random moves, and return its number of plies."""
    chance = random.Random(match_id)
    runner = await scene.begun(terms(game, match_id))
    while goes_on(runner):
        turn = chance.choice(runner.match.owing)
        await scene.time.passes(2 * MS)
        await played(runner, turn.seat, chance.choice(runner.match.require_position().moves(turn.seat)))
    await runner.close()
    return runner.match.ply


@in_loop
async def test_whole_matches_are_counted_by_game() -> None:
    scene = MeasuredScene()
    nim = [await played_at_random(scene, NIM, f"n{number}") for number in range(3)]
    fingers = await played_at_random(scene, FINGERS, "f1")
    page = scene.page
    assert page.all("referee_matches_opened_total") == {("nim",): 3, ("fingers",): 1}
    assert page.value("referee_moves_total", game="nim", source="bot") == sum(nim)
    assert page.value("referee_moves_total", game="fingers", source="bot") == fingers
    assert page.all("referee_matches_ended_total") == {("rules", "nim", "played"): 3, ("rules", "fingers", "played"): 1}


@in_loop
async def test_ratings_that_matches_have_changed_are_counted() -> None:
    scene = MeasuredScene()
    for match_id, labels in (("m1", ON_LADDER), ("m2", ()), ("m3", ON_LADDER)):
        runner = await scene.begun(terms(match_id=match_id, labels=labels))
        await runner.submit(Resign(0))
        await runner.close()
    assert scene.page.all("referee_ratings_applied_total") == {("nim",): 4}


@in_loop
async def test_think_time_is_what_the_clocks_were_charged() -> None:
    scene = MeasuredScene()
    moves = await played_at_random(scene, NIM, "m1")
    page = scene.page
    assert page.value("referee_think_seconds_count", game="nim") == moves
    assert page.value("referee_think_seconds_sum", game="nim") == pytest.approx(moves * 0.002)
    assert page.value("referee_think_seconds_bucket", game="nim", le="0.001") == 0
    assert page.value("referee_think_seconds_bucket", game="nim", le="0.003") == moves


@in_loop
async def test_a_move_that_stands_in_line_has_waited_for_its_decision() -> None:
    scene = MeasuredScene()
    runner = await scene.begun(terms(FINGERS))
    scene.log.before.clear()
    first, second = runner.submit(answer(runner, 0, "1")), runner.submit(answer(runner, 1, "1"))
    await scene.time.passes(40 * MS)
    scene.log.before.set()
    await first
    await second
    assert scene.page.value("referee_decision_seconds_sum", game="fingers") == pytest.approx(0.04)
    assert scene.page.value("referee_decision_seconds_count", game="fingers") == 2
    await runner.close()


@in_loop
async def test_what_is_given_back_is_counted_in_seconds() -> None:
    scene = MeasuredScene()
    runner = await scene.begun(terms(credit=NetworkCredit(50 * MS, SECOND)))
    scene.keeper.delays_of[0] = SeatDelays(network_us=80 * MS, lag_us=200 * MS)
    await scene.time.passes(SECOND)
    await played(runner, 0, "1")
    assert scene.page.value("referee_network_credit_seconds_total", game="nim") == pytest.approx(0.05)
    assert scene.page.value("referee_stall_given_back_seconds_total", game="nim") == pytest.approx(0.2)
    assert scene.page.value("referee_think_seconds_sum", game="nim") == pytest.approx(0.75)
    await runner.close()


@in_loop
async def test_a_flag_falls_for_no_answer_for_a_late_one_or_for_being_away() -> None:
    scene = MeasuredScene()
    silent, late, away = [await scene.begun(terms(match_id=name)) for name in ("silent", "late", "away")]
    await away.submit(DisconnectSeat(0))
    scene.log.before.clear()  # Block the log, so that the late answer is queued before the timer fires.
    await scene.time.passes(10 * SECOND)
    scene.log.before.set()
    scene.time.us += 1
    asked = late.submit(answer(late, 0, "1"))
    await scene.time.passes(SECOND)
    assert asked.done()
    assert scene.page.all("referee_flags_fallen_total") == {
        ("no_answer", "nim"): 1,
        ("late_answer", "nim"): 1,
        ("away", "nim"): 1,
    }
    assert scene.page.all("referee_matches_ended_total") == {("time", "nim", "forfeited"): 3}
    for runner in (silent, late, away):
        await runner.close()


@in_loop
async def test_a_policys_moves_are_no_thoughts_of_a_bot() -> None:
    scene = MeasuredScene()
    runner = await scene.begun(terms(policies=Policies(late=LatePolicy.RANDOM_MOVE)))
    await scene.time.passes(10 * SECOND + 1)
    assert scene.page.value("referee_moves_total", game="nim", source="random") == 1
    assert scene.page.value("referee_think_seconds_count", game="nim") == 0
    await runner.submit(Resign(1))
    await runner.close()


@in_loop
async def test_what_an_illegal_move_was_given_back_counts_though_a_policy_moved_instead() -> None:
    scene = MeasuredScene()
    runner = await scene.begun(terms(policies=Policies(illegal=IllegalMovePolicy.RANDOM_MOVE)))
    scene.keeper.delays_of[0] = SeatDelays(lag_us=200 * MS)
    await scene.time.passes(SECOND)
    await played(runner, 0, "nonsense")
    assert scene.page.value("referee_moves_total", game="nim", source="random") == 1
    assert scene.page.value("referee_stall_given_back_seconds_total", game="nim") == pytest.approx(0.2)
    assert scene.page.value("referee_think_seconds_count", game="nim") == 0
    await runner.close()


@in_loop
async def test_matches_sessions_and_lag_are_asked_when_somebody_looks() -> None:
    scene, live = MeasuredScene(), list[MatchRunner]()
    here = ["bot0", "bot0", "stranger"]
    scene.metrics.register_gauges(
        GaugeSources(
            lambda: [runner.match for runner in live],
            lambda: here,
            lambda: 2_500_000,
            lambda: [3, 0, 0, 0, 0, 1, 1],
            lambda: True,
        )
    )
    live.append(await MatchRunner.open(terms(match_id="m1"), NIM, scene.desk))
    live.append(await scene.begun(terms(match_id="m2")))
    live.append(await scene.begun(terms(FINGERS, "m3")))
    page = scene.page
    assert page.all("referee_matches") == {("nim", "waiting"): 1, ("nim", "playing"): 1, ("fingers", "playing"): 1}
    assert page.value("referee_sessions") == 3
    assert page.all("referee_bots") == {("playing",): 1, ("idle",): 1, ("away",): 2}
    assert page.value("referee_ready") == 1
    assert page.value("referee_event_loop_lag_seconds_total") == 2.5
    assert page.value("referee_event_loop_stall_seconds_bucket", le="0.01") == 3
    assert page.value("referee_event_loop_stall_seconds_bucket", le="5.0") == 4
    assert page.value("referee_event_loop_stall_seconds_count") == 5
    assert page.value("referee_event_loop_stall_seconds_sum") == 2.5
    await live[1].submit(Resign(0))
    await live[0].submit(StartPlay())
    assert scene.page.all("referee_matches") == {("nim", "playing"): 1, ("fingers", "playing"): 1}
    for runner in live:
        await runner.close()


@in_loop
async def test_nothing_grows_with_the_number_of_matches() -> None:
    scene = MeasuredScene()
    await played_at_random(scene, NIM, "a secret name")
    once = scene.metrics.text().count(b"\n")
    for number in range(20):
        await played_at_random(scene, NIM, f"m{number}")
    assert scene.metrics.text().count(b"\n") == once
    assert b"secret" not in scene.metrics.text()
    assert b"bot0" not in scene.metrics.text()


def test_a_fault_of_ours_is_counted() -> None:
    metrics = Metrics("1.2.3")
    metrics.matches.on_fault("m1", ValueError("nobody has thought of this"))
    assert Page(metrics).value("referee_faults_total") == 1
