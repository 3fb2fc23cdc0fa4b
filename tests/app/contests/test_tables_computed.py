"""Rounds and tables of large tournaments are computed outside of the event loop, and each table once per change."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar, TypeVarTuple, Unpack

import pytest

from referee.app.contests import tournament_tables
from referee.app.contests.held import Held
from referee.app.contests.refusals import TournamentNotStarted
from referee.app.contests.round_pairing import MAX_ENTRANTS_HERE, decide_and_pair
from referee.app.contests.tournament_tables import TournamentTables, cross_table, rows
from referee.app.worker_pool import WorkerPool
from referee.contest.directing import Begin, Command, Record, Start, decide, pairs_a_round
from referee.contest.estimates import estimates
from referee.contest.formats import Pools, RoundRobin, Swiss
from referee.contest.pairing import Score
from referee.contest.refusals import NoReport, NotInThisPhase
from referee.contest.tournament import Tournament, evolve
from tests.app.contests.stage import Stage, Store, terms, wish
from tests.app.scene import in_loop
from tests.contest.plays import entered

LARGE = MAX_ENTRANTS_HERE + 1

T = TypeVar("T")
Args = TypeVarTuple("Args")


class Recorder:
    """A `Run` that runs in the event loop, and notes what it was given."""

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


async def through(it: Tournament, run: Recorder, *commands: Command) -> Tournament:
    for command in commands:
        for event in await decide_and_pair(it, command, run):
            it = evolve(it, event)
    return it


@in_loop
async def test_each_round_of_a_large_swiss_is_paired_elsewhere_and_nothing_else_is() -> None:
    run = Recorder()
    it = await through(tournament(LARGE), run, Start())
    assert len(run.ran) == 1
    for due in it.due():
        begin = Begin(due.pairing.id, due.number, due.attempt, due.id)
        it = await through(it, run, begin, Record(due.pairing.id, due.number, due.attempt, Score((1, 2))))
    assert it.round == 2
    assert run.ran == [decide, decide]


@pytest.mark.slow
@in_loop
async def test_a_worker_process_comes_to_the_same() -> None:
    pool = WorkerPool()
    it = tournament(LARGE)
    events = await decide_and_pair(it, Start(), pool.run)
    assert events == decide(it, Start())
    after = await through(it, Recorder(), Start())
    assert await pool.run(estimates, after) == estimates(after)
    await pool.close()


@in_loop
async def test_a_small_field_is_paired_at_once() -> None:
    run = Recorder()
    assert (await through(tournament(MAX_ENTRANTS_HERE), run, Start())).round == 1
    assert run.ran == []


@in_loop
async def test_a_refusal_is_the_same_in_a_large_field() -> None:
    with pytest.raises(NotInThisPhase):
        await decide_and_pair(tournament(LARGE), Begin("1.1", 1, 1, "m"), Recorder())


def test_only_rounds_of_a_swiss_and_of_pools_take_long() -> None:
    assert pairs_a_round(tournament(5), Start())
    assert pairs_a_round(tournament(5, Pools(2, 3)), Start())
    assert not pairs_a_round(tournament(5, RoundRobin()), Start())


async def finished(stage: Stage, *bots: str) -> Held:
    await stage.open()
    stage.come(*bots)
    await stage.tournaments.create(wish(terms(Swiss(2), "nim"), *bots))
    await stage.tournaments.start("cup")
    return await stage.over("cup")


@in_loop
async def test_a_table_is_computed_once_for_all_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_tables, "MAX_PAIRINGS_HERE", 0)
    store = Store()
    await store.register("ada", "bob", "cyd")
    stage = Stage(store)
    held = await finished(stage, "ada", "bob", "cyd")
    run = Recorder()
    tables = TournamentTables(run)
    found = await asyncio.gather(*(tables.rows(held) for _ in range(5)))
    assert found == [rows(held)] * 5
    assert await tables.rows(held, held.tournament.round + 7) == found[0]
    assert run.ran == [rows]
    assert await tables.rows(held, 1) == rows(held, 1)
    assert await tables.cross_table(held) == cross_table(held)
    assert run.ran == [rows, rows, cross_table]
    await stage.close()


@in_loop
async def test_a_table_that_failed_is_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_tables, "TABLES_CACHE_SIZE", 1)
    store = Store()
    await store.register("ada", "bob", "cyd")
    stage = Stage(store)
    held = await finished(stage, "ada", "bob", "cyd")
    tables = TournamentTables(Recorder())
    asked = 0

    def report(_: Held) -> str:
        nonlocal asked
        asked += 1
        raise NoReport("it is broken")

    for _ in range(2):
        with pytest.raises(NoReport):
            await tables.export(held, report)
    assert asked == 2
    await tables.rows(held)
    await tables.cross_table(held)
    assert len(tables._cache) == 1
    await stage.close()


@in_loop
async def test_there_is_no_table_before_the_start() -> None:
    store = Store()
    await store.register("ada", "bob", "cyd")
    stage = Stage(store)
    await stage.open()
    held = await stage.tournaments.create(wish(terms(Swiss(2), "nim"), "ada", "bob", "cyd"))
    for asked in (stage.tournaments.tables.rows(held), stage.tournaments.tables.cross_table(held)):
        with pytest.raises(TournamentNotStarted):
            await asked
    await stage.close()
