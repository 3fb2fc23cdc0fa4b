"""Matches of games whose rules another process computes: an engine that is slow or fails costs no bot anything."""

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from referee_values import Opening

from engines.external.engine_client import ExternalGameFault
from engines.external.external_game import load_game
from engines.options import Settings
from referee.live.engine_calls import call_engine
from referee.live.ports import EngineFault
from referee.live.submit import AttemptRefused
from referee.match.clock import SECOND, Untimed
from referee.match.events import PlayEnded
from referee.match.result import EndCause, EndKind
from referee.match.state import Match, MatchPhase
from tests.engines.external.engines import PATIENT, small_engine
from tests.live import runner_harness
from tests.live.fake_time import settle
from tests.live.referee_harness import BOTS, GAMES, RefereeHarness
from tests.live.runner_harness import RunnerHarness, in_loop, match_setup, submit_move
from tests.third_party_games.third_party_games import NIM
from tests.third_party_games.third_party_games.nim import Nim, NimPosition


class SlowPosition(NimPosition):
    def play(self, seat: int, move: str) -> NimPosition:
        SLOW.threads.add(threading.current_thread().name)
        SLOW.asked.release()
        assert SLOW.gate.wait(60)
        after = NIM.read(str(super().play(seat, move)), self.settings)
        return SlowPosition(after.rules, after.heap, after.mover)


class SlowNim(Nim):
    """Nim that another process computes, as slowly as a test wants."""

    name = "slow"
    is_slow = True

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        """Released by each move that is played."""
        self.gate = threading.Event()
        """Moves wait until it is set."""
        self.gate.set()
        self.threads: set[str] = set()
        """Names of the threads that have asked for positions."""

    def start(self, settings: Settings, seed: bytes) -> NimPosition:
        self.threads.add(threading.current_thread().name)
        return SlowPosition(settings, settings.count("heap"), 0)

    def read(self, text: str, settings: Settings) -> NimPosition:
        self.threads.add(threading.current_thread().name)
        position = super().read(text, settings)
        return SlowPosition(settings, position.heap, position.mover)

    async def wait_until_asked(self) -> None:
        await asyncio.to_thread(self.asked.acquire)


SLOW = SlowNim()


@pytest.fixture(autouse=True)
def open_gate() -> Iterator[None]:
    SLOW.asked, SLOW.threads = threading.Semaphore(0), set()
    SLOW.gate.set()
    yield
    SLOW.gate.set()


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch) -> RefereeHarness:
    """A referee with the games of tests and a slow one."""
    monkeypatch.setitem(GAMES, "slow", SLOW)
    return RefereeHarness()


async def until_playing(harness: RefereeHarness, match_id: str) -> Match:
    while (match := await harness.match(match_id)).phase is MatchPhase.WAITING:
        await asyncio.sleep(0)
    return match


async def start_match(harness: RefereeHarness, game: str, **more: Any) -> str:
    match_id = await harness.create(game, **more)
    await until_playing(harness, match_id)
    await settle()
    return match_id


async def test_no_bot_is_charged_for_the_time_that_an_engine_takes(harness: RefereeHarness) -> None:
    harness.connect(*BOTS[:2])
    match_id = await start_match(harness, "slow")
    await harness.time.advance(2 * SECOND)
    SLOW.gate.clear()
    move = asyncio.create_task(harness.submit_move(match_id, 0, "1"))
    await SLOW.wait_until_asked()
    await harness.time.advance(60 * SECOND)  # Each bot has ten seconds.
    SLOW.gate.set()
    await move
    match = await harness.match(match_id)
    assert match.phase is MatchPhase.PLAYING
    assert [row.charged_us for row in await harness.move_rows(match_id)] == [2 * SECOND]
    due = harness.turn_due(match_id, 1)
    assert (due.left_us, due.clocks[1].used_us) == (10 * SECOND, 0)
    await harness.time.advance(3 * SECOND)
    await harness.submit_move(match_id, 1, "1")
    assert harness.turn_due(match_id, 0).clocks[1].clock.left_us == 7 * SECOND


async def test_a_refused_move_costs_no_time_of_the_engine_either(harness: RefereeHarness) -> None:
    harness.connect(*BOTS[:2])
    match_id = await start_match(harness, "slow")
    SLOW.gate.clear()
    move = asyncio.create_task(harness.submit_move(match_id, 0, "9"))
    await SLOW.wait_until_asked()
    await harness.time.advance(60 * SECOND)
    SLOW.gate.set()
    with pytest.raises(AttemptRefused):
        await move
    due = harness.turn_due(match_id, 0)
    assert (due.left_us, due.clocks[0].used_us) == (10 * SECOND, 0)


