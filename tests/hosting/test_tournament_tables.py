"""Rounds and tables of large tournaments are computed in a worker process, each table once for each state."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar, TypeVarTuple, Unpack

import pytest
from referee_values import Swiss

from referee.contests.contest_errors import NotExportable, TournamentNotStarted
from referee.contests.pairing import MatchScore
from referee.contests.tournament.commands import (
    RecordTournamentScore,
    StartTournament,
    StartTournamentMatch,
    TournamentCommand,
)
from referee.contests.tournament.decide import decide
from referee.contests.tournament.state import Tournament, evolve
from referee.contests.tournament.tournament_export import estimate_strengths
from referee.hosting import tournament_tables
from referee.hosting.tournament_state import MAX_ENTRANTS_HERE, TournamentState, decide_and_pair
from referee.hosting.tournament_tables import TournamentTables, cross_table, rows
from referee.live.worker_pool import WorkerPool
from tests.contests.tournament_harness import entered
from tests.hosting.harness import MANY_MATCHES, cup_terms, open_with_tournament

LARGE = MAX_ENTRANTS_HERE + 1

T = TypeVar("T")
Args = TypeVarTuple("Args")


class Recorder:
    """`Run` that computes in the event loop, and records the functions that it is given."""

    def __init__(self) -> None:
        self.functions: list[Callable[..., Any]] = []

    async def __call__(
        self, function: Callable[[Unpack[Args]], T], *args: *Args, holder: str = "", max_cpu_s: float | None = None
    ) -> T:
        assert max_cpu_s
        assert holder == ""
        self.functions.append(function)
        await asyncio.sleep(0)
        return function(*args)


def new_tournament(entrants: int, form: Any = None) -> Tournament:
    return entered(form or Swiss(rounds=3), (f"bot{number}" for number in range(entrants))).tournament


async def execute(tournament: Tournament, runner: Recorder, *commands: TournamentCommand) -> Tournament:
    for command in commands:
        for event in await decide_and_pair(tournament, command, runner):
            tournament = evolve(tournament, event)
    return tournament


async def test_only_the_rounds_of_a_large_swiss_are_paired_in_a_worker() -> None:
    runner = Recorder()
    tournament = await execute(new_tournament(LARGE), runner, StartTournament())
    assert len(runner.functions) == 1
    for due in tournament.due_matches():
        start_match = StartTournamentMatch(due.pairing.id, due.number, due.attempt, due.id)
        tournament = await execute(
            tournament,
            runner,
            start_match,
            RecordTournamentScore(due.pairing.id, due.number, due.attempt, MatchScore((1, 2))),
        )
    assert tournament.round == 2
    assert runner.functions == [decide, decide]


@pytest.mark.slow
async def test_a_worker_process_computes_the_same_pairings() -> None:
    pool = WorkerPool()
    tournament = new_tournament(LARGE)
    events = await decide_and_pair(tournament, StartTournament(), pool.run)
    assert events == decide(tournament, StartTournament())
    after = await execute(tournament, Recorder(), StartTournament())
    assert await pool.run(estimate_strengths, after) == estimate_strengths(after)
    await pool.close()


async def test_a_small_tournament_is_paired_in_the_event_loop() -> None:
    runner = Recorder()
    assert (await execute(new_tournament(MAX_ENTRANTS_HERE), runner, StartTournament())).round == 1
    assert runner.functions == []


async def test_a_command_is_rejected_equally_in_a_large_tournament() -> None:
    with pytest.raises(TournamentNotStarted):
        await decide_and_pair(new_tournament(LARGE), StartTournamentMatch("1.1", 1, 1, "m"), Recorder())


async def test_a_table_is_computed_once_for_all_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_tables, "MAX_PAIRINGS_HERE", 0)
    harness = await open_with_tournament(cup_terms(Swiss(rounds=2)), "ada", "bob", "cyd", online=MANY_MATCHES)
    state = await harness.until_over("cup")
    runner = Recorder()
    tables = TournamentTables(runner)
    found = await asyncio.gather(*(tables.rows(state) for _ in range(5)))
    assert found == [rows(state)] * 5
    assert await tables.rows(state, state.tournament.round + 7) == found[0]
    assert runner.functions == [rows]
    assert await tables.rows(state, 1) == rows(state, 1)
    assert await tables.cross_table(state) == cross_table(state)
    assert runner.functions == [rows, rows, cross_table]


async def test_a_failed_table_is_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_tables, "TABLES_CACHE_SIZE", 1)
    harness = await open_with_tournament(cup_terms(Swiss(rounds=2)), "ada", "bob", "cyd", online=MANY_MATCHES)
    state = await harness.until_over("cup")
    tables = TournamentTables(Recorder())
    call = 0

    def report(_: TournamentState) -> str:
        nonlocal call
        call += 1
        raise NotExportable("cup", "trf", "it is broken")

    for _ in range(2):
        with pytest.raises(NotExportable):
            await tables.export(state, report)
    assert call == 2
    await tables.rows(state)
    await tables.cross_table(state)
    assert len(tables._cache) == 1
