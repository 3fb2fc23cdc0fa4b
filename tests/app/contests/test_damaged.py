"""A contest whose log is damaged is held as such: the others go on, and nothing of it is changed."""

from pathlib import Path

import pytest

from engines.api import SPECTATOR
from referee.app.contests.log import TOURNAMENT
from referee.app.contests.refusals import ContestDamaged
from referee.app.contests.shelf import Shelf
from referee.app.refusals import NameTaken
from referee.contest.formats import RoundRobin
from referee.contest.tournament_events import Ended
from referee.core.events import PlayEnded
from referee.core.result import Kind
from tests.app.contests.ladder_stage import ladder_terms, new_ladder, until
from tests.app.contests.stage import Stage, Store, terms, wish
from tests.app.scene import in_loop
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
        before = Stage(store)
        await before.open()
        for number, name in enumerate(("old", "cup", "new")):
            await before.tournaments.create(wish(terms(RoundRobin()), "ada", "bob", name=name, request_id=f"r{number}"))
        await before.close()
        say(file, damage)
        damaged = rows(file)

        after = Stage(store)
        await after.open()
        assert [contest for contest, _ in after.faults] == ["tournament/cup"]
        assert [held.name for held in await after.tournaments.tournaments()] == ["new", "old"]
        for asks in (after.tournaments.tournament, after.tournaments.start, after.tournaments.cancel):
            with pytest.raises(ContestDamaged, match="the log of tournament/cup is damaged"):
                await asks("cup")
        with pytest.raises(NameTaken):
            await after.tournaments.create(wish(terms(RoundRobin()), name="cup", request_id="r9"))
        assert after.tournaments.set_open("cup", "1.1/1", "1.1/1.1")
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
    stage = Stage(store)
    await stage.open()
    await stage.tournaments.create(wish(terms(RoundRobin()), name="cup"))
    await stage.tournaments.cancel("cup")
    await stage.close()
    heard: list[str] = []

    def folded_once(*_: object) -> None:
        raise ValueError("it cannot be")

    shelf = Shelf(store.matches.contests, TOURNAMENT, folded_once, Ended, lambda contest, _: heard.append(contest))
    assert await shelf.open() == []
    for _ in range(2):
        with pytest.raises(ContestDamaged):
            await shelf.book("tournament/cup")
    assert heard == ["tournament/cup"]


def test_a_match_of_a_damaged_ladder_ends_unrated_and_the_ladder_pairs_nobody(tmp_path: Path) -> None:
    file = tmp_path / "log.db"

    @in_loop
    async def story() -> None:
        store = Store(file)
        await store.register("ada", "bob")
        before = Stage(store)
        await before.open()
        await new_ladder(before, ladder_terms(), "ada", "bob")
        before.choose = lambda *_: ""
        before.come("ada", "bob")
        held = await until(before, lambda held: bool(held.ladder.playing))
        match_id = held.match_id(held.ladder.playing[0])
        await before.close()
        say(file, f"{SCRIBBLE} {OF_MAIN} AND number = 2")
        damaged = rows(file)

        after = Stage(store)
        await after.open()
        _, watching = await after.referee.watch(match_id, None, SPECTATOR)
        after.come("ada", "bob")
        heard = [entry async for batch in watching for entry in batch]
        ended = heard[-1].event
        assert isinstance(ended, PlayEnded)
        assert (ended.result.kind, ended.ratings) == (Kind.PLAYED, ())
        with pytest.raises(ContestDamaged):
            await after.ladders.standings("main")
        assert await after.ladders.ladders() == []
        assert after.ladders.set_open("main", "1/1", "1/1.1")
        assert (after.referee.live, rows(file)) == ([], damaged)
        assert {contest for contest, _ in after.faults} == {"ladder/main"}
        after.faults.clear()
        await after.close()
        await store.matches.close()

    story()
