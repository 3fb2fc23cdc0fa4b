"""Requests about tournaments, and their errors."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from engines.refusals import Refusal
from referee.accounts.account_errors import BadField, BadName, BotPaused, NameTaken, UnknownBot, UnknownVersion
from referee.accounts.bots import BotPause, PauseCause, paused
from referee.contests.contest_errors import WrongParticipantCount
from referee.contests.pairing import DuplicateSets
from referee.contests.tournament.events import TournamentEntrant
from referee.contests.tournament.state import TournamentPhase
from referee.contests.tournament.tournament_terms import Elimination, Gauntlet, Pools, RoundRobin, Seeding, Swiss
from referee.hosting.contest_store import FINISHED_CACHE_SIZE
from referee.hosting.contest_terms import Partners
from referee.hosting.hosting_errors import (
    AlreadyIn,
    NotAnEntrant,
    NotExportable,
    TournamentNotStarted,
    TournamentOver,
    TournamentStarted,
    UnknownTournament,
    WrongEntrantCount,
)
from referee.hosting.tournament_host import ANY_PAIRING, PairingFilter, TournamentFilter, TournamentRequest
from referee.hosting.tournament_tables import ExportFormat, PairingPhase, cross_table, phase_of, rows
from referee.live.match_request import Opening
from referee.live.ports import LogUnavailable
from referee.live.watch import NumberAhead
from referee.match.match_errors import RequestIdReused
from referee.match.setup import Player
from tests.hosting.harness import MANY, HostingHarness, Store, entrant, killed, terms, wish
from tests.live.fake_time import settled
from tests.live.runner_harness import in_loop

CUP = wish(terms(RoundRobin()), "ada", "bob")


async def opened(*bots: str) -> HostingHarness:
    store = Store()
    await store.register(*bots)
    harness = HostingHarness(store)
    await harness.open()
    return harness


@in_loop
async def test_a_tournament_is_made_with_its_entrants_and_a_seed_that_the_referee_drew() -> None:
    harness = await opened("ada", "bob")
    state = await harness.tournaments.create(CUP)
    assert (state.name, state.title, state.organiser, state.number) == ("cup", "cup", "org", 3)
    assert state.tournament.phase is TournamentPhase.ENTRY
    assert list(state.tournament.entrants) == ["ada", "bob"]
    assert state.terms.tournament.seed == bytes(32)
    await harness.close()


@in_loop
async def test_the_same_request_makes_one_tournament_also_after_a_restart() -> None:
    harness = await opened("ada", "bob", "cyd")
    both = await asyncio.gather(harness.tournaments.create(CUP), harness.tournaments.create(CUP))
    assert both[0] == both[1]
    await harness.tournaments.enter("cup", entrant("cyd"))
    await harness.close()
    after = HostingHarness(harness.store)
    await after.open()
    assert list((await after.tournaments.create(CUP)).tournament.entrants) == ["ada", "bob", "cyd"]
    for other in (
        replace(CUP, name="other"),
        replace(CUP, title="The cup"),
        replace(CUP, terms=terms(RoundRobin(2))),
        wish(terms(RoundRobin()), "ada", "cyd"),
        wish(terms(RoundRobin()), "ada"),
        wish(terms(RoundRobin()), "ada", "bob", "cyd"),  # Now equal, but not to the first request.
        replace(CUP, entrants=(entrant("ada"), entrant("bob", name="bobby"))),
    ):
        with pytest.raises(RequestIdReused):
            await after.tournaments.create(other)
    with pytest.raises(NameTaken):
        await after.tournaments.create(replace(CUP, request_id="r2"))
    with pytest.raises(NameTaken):
        await after.tournaments.create(replace(CUP, organiser="another"))
    await after.close()


BAD: dict[str, tuple[TournamentRequest, type[Refusal]]] = {
    "a name": (replace(CUP, name="The Cup"), BadName),
    "a title": (replace(CUP, title="x" * 201), BadField),
    "a bot": (wish(terms(RoundRobin()), "ada", "nobody"), UnknownBot),
    "a version": (replace(CUP, entrants=(TournamentEntrant("ada", bots=(Player("ada", "9"),)),)), UnknownVersion),
    "a bot twice": (wish(terms(RoundRobin()), "ada", "ada"), AlreadyIn),
    "two bots for a seat": (replace(CUP, entrants=(entrant("ada", "bob"),)), WrongParticipantCount),
    "partners without a name": (
        replace(
            wish(terms(RoundRobin(), "stones", {"seats": 4, "teams": True}, partners=Partners.FIXED)),
            entrants=(TournamentEntrant("", bots=(Player("ada"), Player("bob"))),),
        ),
        BadField,
    ),
    "a format for two": (wish(terms(RoundRobin(), "stones")), BadField),
    "seeding by ratings that nobody has": (wish(terms(RoundRobin(), seeding=Seeding.RATING)), BadField),
    "the name of somebody else's bot": (replace(CUP, entrants=(entrant("ada", name="bob"),)), BadField),
    "a name that is none": (replace(CUP, entrants=(entrant("ada", name=" "),)), BadField),
    "another table": (wish(terms(Pools(2, 4), "stones")), BadField),
    "an opening": (
        wish(terms(RoundRobin(), openings=(Opening(moves=((0, "9"),)),), duplicate=DuplicateSets(2, 1))),
        Refusal,
    ),
    "nonces in sets": (wish(terms(RoundRobin(), duplicate=DuplicateSets(2), nonce_within_us=1)), BadField),
    "hidden hands in sets": (
        wish(terms(RoundRobin(), "toc", partners=Partners.FIXED, duplicate=DuplicateSets(2))),
        BadField,
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_a_tournament_that_cannot_be_is_refused_and_nothing_is_written(what: str) -> None:
    @in_loop
    async def refused() -> None:
        harness = await opened("ada", "bob")
        asked, why = BAD[what]
        with pytest.raises(why):
            await harness.tournaments.create(asked)
        assert await harness.contests.first_entries("tournament") == []
        await harness.close()

    refused()


@in_loop
async def test_seats_are_not_drawn_by_lot_as_the_pairing_says_who_sits_where() -> None:
    harness = await opened("ada", "bob")
    by_lot = replace(CUP.terms, match_terms=(replace(CUP.terms.match_terms[0], by_lot=True),))
    with pytest.raises(BadField, match="random_seats"):
        await harness.tournaments.create(replace(CUP, terms=by_lot))
    await harness.close()


@in_loop
async def test_who_may_enter_and_who_may_not() -> None:
    harness = await opened("ada", "bob", "cyd", "dan", "eve")
    await harness.tournaments.create(CUP)
    with pytest.raises(AlreadyIn) as why:
        await harness.tournaments.enter("cup", entrant("ada", name="other"))
    assert why.value.details == {"bot": "ada", "entrant": "ada"}
    await harness.tournaments.enter("cup", entrant("eve", name="evening"))
    with pytest.raises(NameTaken):
        await harness.tournaments.enter("cup", entrant("cyd", name="evening"))
    await harness.tournaments.withdraw("cup", "evening")
    await harness.store.accounts.change_bot("cyd", lambda bot: paused(bot, BotPause(PauseCause.ADMIN, "rest", 1)))
    with pytest.raises(BotPaused):
        await harness.tournaments.enter("cup", entrant("cyd"))
    state = await harness.tournaments.enter("cup", TournamentEntrant("", bots=(Player("dan"),)))
    assert list(state.tournament.entrants) == ["ada", "bob", "dan"]
    await harness.tournaments.withdraw("cup", "dan")
    await harness.tournaments.start("cup")
    with pytest.raises(TournamentStarted):
        await harness.tournaments.enter("cup", entrant("dan"))
    await harness.close()


@in_loop
async def test_what_is_out_of_order_is_refused_and_what_is_done_twice_is_no_fault() -> None:
    harness = await opened("ada", "bob")
    cup = harness.tournaments
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
        rows(await cup.get("cup"))
    with pytest.raises(TournamentNotStarted):
        cross_table(await cup.get("cup"))
    with pytest.raises(TournamentNotStarted):
        await cup.export("cup", ExportFormat.CSV)
    await cup.cancel("cup", "no challenger")
    assert (await cup.cancel("cup")).tournament.phase is TournamentPhase.CANCELLED
    for late in (cup.start("cup"), cup.enter("cup", entrant("ada")), cup.withdraw("cup", "ada")):
        with pytest.raises(TournamentOver):
            await late
    with pytest.raises(UnknownTournament):
        await cup.get("bowl")
    await harness.close()


@in_loop
async def test_a_finished_tournament_is_not_called_off_and_a_begun_one_is_started_again_without_harm() -> None:
    harness = await opened("ada", "bob")
    harness.come("ada", "bob")
    await harness.tournaments.create(CUP)
    started = await harness.tournaments.start("cup")
    assert started.started_ms
    assert (await harness.tournaments.start("cup")).started_ms == started.started_ms
    state = await harness.over("cup")
    assert state.ended_ms
    for asked in (harness.tournaments.cancel("cup"), harness.tournaments.start("cup")):
        with pytest.raises(TournamentOver):
            await asked
    await harness.close()


@in_loop
async def test_tournaments_are_listed_the_newest_first_by_what_is_wanted_of_them() -> None:
    harness = await opened("ada", "bob", "cyd")
    two = {"seats": 2}
    for name, asked_terms, bot in (
        ("one", terms(RoundRobin()), "ada"),
        ("two", terms(RoundRobin()), "bob"),
        ("three", terms(RoundRobin(), "fingers", two), "cyd"),
    ):
        asked = wish(asked_terms, bot, name=name, request_id=name)
        await harness.tournaments.create(asked)

    async def names(wanted: TournamentFilter | None = None, after: str = "", limit: int = 100) -> list[str]:
        return [state.name for state in await harness.tournaments.find(wanted, after, limit)]

    assert await names() == ["three", "two", "one"]
    assert await names(limit=1) == ["three"]
    assert await names(after="three", limit=1) == ["two"]
    assert await names(TournamentFilter(game="nim")) == ["two", "one"]
    assert await names(TournamentFilter(bot="bob")) == ["two"]
    await harness.tournaments.cancel("one")
    assert await names(TournamentFilter(phase=TournamentPhase.ENTRY)) == ["three", "two"]
    await harness.close()


@in_loop
async def test_pairings_are_listed_by_round_and_board_with_how_far_they_are() -> None:
    harness = await opened("ada", "bob", "cyd", "dan")
    harness.come("ada", "bob", "cyd")
    harness.referee.sessions.open(Player("dan", "1"), MANY)
    await harness.tournaments.create(wish(terms(RoundRobin()), "ada", "bob", "cyd"))
    await harness.tournaments.create(wish(terms(RoundRobin()), "ada", "dan", name="bowl", request_id="r2"))
    await harness.tournaments.start("cup")
    await harness.tournaments.start("bowl")
    await harness.over("cup")
    await settled()

    async def ids(name: str, wanted: PairingFilter = ANY_PAIRING, *more: Any) -> list[str]:
        return [course.pairing.id for course in await harness.tournaments.pairings(name, wanted, *more)]

    assert await ids("cup") == ["1.1", "2.1", "3.1"]
    assert await ids("cup", ANY_PAIRING, "1.1", 1) == ["2.1"]
    assert await ids("cup", PairingFilter(round=3)) == ["3.1"]
    assert len(await ids("cup", PairingFilter(entrant="ada"))) == 2
    assert await ids("cup", PairingFilter(phase=PairingPhase.DONE)) == ["1.1", "2.1", "3.1"]
    assert [phase_of(course) for course in await harness.tournaments.pairings("bowl")] == [PairingPhase.PLAYING]
    with pytest.raises(NotAnEntrant):
        await ids("cup", PairingFilter(entrant="eve"))
    await killed()


@in_loop
async def test_a_tournament_is_exported_as_what_can_say_it() -> None:
    harness = await opened("ada", "bob")
    harness.come("ada", "bob")
    await harness.tournaments.create(replace(CUP, title="The cup"))
    await harness.tournaments.create(wish(terms(Elimination()), "ada", "bob", name="bowl", request_id="r2"))
    for name in ("cup", "bowl"):
        await harness.tournaments.start(name)
        await harness.over(name)
    assert (await harness.tournaments.export("cup", ExportFormat.CSV)).startswith("rank,entrant,points")
    assert '"pairings"' in await harness.tournaments.export("cup", ExportFormat.JSON)
    assert "The cup" in await harness.tournaments.export("cup", ExportFormat.TRF)
    with pytest.raises(NotExportable) as why:
        await harness.tournaments.export("bowl", ExportFormat.TRF)
    assert (why.value.details["tournament"], why.value.details["format"]) == ("bowl", "trf")
    await harness.close()


@in_loop
async def test_standings_after_a_round_and_the_matches_of_the_cross_table() -> None:
    harness = await opened("ada", "bob", "cyd", "dan")
    harness.come("ada", "bob", "cyd", "dan")
    await harness.tournaments.create(wish(terms(Swiss(2)), "ada", "bob", "cyd", "dan"))
    await harness.tournaments.start("cup")
    state = await harness.over("cup")
    assert sum(row.standing.points for row in rows(state)) == 4
    assert sum(row.standing.points for row in rows(state, 1)) == 2
    assert all(row.estimate for row in rows(state))
    ids = [cell.match_ids for _, cells in cross_table(state) for cell in cells]
    assert len(ids) == 8
    assert len({one for (one,) in ids}) == 4
    await harness.close()


@in_loop
async def test_watching_from_any_number_on_hears_every_entry_once_and_then_ends() -> None:
    harness = await opened("ada", "bob", "cyd")
    harness.come("ada", "bob", "cyd")
    await harness.tournaments.create(wish(terms(RoundRobin()), "ada", "bob", "cyd"))
    live: list[int] = []

    async def watched() -> None:
        _, watching = await harness.tournaments.watch("cup", 0)
        async for steps in watching:
            live.extend(step.entry.number for step in steps)

    watcher = asyncio.create_task(watched())
    await settled()
    await harness.tournaments.start("cup")
    state = await harness.over("cup")
    await watcher
    assert live == [*range(1, state.number + 1)]
    for after in range(state.number + 1):
        whole, watching = await harness.tournaments.watch("cup", after)
        steps = [step for batch in [batch async for batch in watching] for step in batch]
        assert [step.entry.number for step in steps] == [*range(after + 1, state.number + 1)]
        assert whole == state
        assert not steps or steps[-1].state == state
    with pytest.raises(NumberAhead):
        await harness.tournaments.watch("cup", state.number + 1)
    await harness.close()


@in_loop
async def test_who_watches_is_sent_away_when_the_referee_goes() -> None:
    harness = await opened("ada", "bob")
    await harness.tournaments.create(CUP)
    _, watching = await harness.tournaments.watch("cup", None)
    waiting = asyncio.ensure_future(anext(watching))
    await settled()
    await harness.tournaments.stop(LogUnavailable("it goes"))
    with pytest.raises(LogUnavailable):
        await waiting
    await harness.close()


@in_loop
async def test_tournaments_that_are_over_are_read_again_when_they_are_asked_for() -> None:
    harness = await opened("ada", "bob")
    names = [f"cup-{number}" for number in range(FINISHED_CACHE_SIZE + 2)]
    for name in names:
        await harness.tournaments.create(replace(CUP, name=name, request_id=name))
        await harness.tournaments.cancel(name)
    first = await harness.tournaments.get(names[0])
    assert (first.name, first.tournament.phase, first.number) == (names[0], TournamentPhase.CANCELLED, 4)
    assert len(await harness.tournaments.find()) == len(names)
    await harness.close()
