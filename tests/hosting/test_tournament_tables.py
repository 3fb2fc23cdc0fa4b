"""Rounds and tables of large tournaments are computed in a worker process, each table once for each state."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar, TypeVarTuple, Unpack

import pytest

from referee.contests.contest_errors import CommandNotAllowed, TrfNotAvailable
from referee.contests.pairing import MatchScore
from referee.contests.tournament.commands import (
    RecordTournamentScore,
    StartTournament,
    StartTournamentMatch,
    TournamentCommand,
)
from referee.contests.tournament.decide import decide, will_pair_round
from referee.contests.tournament.state import Tournament, evolve
from referee.contests.tournament.tournament_export import estimate_strengths
from referee.contests.tournament.tournament_terms import Pools, RoundRobin, Swiss
from referee.hosting import tournament_tables
from referee.hosting.hosting_errors import TournamentNotStarted
from referee.hosting.tournament_state import MAX_ENTRANTS_HERE, TournamentState, decide_and_pair
from referee.hosting.tournament_tables import TournamentTables, cross_table, rows
from referee.live.worker_pool import WorkerPool
from tests.contests.tournament_harness import entered
from tests.hosting.harness import HostingHarness, Store, terms, wish
from tests.live.runner_harness import in_loop

LARGE = MAX_ENTRANTS_HERE + 1

T = TypeVar("T")
Args = TypeVarTuple("Args")


class Recorder:
    """`Run` that computes in the event loop, and records the functions that it is given."""

    def __init__(self) -> None:
        self.ran: list[Callable[..., Any]] = []

    async def __call__(
        self, function: Callable[[Unpack[Args]], T], *args: *Args, holder: str = "", max_cpu_s: float | None = None
    ) -> T:
        assert max_cpu_s
        assert holder == ""
        self.ran.append(function)
        await asyncio.sleep(0)
        return function(*args)


def tournament(entrants: int, form: Any = None) -> Tournament:
    return entered(form or Swiss(3), (f"bot{number}" for number in range(entrants))).tournament


async def through(it: Tournament, run: Recorder, *commands: TournamentCommand) -> Tournament:
    for command in commands:
        for event in await decide_and_pair(it, command, run):
            it = evolve(it, event)
    return it


@in_loop
async def test_each_round_of_a_large_swiss_is_paired_elsewhere_and_nothing_else_is() -> None:
    run = Recorder()
    it = await through(tournament(LARGE), run, StartTournament())
    assert len(run.ran) == 1
    for due in it.due_matches():
        begin = StartTournamentMatch(due.pairing.id, due.number, due.attempt, due.id)
        it = await through(
            it, run, begin, RecordTournamentScore(due.pairing.id, due.number, due.attempt, MatchScore((1, 2)))
        )
    assert it.round == 2
    assert run.ran == [decide, decide]


@pytest.mark.slow
@in_loop
async def test_a_worker_process_comes_to_the_same() -> None:
    pool = WorkerPool()
    it = tournament(LARGE)
    events = await decide_and_pair(it, StartTournament(), pool.run)
    assert events == decide(it, StartTournament())
    after = await through(it, Recorder(), StartTournament())
    assert await pool.run(estimate_strengths, after) == estimate_strengths(after)
    await pool.close()


@in_loop
async def test_a_small_field_is_paired_at_once() -> None:
    run = Recorder()
    assert (await through(tournament(MAX_ENTRANTS_HERE), run, StartTournament())).round == 1
    assert run.ran == []


@in_loop
async def test_a_refusal_is_the_same_in_a_large_field() -> None:
    with pytest.raises(CommandNotAllowed):
        await decide_and_pair(tournament(LARGE), StartTournamentMatch("1.1", 1, 1, "m"), Recorder())


def test_only_rounds_of_a_swiss_and_of_pools_take_long() -> None:
    assert will_pair_round(tournament(5), StartTournament())
    assert will_pair_round(tournament(5, Pools(2, 3)), StartTournament())
    assert not will_pair_round(tournament(5, RoundRobin()), StartTournament())


async def finished(harness: HostingHarness, *bots: str) -> TournamentState:
    await harness.open()
    harness.come(*bots)
    await harness.tournaments.create(wish(terms(Swiss(2), "nim"), *bots))
    await harness.tournaments.start("cup")
    return await harness.over("cup")


@in_loop
async def test_a_table_is_computed_once_for_all_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_tables, "MAX_PAIRINGS_HERE", 0)
    store = Store()
    await store.register("ada", "bob", "cyd")
    harness = HostingHarness(store)
    state = await finished(harness, "ada", "bob", "cyd")
    run = Recorder()
    tables = TournamentTables(run)
    found = await asyncio.gather(*(tables.rows(state) for _ in range(5)))
    assert found == [rows(state)] * 5
    assert await tables.rows(state, state.tournament.round + 7) == found[0]
    assert run.ran == [rows]
    assert await tables.rows(state, 1) == rows(state, 1)
    assert await tables.cross_table(state) == cross_table(state)
    assert run.ran == [rows, rows, cross_table]
    await harness.close()


@in_loop
async def test_a_table_that_failed_is_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_tables, "TABLES_CACHE_SIZE", 1)
    store = Store()
    await store.register("ada", "bob", "cyd")
    harness = HostingHarness(store)
    state = await finished(harness, "ada", "bob", "cyd")
    tables = TournamentTables(Recorder())
    asked = 0

    def report(_: TournamentState) -> str:
        nonlocal asked
        asked += 1
        raise TrfNotAvailable("it is broken")

    for _ in range(2):
        with pytest.raises(TrfNotAvailable):
            await tables.export(state, report)
    assert asked == 2
    await tables.rows(state)
    await tables.cross_table(state)
    assert len(tables._cache) == 1
    await harness.close()


@in_loop
async def test_there_is_no_table_before_the_start() -> None:
    store = Store()
    await store.register("ada", "bob", "cyd")
    harness = HostingHarness(store)
    await harness.open()
    state = await harness.tournaments.create(wish(terms(Swiss(2), "nim"), "ada", "bob", "cyd"))
    for asked in (harness.tournaments.tables.rows(state), harness.tournaments.tables.cross_table(state)):
        with pytest.raises(TournamentNotStarted):
            await asked
    await harness.close()
