"""A contest whose log is damaged: it cannot be used, and other contests are not affected."""

from pathlib import Path

import pytest
from referee_values import RoundRobin

from engines.api import SPECTATOR
from referee.accounts.account_errors import NameTaken
from referee.contests.tournament.events import TournamentEnded
from referee.hosting.contest_log import TOURNAMENT
from referee.hosting.contest_store import ContestRegistry
from referee.hosting.hosting_errors import ContestDamaged
from referee.match.events import PlayEnded
from referee.match.result import EndKind
from tests.hosting.harness import Store, cup_terms, open_process, tournament_request
from tests.hosting.ladder_harness import ladder_terms, new_ladder, until
from tests.storage.stores import other_connection

WHERE_CUP = "contest = (SELECT contest FROM contests WHERE contest_id = 'tournament/cup')"
WHERE_MAIN = "contest = (SELECT contest FROM contests WHERE contest_id = 'ladder/main')"
OVERWRITE = "UPDATE contest_entries SET line = '{}' WHERE "

DAMAGES = {
    "its first entry is no event": f"{OVERWRITE} {WHERE_CUP} AND number = 1",
    "one in the middle is no event": f"{OVERWRITE} {WHERE_CUP} AND number = 2",
    "its last entry is no event": f"{OVERWRITE} {WHERE_CUP} AND number = 3",
    "its first entry is missing": f"DELETE FROM contest_entries WHERE {WHERE_CUP} AND number = 1",
    "one in the middle is missing": f"DELETE FROM contest_entries WHERE {WHERE_CUP} AND number = 2",
    "it tells of somebody who never came": (
        f'UPDATE contest_entries SET line = \'{{"v":1,"kind":"match_started","pairing":"9.9","number":1,'
        f'"attempt":1,"match_id":"m"}}\' WHERE {WHERE_CUP} AND number = 3'
    ),
}


def rows(file: Path) -> list[tuple[object, ...]]:
    with other_connection(file) as connection:
        return connection.execute("SELECT * FROM contest_entries ORDER BY entry").fetchall()


def execute_sql(file: Path, sql: str) -> None:
    with other_connection(file) as connection:
        assert connection.execute(sql).rowcount == 1


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
async def test_a_damaged_tournament_does_not_affect_the_others(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "log.db"

    store = Store(file)
    await store.register("ada", "bob")
    first_process = await open_process(store=store)
    for number, name in enumerate(("old", "cup", "new")):
        await first_process.tournaments.create(
            tournament_request(cup_terms(RoundRobin()), "ada", "bob", name=name, request_id=f"r{number}")
        )
    await first_process.close()
    execute_sql(file, damage)
    damaged = rows(file)

    second_process = await open_process(store=store)
    assert [contest for contest, _ in second_process.faults] == ["tournament/cup"]
    assert [state.name for state in await second_process.tournaments.find()] == ["new", "old"]
    for call in (second_process.tournaments.get, second_process.tournaments.start, second_process.tournaments.cancel):
        with pytest.raises(ContestDamaged, match="the log of tournament/cup is damaged"):
            await call("cup")
    with pytest.raises(NameTaken):
        await second_process.tournaments.create(
            tournament_request(cup_terms(RoundRobin()), name="cup", request_id="r9")
        )
    assert second_process.tournaments.workers.is_set_open("tournament/cup", "1.1/1", "1.1/1.1")
    assert rows(file) == damaged
    second_process.connect("ada", "bob")
    await second_process.tournaments.start("new")
    await second_process.until_over("new")
    second_process.faults.clear()
    await second_process.close()
    await store.matches.close()


async def test_a_damaged_finished_tournament_is_reported_once_when_requested() -> None:
    harness = await open_process()
    store = harness.store
    await harness.tournaments.create(tournament_request(cup_terms(RoundRobin()), name="cup"))
    await harness.tournaments.cancel("cup")
    await harness.close()
    reported: list[str] = []

    def fail(*_: object) -> None:
        raise ValueError("it cannot be")

    registry = ContestRegistry(
        store.matches.contests, TOURNAMENT, fail, TournamentEnded, lambda contest, _: reported.append(contest)
    )
    assert await registry.open() == []
    for _ in range(2):
        with pytest.raises(ContestDamaged):
            await registry.get("tournament/cup")
    assert reported == ["tournament/cup"]


async def test_a_match_of_a_damaged_ladder_ends_unrated_and_the_ladder_pairs_no_bots(tmp_path: Path) -> None:
    file = tmp_path / "log.db"

    store = Store(file)
    await store.register("ada", "bob")
    first_process = await open_process(store=store)
    await new_ladder(first_process, ladder_terms(), "ada", "bob")
    first_process.choose = lambda *_: ""
    first_process.connect("ada", "bob")
    state = await until(first_process, lambda state: bool(state.ladder.matches_in_play))
    match_id = state.match_id(state.ladder.matches_in_play[0]) or ""
    await first_process.close()
    execute_sql(file, f"{OVERWRITE} {WHERE_MAIN} AND number = 2")
    damaged = rows(file)

    second_process = await open_process(store=store)
    _, watch = await second_process.referee.watch(match_id, None, SPECTATOR)
    second_process.connect("ada", "bob")
    reported = [entry async for batch in watch for entry in batch]
    ended = reported[-1].event
    assert isinstance(ended, PlayEnded)
    assert (ended.result.kind, ended.ratings) == (EndKind.PLAYED, ())
    with pytest.raises(ContestDamaged):
        await second_process.ladders.standings("main")
    assert await second_process.ladders.find() == []
    assert second_process.ladders.workers.is_set_open("ladder/main", "1/1", "1/1.1")
    assert (second_process.referee.live_matches, rows(file)) == ([], damaged)
    assert {contest for contest, _ in second_process.faults} == {"ladder/main"}
    second_process.faults.clear()
    await second_process.close()
    await store.matches.close()
