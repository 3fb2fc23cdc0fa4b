"""What can be asked of tournaments, and what is refused."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from engines.refusals import Refusal
from referee.app.accounts import Pause, PauseCause, paused
from referee.app.contests.refusals import (
    AlreadyIn,
    NotAnEntrant,
    NotExportable,
    TournamentNotStarted,
    TournamentOver,
    TournamentStarted,
    UnknownTournament,
    WrongEntrantCount,
)
from referee.app.contests.shelf import BOOKS_KEPT
from referee.app.contests.terms import Partners
from referee.app.contests.tournament_tables import PairingPhase, cross_table, phase_of, rows
from referee.app.contests.tournament_wish import (
    EVERY_PAIRING,
    EVERY_TOURNAMENT,
    ExportFormat,
    PairingFilter,
    TournamentFilter,
    TournamentWish,
)
from referee.app.ports import LogUnavailable
from referee.app.refusals import BadField, BadName, BotPaused, NameTaken, UnknownBot, UnknownVersion
from referee.app.watching import NumberAhead
from referee.app.wish import Opening
from referee.contest.duplicate import Duplicate
from referee.contest.formats import Elimination, Gauntlet, Pools, RoundRobin, Swiss
from referee.contest.refusals import WrongSeats
from referee.contest.terms import Seeding
from referee.contest.tournament import Phase
from referee.contest.tournament_events import Entrant
from referee.core.errors import RequestIdReused
from referee.core.setup import Player
from tests.app.contests.stage import MANY, Stage, Store, entrant, killed, terms, wish
from tests.app.scene import in_loop
from tests.app.stopped_time import settled

CUP = wish(terms(RoundRobin()), "ada", "bob")


async def opened(*bots: str) -> Stage:
    store = Store()
    await store.register(*bots)
    stage = Stage(store)
    await stage.open()
    return stage


@in_loop
async def test_a_tournament_is_made_with_its_entrants_and_a_seed_that_the_referee_drew() -> None:
    stage = await opened("ada", "bob")
    held = await stage.tournaments.create(CUP)
    assert (held.name, held.title, held.organiser, held.number) == ("cup", "cup", "org", 3)
    assert held.tournament.phase is Phase.ENTRY
    assert list(held.tournament.entrants) == ["ada", "bob"]
    assert held.terms.tournament.seed == bytes(32)
    await stage.close()


@in_loop
async def test_the_same_request_makes_one_tournament_also_after_a_restart() -> None:
    stage = await opened("ada", "bob", "cyd")
    both = await asyncio.gather(stage.tournaments.create(CUP), stage.tournaments.create(CUP))
    assert both[0] == both[1]
    await stage.tournaments.enter("cup", entrant("cyd"))
    await stage.close()
    after = Stage(stage.store)
    await after.open()
    assert list((await after.tournaments.create(CUP)).tournament.entrants) == ["ada", "bob", "cyd"]
    for other in (
        replace(CUP, name="other"),
        replace(CUP, title="The cup"),
        replace(CUP, terms=terms(RoundRobin(2))),
        wish(terms(RoundRobin()), "ada", "cyd"),
        wish(terms(RoundRobin()), "ada"),
        wish(terms(RoundRobin()), "ada", "bob", "cyd"),  # So it is by now, but not so it was made.
        replace(CUP, entrants=(entrant("ada"), entrant("bob", name="bobby"))),
    ):
        with pytest.raises(RequestIdReused):
            await after.tournaments.create(other)
    with pytest.raises(NameTaken):
        await after.tournaments.create(replace(CUP, request_id="r2"))
    with pytest.raises(NameTaken):
        await after.tournaments.create(replace(CUP, organiser="another"))
    await after.close()


BAD: dict[str, tuple[TournamentWish, type[Refusal]]] = {
    "a name": (replace(CUP, name="The Cup"), BadName),
    "a title": (replace(CUP, title="x" * 201), BadField),
    "a bot": (wish(terms(RoundRobin()), "ada", "nobody"), UnknownBot),
    "a version": (replace(CUP, entrants=(Entrant("ada", bots=(Player("ada", "9"),)),)), UnknownVersion),
    "a bot twice": (wish(terms(RoundRobin()), "ada", "ada"), AlreadyIn),
    "two bots for a seat": (replace(CUP, entrants=(entrant("ada", "bob"),)), WrongSeats),
    "partners without a name": (
        replace(
            wish(terms(RoundRobin(), "stones", {"seats": 4, "teams": True}, partners=Partners.FIXED)),
            entrants=(Entrant("", bots=(Player("ada"), Player("bob"))),),
        ),
        BadField,
    ),
    "a format for two": (wish(terms(RoundRobin(), "stones")), BadField),
    "seeding by ratings that nobody has": (wish(terms(RoundRobin(), seeding=Seeding.RATING)), BadField),
    "the name of somebody else's bot": (replace(CUP, entrants=(entrant("ada", name="bob"),)), BadField),
    "a name that is none": (replace(CUP, entrants=(entrant("ada", name=" "),)), BadField),
    "another table": (wish(terms(Pools(2, 4), "stones")), BadField),
    "an opening": (
        wish(terms(RoundRobin(), openings=(Opening(moves=((0, "9"),)),), duplicate=Duplicate(2, 1))),
        Refusal,
    ),
    "nonces in sets": (wish(terms(RoundRobin(), duplicate=Duplicate(2), nonce_within_us=1)), BadField),
    "hidden hands in sets": (
        wish(terms(RoundRobin(), "toc", partners=Partners.FIXED, duplicate=Duplicate(2))),
        BadField,
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_a_tournament_that_cannot_be_is_refused_and_nothing_is_written(what: str) -> None:
    @in_loop
    async def refused() -> None:
        stage = await opened("ada", "bob")
        asked, why = BAD[what]
        with pytest.raises(why):
            await stage.tournaments.create(asked)
        assert await stage.contests.contests("tournament") == []
        await stage.close()

    refused()


@in_loop
async def test_seats_are_not_drawn_by_lot_as_the_pairing_says_who_sits_where() -> None:
    stage = await opened("ada", "bob")
    by_lot = replace(CUP.terms, match_terms=(replace(CUP.terms.match_terms[0], by_lot=True),))
    with pytest.raises(BadField, match="seats_by_lot"):
        await stage.tournaments.create(replace(CUP, terms=by_lot))
    await stage.close()


@in_loop
async def test_who_may_enter_and_who_may_not() -> None:
    stage = await opened("ada", "bob", "cyd", "dan", "eve")
    await stage.tournaments.create(CUP)
    with pytest.raises(AlreadyIn) as why:
        await stage.tournaments.enter("cup", entrant("ada", name="other"))
    assert why.value.details == {"bot": "ada", "entrant": "ada"}
    await stage.tournaments.enter("cup", entrant("eve", name="evening"))
    with pytest.raises(NameTaken):
        await stage.tournaments.enter("cup", entrant("cyd", name="evening"))
    await stage.tournaments.withdraw("cup", "evening")
    await stage.store.accounts.change_bot("cyd", lambda bot: paused(bot, Pause(PauseCause.ADMIN, "rest", 1)))
    with pytest.raises(BotPaused):
        await stage.tournaments.enter("cup", entrant("cyd"))
    held = await stage.tournaments.enter("cup", Entrant("", bots=(Player("dan"),)))
    assert list(held.tournament.entrants) == ["ada", "bob", "dan"]
    await stage.tournaments.withdraw("cup", "dan")
    await stage.tournaments.start("cup")
    with pytest.raises(TournamentStarted):
        await stage.tournaments.enter("cup", entrant("dan"))
    await stage.close()


@in_loop
async def test_what_is_out_of_order_is_refused_and_what_is_done_twice_is_no_fault() -> None:
    stage = await opened("ada", "bob")
    cup = stage.tournaments
    await cup.create(wish(terms(Gauntlet(("cyd",))), "ada"))
    with pytest.raises(WrongEntrantCount) as why:
        await cup.start("cup")
    assert (why.value.details["tournament"], why.value.details["entrants"]) == ("cup", "1")
    await cup.enter("cup", entrant("bob"))
    with pytest.raises(NotAnEntrant):
        await cup.start("cup")
    with pytest.raises(NotAnEntrant):
        await cup.withdraw("cup", "cyd")
    with pytest.raises(TournamentNotStarted):
        rows(await cup.tournament("cup"))
    with pytest.raises(TournamentNotStarted):
        cross_table(await cup.tournament("cup"))
    with pytest.raises(TournamentNotStarted):
        await cup.export("cup", ExportFormat.CSV)
    await cup.cancel("cup", "no challenger")
    assert (await cup.cancel("cup")).tournament.phase is Phase.CANCELLED
    for late in (cup.start("cup"), cup.enter("cup", entrant("ada")), cup.withdraw("cup", "ada")):
        with pytest.raises(TournamentOver):
            await late
    with pytest.raises(UnknownTournament):
        await cup.tournament("bowl")
    await stage.close()


@in_loop
async def test_a_finished_tournament_is_not_called_off_and_a_begun_one_is_started_again_without_harm() -> None:
    stage = await opened("ada", "bob")
    stage.come("ada", "bob")
    await stage.tournaments.create(CUP)
    started = await stage.tournaments.start("cup")
    assert started.started_ms
    assert (await stage.tournaments.start("cup")).started_ms == started.started_ms
    held = await stage.over("cup")
    assert held.ended_ms
    for asked in (stage.tournaments.cancel("cup"), stage.tournaments.start("cup")):
        with pytest.raises(TournamentOver):
            await asked
    await stage.close()


@in_loop
async def test_tournaments_are_listed_the_newest_first_by_what_is_wanted_of_them() -> None:
    stage = await opened("ada", "bob", "cyd")
    two = {"seats": 2}
    for name, asked_terms, bot in (
        ("one", terms(RoundRobin()), "ada"),
        ("two", terms(RoundRobin()), "bob"),
        ("three", terms(RoundRobin(), "fingers", two), "cyd"),
    ):
        asked = wish(asked_terms, bot, name=name, request_id=name)
        await stage.tournaments.create(asked)

    async def names(wanted: TournamentFilter = EVERY_TOURNAMENT, after: str = "", at_most: int = 100) -> list[str]:
        return [held.name for held in await stage.tournaments.tournaments(wanted, after, at_most)]

    assert await names() == ["three", "two", "one"]
    assert await names(at_most=1) == ["three"]
    assert await names(after="three", at_most=1) == ["two"]
    assert await names(TournamentFilter(game="nim")) == ["two", "one"]
    assert await names(TournamentFilter(bot="bob")) == ["two"]
    await stage.tournaments.cancel("one")
    assert await names(TournamentFilter(phase=Phase.ENTRY)) == ["three", "two"]
    await stage.close()


@in_loop
async def test_pairings_are_listed_by_round_and_board_with_how_far_they_are() -> None:
    stage = await opened("ada", "bob", "cyd", "dan")
    stage.come("ada", "bob", "cyd")
    stage.referee.sessions.open(Player("dan", "1"), MANY)
    await stage.tournaments.create(wish(terms(RoundRobin()), "ada", "bob", "cyd"))
    await stage.tournaments.create(wish(terms(RoundRobin()), "ada", "dan", name="bowl", request_id="r2"))
    await stage.tournaments.start("cup")
    await stage.tournaments.start("bowl")
    await stage.over("cup")
    await settled()

    async def ids(name: str, wanted: PairingFilter = EVERY_PAIRING, *more: Any) -> list[str]:
        return [course.pairing.id for course in await stage.tournaments.pairings(name, wanted, *more)]

    assert await ids("cup") == ["1.1", "2.1", "3.1"]
    assert await ids("cup", EVERY_PAIRING, "1.1", 1) == ["2.1"]
    assert await ids("cup", PairingFilter(round=3)) == ["3.1"]
    assert len(await ids("cup", PairingFilter(entrant="ada"))) == 2
    assert await ids("cup", PairingFilter(phase=PairingPhase.DONE)) == ["1.1", "2.1", "3.1"]
    assert [phase_of(course) for course in await stage.tournaments.pairings("bowl")] == [PairingPhase.PLAYING]
    with pytest.raises(NotAnEntrant):
        await ids("cup", PairingFilter(entrant="eve"))
    await killed()


@in_loop
async def test_a_tournament_is_exported_as_what_can_say_it() -> None:
    stage = await opened("ada", "bob")
    stage.come("ada", "bob")
    await stage.tournaments.create(replace(CUP, title="The cup"))
    await stage.tournaments.create(wish(terms(Elimination()), "ada", "bob", name="bowl", request_id="r2"))
    for name in ("cup", "bowl"):
        await stage.tournaments.start(name)
        await stage.over(name)
    assert (await stage.tournaments.export("cup", ExportFormat.CSV)).startswith("rank,entrant,points")
    assert '"pairings"' in await stage.tournaments.export("cup", ExportFormat.JSON)
    assert "The cup" in await stage.tournaments.export("cup", ExportFormat.TRF)
    with pytest.raises(NotExportable) as why:
        await stage.tournaments.export("bowl", ExportFormat.TRF)
    assert (why.value.details["tournament"], why.value.details["format"]) == ("bowl", "trf")
    await stage.close()


@in_loop
async def test_standings_after_a_round_and_the_matches_of_the_cross_table() -> None:
    stage = await opened("ada", "bob", "cyd", "dan")
    stage.come("ada", "bob", "cyd", "dan")
    await stage.tournaments.create(wish(terms(Swiss(2)), "ada", "bob", "cyd", "dan"))
    await stage.tournaments.start("cup")
    held = await stage.over("cup")
    assert sum(row.standing.points for row in rows(held)) == 4
    assert sum(row.standing.points for row in rows(held, 1)) == 2
    assert all(row.estimate for row in rows(held))
    ids = [cell.match_ids for _, cells in cross_table(held) for cell in cells]
    assert len(ids) == 8
    assert len({one for (one,) in ids}) == 4
    await stage.close()


@in_loop
async def test_watching_from_any_number_on_hears_every_entry_once_and_then_ends() -> None:
    stage = await opened("ada", "bob", "cyd")
    stage.come("ada", "bob", "cyd")
    await stage.tournaments.create(wish(terms(RoundRobin()), "ada", "bob", "cyd"))
    live: list[int] = []

    async def watched() -> None:
        _, watching = await stage.tournaments.watch("cup", 0)
        async for steps in watching:
            live.extend(step.entry.number for step in steps)

    watcher = asyncio.create_task(watched())
    await settled()
    await stage.tournaments.start("cup")
    held = await stage.over("cup")
    await watcher
    assert live == [*range(1, held.number + 1)]
    for after in range(held.number + 1):
        whole, watching = await stage.tournaments.watch("cup", after)
        steps = [step for batch in [batch async for batch in watching] for step in batch]
        assert [step.entry.number for step in steps] == [*range(after + 1, held.number + 1)]
        assert whole == held
        assert not steps or steps[-1].state == held
    with pytest.raises(NumberAhead):
        await stage.tournaments.watch("cup", held.number + 1)
    await stage.close()


@in_loop
async def test_who_watches_is_sent_away_when_the_referee_goes() -> None:
    stage = await opened("ada", "bob")
    await stage.tournaments.create(CUP)
    _, watching = await stage.tournaments.watch("cup", None)
    waiting = asyncio.ensure_future(anext(watching))
    await settled()
    await stage.tournaments.close(LogUnavailable("it goes"))
    with pytest.raises(LogUnavailable):
        await waiting
    await stage.close()


@in_loop
async def test_tournaments_that_are_over_are_read_again_when_they_are_asked_for() -> None:
    stage = await opened("ada", "bob")
    names = [f"cup-{number}" for number in range(BOOKS_KEPT + 2)]
    for name in names:
        await stage.tournaments.create(replace(CUP, name=name, request_id=name))
        await stage.tournaments.cancel(name)
    first = await stage.tournaments.tournament(names[0])
    assert (first.name, first.tournament.phase, first.number) == (names[0], Phase.CANCELLED, 4)
    assert len(await stage.tournaments.tournaments()) == len(names)
    await stage.close()
