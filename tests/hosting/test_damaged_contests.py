"""A contest whose log is damaged: it cannot be used, and other contests are not affected."""

from pathlib import Path

import pytest

from engines.api import SPECTATOR
from referee.accounts.account_errors import NameTaken
from referee.contests.tournament.events import TournamentEnded
from referee.contests.tournament.tournament_terms import RoundRobin
from referee.hosting.contest_log import TOURNAMENT
from referee.hosting.contest_store import ContestRegistry
from referee.hosting.hosting_errors import ContestDamaged
from referee.match.events import PlayEnded
from referee.match.result import EndKind
from tests.hosting.harness import HostingHarness, Store, terms, wish
from tests.hosting.ladder_harness import ladder_terms, new_ladder, until
from tests.live.runner_harness import in_loop
from tests.storage.stores import stranger

OF_CUP = "contest = (SELECT contest FROM contests WHERE contest_id = 'tournament/cup')"
OF_MAIN = "contest = (SELECT contest FROM contests WHERE contest_id = 'ladder/main')"
SCRIBBLE = "UPDATE contest_entries SET line = '{}' WHERE "

DAMAGES = {
    "its first entry is no event": f"{SCRIBBLE} {OF_CUP} AND number = 1",
    "one in the middle is no event": f"{SCRIBBLE} {OF_CUP} AND number = 2",
    "its last entry is no event": f"{SCRIBBLE} {OF_CUP} AND number = 3",
    "its first entry is missing": f"DELETE FROM contest_entries WHERE {OF_CUP} AND number = 1",
    "one in the middle is missing": f"DELETE FROM contest_entries WHERE {OF_CUP} AND number = 2",
    "it tells of somebody who never came": (
        f'UPDATE contest_entries SET line = \'{{"v":1,"kind":"began","pairing":"9.9","number":1,'
        f'"attempt":1,"match_id":"m"}}\' WHERE {OF_CUP} AND number = 3'
    ),
}


def rows(file: Path) -> list[tuple[object, ...]]:
    with stranger(file) as connection:
        return connection.execute("SELECT * FROM contest_entries ORDER BY entry").fetchall()


def say(file: Path, sql: str) -> None:
    with stranger(file) as connection:
        assert connection.execute(sql).rowcount == 1


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_whatever_is_wrong_with_it_the_others_go_on(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "log.db"

    @in_loop
    async def story() -> None:
        store = Store(file)
        await store.register("ada", "bob")
        before = HostingHarness(store)
        await before.open()
        for number, name in enumerate(("old", "cup", "new")):
            await before.tournaments.create(wish(terms(RoundRobin()), "ada", "bob", name=name, request_id=f"r{number}"))
        await before.close()
        say(file, damage)
        damaged = rows(file)

        after = HostingHarness(store)
        await after.open()
        assert [contest for contest, _ in after.faults] == ["tournament/cup"]
        assert [state.name for state in await after.tournaments.find()] == ["new", "old"]
        for asks in (after.tournaments.get, after.tournaments.start, after.tournaments.cancel):
            with pytest.raises(ContestDamaged, match="the log of tournament/cup is damaged"):
                await asks("cup")
        with pytest.raises(NameTaken):
            await after.tournaments.create(wish(terms(RoundRobin()), name="cup", request_id="r9"))
        assert after.tournaments.workers.is_set_open("tournament/cup", "1.1/1", "1.1/1.1")
        assert rows(file) == damaged
        after.come("ada", "bob")
        await after.tournaments.start("new")
        await after.over("new")
        after.faults.clear()
        await after.close()
        await store.matches.close()

    story()


@in_loop
async def test_one_that_is_over_is_found_out_by_who_asks_for_it() -> None:
    store = Store()
    harness = HostingHarness(store)
    await harness.open()
    await harness.tournaments.create(wish(terms(RoundRobin()), name="cup"))
    await harness.tournaments.cancel("cup")
    await harness.close()
    heard: list[str] = []

    def folded_once(*_: object) -> None:
        raise ValueError("it cannot be")

    registry = ContestRegistry(
        store.matches.contests, TOURNAMENT, folded_once, TournamentEnded, lambda contest, _: heard.append(contest)
    )
    assert await registry.open() == []
    for _ in range(2):
        with pytest.raises(ContestDamaged):
            await registry.get("tournament/cup")
    assert heard == ["tournament/cup"]


def test_a_match_of_a_damaged_ladder_ends_unrated_and_the_ladder_pairs_nobody(tmp_path: Path) -> None:
    file = tmp_path / "log.db"

    @in_loop
    async def story() -> None:
        store = Store(file)
        await store.register("ada", "bob")
        before = HostingHarness(store)
        await before.open()
        await new_ladder(before, ladder_terms(), "ada", "bob")
        before.choose = lambda *_: ""
        before.come("ada", "bob")
        state = await until(before, lambda state: bool(state.ladder.matches_in_play))
        match_id = state.match_id(state.ladder.matches_in_play[0]) or ""
        await before.close()
        say(file, f"{SCRIBBLE} {OF_MAIN} AND number = 2")
        damaged = rows(file)

        after = HostingHarness(store)
        await after.open()
        _, watching = await after.referee.watch(match_id, None, SPECTATOR)
        after.come("ada", "bob")
        heard = [entry async for batch in watching for entry in batch]
        ended = heard[-1].event
        assert isinstance(ended, PlayEnded)
        assert (ended.result.kind, ended.ratings) == (EndKind.PLAYED, ())
        with pytest.raises(ContestDamaged):
            await after.ladders.standings("main")
        assert await after.ladders.find() == []
        assert after.ladders.workers.is_set_open("ladder/main", "1/1", "1/1.1")
        assert (after.referee.live_matches, rows(file)) == ([], damaged)
        assert {contest for contest, _ in after.faults} == {"ladder/main"}
        after.faults.clear()
        await after.close()
        await store.matches.close()

    story()