async def test_a_slow_engine_delays_no_match_of_another_game(harness: RefereeHarness) -> None:
    harness.connect(*BOTS[:2])
    slow, nim = await start_match(harness, "slow"), await start_match(harness, "nim")
    SLOW.gate.clear()
    move = asyncio.create_task(harness.submit_move(slow, 0, "1"))
    await SLOW.wait_until_asked()
    for ply in range(7):
        await harness.submit_move(nim, ply % 2, "3")
    result = (await harness.match(nim)).result
    assert result
    assert result.kind is EndKind.PLAYED
    assert (await harness.match(slow)).ply == 0
    SLOW.gate.set()
    await move
    assert (await harness.match(slow)).ply == 1


async def test_matches_are_created_and_started_outside_of_the_loop(harness: RefereeHarness) -> None:
    harness.connect(*BOTS[:2])
    await start_match(harness, "slow")
    match_id = await start_match(harness, "slow", opening=Opening(position="7 1"))
    assert SLOW.threads == {"engine slow_0"}
    await harness.submit_move(match_id, 1, "1")
    assert str((await harness.match(match_id)).position) == "6 0"


async def test_a_match_continues_after_a_restart(harness: RefereeHarness) -> None:
    harness.connect(*BOTS[:2])
    match_id = await start_match(harness, "slow")
    await harness.submit_move(match_id, 0, "1")
    later = await harness.restart()
    later.connect(*BOTS[:2])
    await later.referee.recovery.begin()
    assert await later.referee.recovery.run() == 1
    await settle()
    await later.submit_move(match_id, 1, "2")
    assert str((await later.match(match_id)).position) == "18 0"
    assert SLOW.threads == {"engine slow_0"}


async def test_a_process_that_follows_a_match_asks_its_own_engine_outside_of_the_loop(
    process: RunnerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(runner_harness.GAMES, "slow", SLOW)
    second = RunnerHarness(shared_with=process)
    runs = await process.start_match(match_setup(SLOW))
    follows = second.run_too(runs.match)
    await submit_move(runs, 0, "1")
    await SLOW.wait_until_asked()
    SLOW.gate.clear()
    follows.receive(await process.stored.read("m1", 2))
    await SLOW.wait_until_asked()
    assert follows.match.ply == 0
    SLOW.gate.set()
    await follows.wait_until_idle()
    assert follows.match == runs.match
    assert [entry.number for entry in second.observer.foreign] == [3]


@pytest.mark.parametrize(
    ("fault", "wrong"), [("crash", "it has ended"), ("hang", "no answer"), ("refusal", "it refuses")]
)
def test_a_match_whose_engine_fails_is_void_and_no_loss(fault: str, wrong: str) -> None:
    game = load_game(small_engine("play", fault))

    @in_loop
    async def play() -> None:
        harness = RefereeHarness(games={**GAMES, "nim": game})
        harness.connect(*BOTS[:2])
        match_id = await start_match(harness, "nim", controls=(Untimed(),))
        if fault == "hang":
            game.client.limits = replace(PATIENT, max_request_ms=50)
        with pytest.raises(EngineFault):
            await harness.submit_move(match_id, 0, "1")
        await settle()
        match = await harness.match(match_id)
        assert match.result
        assert (match.result.kind, match.result.cause) == (EndKind.VOID, EndCause.ENGINE_FAULT)
        assert match.result.reason.startswith(f"ExternalGameFault: nim: play: {wrong}")
        assert not match.result.forfeits
        (fault_of_match,) = harness.recorder.faults
        assert fault_of_match[0] == match_id
        assert isinstance(fault_of_match[1], ExternalGameFault)
        assert isinstance((await harness.stored.read(match_id))[-1].event, PlayEnded)

    try:
        play()
    finally:
        load_game.cache_clear()
        game.client.close()


async def test_a_game_of_this_process_is_asked_at_once() -> None:
    assert await call_engine(NIM, threading.current_thread) is threading.current_thread()
    assert (await call_engine(SLOW, threading.current_thread)).name.startswith("engine slow")
    with pytest.raises(ZeroDivisionError):
        await call_engine(SLOW, lambda: 1 // 0)
