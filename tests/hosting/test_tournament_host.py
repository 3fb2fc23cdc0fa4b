"""Requests about tournaments, and their errors."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace
from referee_values import Elimination, Gauntlet, Opening, Qualification, RoundRobin, SeatMove, Swiss

from engines.game_errors import DetailedError
from referee.accounts.account_errors import BadField, BadName, BotPaused, NameTaken, NoSuchBot, NoSuchVersion
from referee.accounts.bots import BotPause, PauseCause, paused
from referee.contests.contest_entrant import ContestEntrant, EntrantJoined
from referee.contests.contest_errors import (
    EntrantNameTaken,
    NotAnEntrant,
    TournamentNotStarted,
    TournamentOver,
    TournamentStarted,
    WrongEntrantCount,
    WrongParticipantCount,
)
from referee.contests.ladder.state import Ladder, evolve
from referee.contests.ladder.state import LadderPlayTerms as LadderPlay
from referee.contests.pairing import DuplicateSets
from referee.contests.strength.rating import RatingRecord, SkillRating
from referee.contests.tournament.tournament_terms import Pools, TournamentFormat
from referee.hosting.contest_host import ANY_CONTEST, ContestFilter
from referee.hosting.contest_store import FINISHED_CACHE_SIZE
from referee.hosting.contest_terms import HostedTournamentTerms
from referee.hosting.hosting_errors import AlreadyIn, NoSuchLadder, NoSuchTournament
from referee.hosting.ladder_host import LadderRequest
from referee.hosting.ladder_ratings import seed_rating, team_seed_rating
from referee.hosting.tournament_host import TournamentRequest
from referee.hosting.tournament_tables import ANY_PAIRING, PairingFilter, cross_table, phase_of, rows
from referee.live.ports import StoreUnavailable
from referee.live.watch import NumberAhead
from referee.match.match_errors import RequestIdReused
from referee.match.setup import Player
from tests.hosting.harness import (
    MANY_MATCHES,
    HostingHarness,
    cup_terms,
    entrant,
    kill_process,
    open_process,
    reopen,
    start_tournament,
    tournament_request,
)
from tests.hosting.ladder_harness import ladder_terms
from tests.live.fake_time import settle

CUP = tournament_request(cup_terms(RoundRobin()), "ada", "bob")


async def test_a_tournament_is_created_with_its_entrants_and_a_random_seed() -> None:
    harness = await open_process("ada", "bob")
    state = await harness.tournaments.create(CUP)
    assert (state.name, state.title, state.organiser, state.number) == ("cup", "cup", "org", 3)
    assert state.tournament.phase == "entry"
    assert list(state.tournament.entrants) == ["ada", "bob"]
    assert state.terms.tournament.seed == bytes(32)


async def test_a_repeated_create_request_makes_one_tournament_even_after_a_restart() -> None:
    harness = await open_process("ada", "bob", "cyd")
    both = await asyncio.gather(harness.tournaments.create(CUP), harness.tournaments.create(CUP))
    assert both[0] == both[1]
    await harness.tournaments.enter("cup", entrant("cyd"))
    restarted = await reopen(harness)
    assert list((await restarted.tournaments.create(CUP)).tournament.entrants) == ["ada", "bob", "cyd"]
    for other in (
        replace(CUP, name="other"),
        replace(CUP, title="The cup"),
        replace(CUP, terms=cup_terms(RoundRobin(cycles=2))),
        tournament_request(cup_terms(RoundRobin()), "ada", "cyd"),
        tournament_request(cup_terms(RoundRobin()), "ada"),
        tournament_request(cup_terms(RoundRobin()), "ada", "bob", "cyd"),  # Now equal, but not to the first request.
        replace(CUP, entrants=(entrant("ada"), entrant("bob", name="bobby"))),
    ):
        with pytest.raises(RequestIdReused):
            await restarted.tournaments.create(other)
    with pytest.raises(NameTaken):
        await restarted.tournaments.create(replace(CUP, request_id="r2"))
    with pytest.raises(NameTaken):
        await restarted.tournaments.create(replace(CUP, organiser="another"))


INVALID_REQUESTS: dict[str, tuple[Any, ...]] = {
    "a name": (replace(CUP, name="The Cup"), BadName),
    "a title": (replace(CUP, title="x" * 201), BadField),
    "a bot": (tournament_request(cup_terms(RoundRobin()), "ada", "nobody"), NoSuchBot),
    "a version": (replace(CUP, entrants=(ContestEntrant("ada", bots=(Player("ada", "9"),)),)), NoSuchVersion),
    "a bot twice": (tournament_request(cup_terms(RoundRobin()), "ada", "ada"), AlreadyIn),
    "two bots for a seat": (replace(CUP, entrants=(entrant("ada", "bob"),)), WrongParticipantCount),
    "partners without a name": (
        tournament_request(
            cup_terms(RoundRobin(), "stones", {"seats": 4, "teams": True}, partners="fixed"),
            replace(entrant("ada", "bob"), name=""),
        ),
        BadField,
    ),
    "a format for two": (tournament_request(cup_terms(RoundRobin(), "stones")), BadField),
    "seeding by ratings that nobody has": (tournament_request(cup_terms(RoundRobin(), seeding="rating")), BadField),
    "the name of somebody else's bot": (replace(CUP, entrants=(entrant("ada", name="bob"),)), BadField),
    "a name that is none": (replace(CUP, entrants=(entrant("ada", name=" "),)), BadField),
    "another table": (tournament_request(cup_terms(Pools(2, 4), "stones")), BadField),
    "an opening": (
        tournament_request(cup_terms(RoundRobin(), openings=(Opening(moves=(SeatMove(seat=0, move="9"),)),))),
        DetailedError,
    ),
    "nonces in sets": (
        tournament_request(cup_terms(RoundRobin(), duplicate=DuplicateSets(2), nonce_timeout_us=1)),
        BadField,
    ),
    "random seats": (
        replace(CUP, terms=replace(CUP.terms, match_terms=(replace(CUP.terms.match_terms[0], random_seats=True),))),
        BadField,
        "random_seats",
    ),
    "hidden hands in sets": (
        tournament_request(cup_terms(RoundRobin(), "toc", partners="fixed", duplicate=DuplicateSets(2))),
        BadField,
    ),
}
"""Requests, each with its error and, if several could have the same error, a word of its sentence."""


@pytest.mark.parametrize("case", INVALID_REQUESTS)
async def test_an_invalid_tournament_is_rejected_and_nothing_is_written(case: str) -> None:
    harness = await open_process("ada", "bob")
    request, error, *words = INVALID_REQUESTS[case]
    with pytest.raises(error, match="".join(words) or None):
        await harness.tournaments.create(request)
    assert await harness.contests.first_entries("tournament") == []


async def test_only_active_new_bots_with_new_names_can_enter_before_the_start() -> None:
    harness = await open_process("ada", "bob", "cyd", "dan", "eve")
    await harness.tournaments.create(CUP)
    with pytest.raises(AlreadyIn) as error:
        await harness.tournaments.enter("cup", entrant("ada", name="other"))
    assert error.value.details == {"bot": "ada", "entrant": "ada"}
    await harness.tournaments.enter("cup", entrant("eve", name="evening"))
    with pytest.raises(EntrantNameTaken):
        await harness.tournaments.enter("cup", entrant("cyd", name="evening"))
    await harness.tournaments.withdraw("cup", "evening")
    await harness.store.accounts.change_bot("cyd", lambda bot: paused(bot, BotPause(PauseCause.ADMIN, "rest", 1)))
    with pytest.raises(BotPaused):
        await harness.tournaments.enter("cup", entrant("cyd"))
    state = await harness.tournaments.enter("cup", ContestEntrant("", bots=(Player("dan"),)))
    assert list(state.tournament.entrants) == ["ada", "bob", "dan"]
    await harness.tournaments.withdraw("cup", "dan")
    await harness.tournaments.start("cup")
    with pytest.raises(TournamentStarted):
        await harness.tournaments.enter("cup", entrant("dan"))


async def test_one_bot_can_play_all_seats_of_a_side_of_fixed_partners() -> None:
    harness = await open_process("ada", "bob", "cyd")
    await harness.tournaments.create(tournament_request(cup_terms(RoundRobin(), "toc", partners="fixed")))
    await harness.tournaments.enter("cup", entrant("ada", "ada"))
    with pytest.raises(AlreadyIn):
        await harness.tournaments.enter("cup", entrant("bob", "ada"))
    state = await harness.tournaments.enter("cup", entrant("bob", "cyd"))
    assert [len(side.bots) for side in state.tournament.entrants.values()] == [2, 2]


async def test_an_entrant_that_enters_again_is_in_once_also_after_the_start_but_not_once_it_has_withdrawn() -> None:
    harness = await open_process("ada", "bob", "cyd")
    await harness.tournaments.create(CUP)
    for _ in range(2):
        state = await harness.tournaments.enter("cup", entrant("cyd"))
        assert (state.number, list(state.tournament.entrants)) == (4, ["ada", "bob", "cyd"])
    await harness.tournaments.start("cup")
    assert "cyd" in (await harness.tournaments.enter("cup", entrant("cyd"))).tournament.entrants
    with pytest.raises(AlreadyIn):
        await harness.tournaments.enter("cup", ContestEntrant("cyd", bots=(Player("cyd", "1"),)))
    await harness.tournaments.withdraw("cup", "cyd")
    with pytest.raises(AlreadyIn):
        await harness.tournaments.enter("cup", entrant("cyd"))


async def test_requests_in_the_wrong_phase_are_rejected_and_a_repeated_cancel_is_not() -> None:
    harness = await open_process("ada", "bob")
    cup = harness.tournaments
    await cup.create(tournament_request(cup_terms(Gauntlet(challengers=("cyd",))), "ada"))
    with pytest.raises(WrongEntrantCount) as error:
        await cup.start("cup")
    assert (error.value.details["tournament"], error.value.details["entrants"]) == ("cup", "1")
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
        await cup.export("cup", "csv")
    await cup.cancel("cup", "no challenger")
    assert (await cup.cancel("cup")).tournament.phase == "cancelled"
    for call in (cup.start("cup"), cup.enter("cup", entrant("ada")), cup.withdraw("cup", "ada")):
        with pytest.raises(TournamentOver):
            await call
    with pytest.raises(NoSuchTournament):
        await cup.get("bowl")


async def test_a_finished_tournament_cannot_be_cancelled_and_a_repeated_start_has_no_effect() -> None:
    harness = await open_process("ada", "bob", online=MANY_MATCHES)
    await harness.tournaments.create(CUP)
    started = await harness.tournaments.start("cup")
    assert started.started_ms
    assert (await harness.tournaments.start("cup")).started_ms == started.started_ms
    state = await harness.until_over("cup")
    assert state.ended_ms
    for call in (harness.tournaments.cancel("cup"), harness.tournaments.start("cup")):
        with pytest.raises(TournamentOver):
            await call


async def test_tournaments_are_listed_newest_first_and_can_be_filtered() -> None:
    harness = await open_process("ada", "bob", "cyd")
    fingers = cup_terms(RoundRobin(), "fingers", {"seats": 2})
    for name, terms, bot in (("one", CUP.terms, "ada"), ("two", CUP.terms, "bob"), ("three", fingers, "cyd")):
        await harness.tournaments.create(tournament_request(terms, bot, name=name, request_id=name))

    async def names(wanted: ContestFilter = ANY_CONTEST, restarted: str = "", limit: int = 100) -> list[str]:
        return [state.name for state in await harness.tournaments.find(wanted, restarted, limit)]

    assert await names() == ["three", "two", "one"]
    assert await names(limit=1) == ["three"]
    assert await names(restarted="three", limit=1) == ["two"]
    assert await names(ContestFilter(game="nim")) == ["two", "one"]
    assert await names(ContestFilter(bot="bob")) == ["two"]
    await harness.tournaments.cancel("one")
    assert await names(ContestFilter(phase="entry")) == ["three", "two"]


async def test_pairings_are_listed_by_round_and_board_with_their_phase() -> None:
    harness = await open_process("ada", "bob", "cyd", "dan")
    harness.connect("ada", "bob", "cyd")
    harness.referee.sessions.open(Player("dan", "1"), MANY_MATCHES)  # It never answers.
    await start_tournament(harness, cup_terms(RoundRobin()), "ada", "bob", "cyd")
    await start_tournament(harness, cup_terms(RoundRobin()), "ada", "dan", name="bowl")
    await harness.until_over("cup")
    await settle()

    async def ids(name: str, wanted: PairingFilter = ANY_PAIRING, *more: Any) -> list[str]:
        return [progress.pairing.id for progress in await harness.tournaments.pairings(name, wanted, *more)]

    assert await ids("cup") == ["1.1", "2.1", "3.1"]
    assert await ids("cup", ANY_PAIRING, "1.1", 1) == ["2.1"]
    assert await ids("cup", PairingFilter(round=3)) == ["3.1"]
    assert len(await ids("cup", PairingFilter(entrant="ada"))) == 2
    assert await ids("cup", PairingFilter(phase="done")) == ["1.1", "2.1", "3.1"]
    assert [phase_of(progress) for progress in await harness.tournaments.pairings("bowl")] == ["playing"]
    with pytest.raises(NotAnEntrant):
        await ids("cup", PairingFilter(entrant="eve"))
    await kill_process()


async def test_a_watch_from_any_number_returns_every_entry_once_and_then_ends() -> None:
    harness = await open_process("ada", "bob", "cyd", online=MANY_MATCHES)
    await harness.tournaments.create(tournament_request(cup_terms(RoundRobin()), "ada", "bob", "cyd"))
    live: list[int] = []

    async def collect() -> None:
        _, watch = await harness.tournaments.watch("cup", 0)
        async for steps in watch:
            live.extend(step.entry.number for step in steps)

    watcher = asyncio.create_task(collect())
    await settle()
    await harness.tournaments.start("cup")
    state = await harness.until_over("cup")
    await watcher
    assert live == [*range(1, state.number + 1)]
    for restarted in range(state.number + 1):
        snapshot, watch = await harness.tournaments.watch("cup", restarted)
        steps = [step for batch in [batch async for batch in watch] for step in batch]
        assert [step.entry.number for step in steps] == [*range(restarted + 1, state.number + 1)]
        assert snapshot == state
        assert not steps or steps[-1].state == state
    with pytest.raises(NumberAhead):
        await harness.tournaments.watch("cup", state.number + 1)


async def test_a_watch_ends_when_the_referee_stops() -> None:
    harness = await open_process("ada", "bob")
    await harness.tournaments.create(CUP)
    _, watch = await harness.tournaments.watch("cup", None)
    waiting = asyncio.ensure_future(anext(watch))
    await settle()
    await harness.tournaments.stop(StoreUnavailable("it goes"))
    with pytest.raises(StoreUnavailable):
        await waiting


async def test_a_finished_tournament_that_left_the_cache_is_read_again() -> None:
    harness = await open_process("ada", "bob")
    names = [f"cup-{number}" for number in range(FINISHED_CACHE_SIZE + 2)]
    for name in names:
        await harness.tournaments.create(replace(CUP, name=name, request_id=name))
        await harness.tournaments.cancel(name)
    first = await harness.tournaments.get(names[0])
    assert (first.name, first.tournament.phase, first.number) == (names[0], "cancelled", 4)
    assert len(await harness.tournaments.find()) == len(names)


FOUR = ("ada", "bob", "cyd", "dan")


def final_terms(best: int = 2, form: TournamentFormat | None = None) -> HostedTournamentTerms:
    return cup_terms(form or Elimination(), qualification=Qualification(tournament="cup", best=best))


def final(terms: HostedTournamentTerms, *bots: str) -> TournamentRequest:
    return tournament_request(terms, *bots, name="final", request_id="final")


async def create_both(harness: HostingHarness, terms: HostedTournamentTerms) -> None:
    await harness.tournaments.create(tournament_request(cup_terms(RoundRobin()), *FOUR))
    await harness.tournaments.create(final(terms))


async def best_of_cup(harness: HostingHarness, best: int) -> list[str]:
    state = await harness.tournaments.get("cup")
    return [row.standing.entrant for row in await harness.tournaments.tables.rows(state)][:best]


async def test_the_best_of_a_stage_play_the_next_one_in_the_order_of_the_standings() -> None:
    harness = await open_process(*FOUR)
    await create_both(harness, final_terms(3))
    harness.connect(*FOUR)
    await harness.tournaments.start("cup")
    await harness.until_over("cup")
    state = await harness.until_over("final")
    assert list(state.tournament.entrants) == await best_of_cup(harness, 3)
    assert state.tournament.phase == "finished"


async def test_the_next_stage_starts_after_a_restart_between_the_two() -> None:
    first = await open_process(*FOUR)
    await create_both(first, final_terms())
    await first.tournaments.workers.close()  # As if the process was killed before the next stage began.
    await first.tournaments.start("cup")
    for name in FOUR[:3]:
        await first.tournaments.withdraw("cup", name)
    assert (await first.tournaments.get("final")).tournament.phase == "entry"
    second = await reopen(first)
    await settle()
    state = await second.tournaments.get("final")
    assert state.tournament.phase == "cancelled", "only one entrant is left"


async def test_an_entrant_that_has_withdrawn_does_not_qualify() -> None:
    harness = await open_process(*FOUR)
    await create_both(harness, final_terms(3))
    await harness.tournaments.start("cup")
    await harness.tournaments.withdraw("cup", "ada")
    harness.connect("bob", "cyd", "dan")
    state = await harness.until_over("final")
    assert {*state.tournament.entrants} == {"bob", "cyd", "dan"}


async def test_a_stage_is_cancelled_with_the_one_before() -> None:
    harness = await open_process(*FOUR)
    await create_both(harness, final_terms())
    await harness.tournaments.cancel("cup", "rain")
    state = await harness.until_over("final")
    assert state.tournament.phase == "cancelled"


async def test_a_stage_takes_no_other_entrants() -> None:
    harness = await open_process(*FOUR, "eve")
    await create_both(harness, final_terms())
    with pytest.raises(BadField, match="the entrants of final come from cup"):
        await harness.tournaments.enter("final", entrant("eve"))
    with pytest.raises(BadField, match="they come from cup"):
        await harness.tournaments.create(replace(final(final_terms(), "eve"), name="other", request_id="other"))


async def test_a_stage_must_follow_a_tournament_of_the_same_organiser_and_match_terms() -> None:
    harness = await open_process(*FOUR)
    with pytest.raises(NoSuchTournament):
        await harness.tournaments.create(final(final_terms()))
    await start_tournament(harness, cup_terms(RoundRobin()), *FOUR)
    with pytest.raises(BadField, match="same organiser"):
        await harness.tournaments.create(replace(final(final_terms()), organiser="another"))
    with pytest.raises(BadField, match="same match terms"):
        await harness.tournaments.create(
            final(cup_terms(Elimination(), options={"heap": 7}, qualification=Qualification(tournament="cup", best=2)))
        )
    for best in (1, 1_001):
        with pytest.raises(BadField, match="from 2 to 1000"):
            await harness.tournaments.create(final(final_terms(best)))
    few = cup_terms(Elimination(), qualification=Qualification(tournament="cup", best=3), max_entrants=2)
    with pytest.raises(BadField, match="from 2 to 2, the entrants that this tournament takes"):
        await harness.tournaments.create(final(few))
    created = await harness.tournaments.create(final(final_terms()))
    assert (await harness.tournaments.create(final(final_terms()))).name == created.name


async def rate_on_a_ladder(harness: HostingHarness, terms: HostedTournamentTerms) -> None:
    """Create the ladder that rates the matches of a tournament."""
    rated = replace(ladder_terms(), match_terms=terms.match_terms)
    await harness.ladders.create(LadderRequest("main", "org", "r1", rated))


async def test_every_scored_match_is_rated_once_and_the_ratings_seed_the_next_tournament() -> None:
    harness = await open_process("ada", "bob", "cyd", online=MANY_MATCHES)
    harness.voided = frozenset({"1.1/1.1"})
    rated_terms = cup_terms(RoundRobin(cycles=2), ladder="main")
    with pytest.raises(NoSuchLadder):
        await harness.tournaments.create(tournament_request(rated_terms, "ada", "bob", "cyd"))
    await rate_on_a_ladder(harness, rated_terms)
    await start_tournament(harness, rated_terms, "ada", "bob", "cyd")
    await harness.until_over("cup")
    ratings = (await harness.ladders.get("main")).ladder.current_season.ratings
    assert {player: record.matches for player, record in ratings.items()} == {
        Player(name, "1"): 4 for name in ("ada", "bob", "cyd")
    }
    seeded_terms = cup_terms(RoundRobin(), seeding="rating", ladder="main")
    await harness.tournaments.create(
        tournament_request(seeded_terms, "ada", "bob", "cyd", name="next", request_id="r2")
    )
    state = await harness.tournaments.start("next")
    by_rating = sorted(ratings, key=lambda player: -ratings[player].rating.value)
    assert list(state.tournament.entrants) == [player.bot for player in by_rating]
    assert state.tournament.entrants["ada"].rating == ratings[Player("ada", "1")].rating.value
    await harness.until_over("next")


def test_partners_are_seeded_by_their_shared_rating() -> None:
    joined = EntrantJoined(ContestEntrant("reds", (Player("ada"), Player("bob"))))
    ladder = evolve(Ladder(LadderPlay("main", bytes(32), bots_per_entrant=2)), joined)
    shared_rating = RatingRecord(SkillRating(1600, 50), 9)
    ladder = replace(ladder, current_season=replace(ladder.current_season, ratings={Player("reds"): shared_rating}))
    assert seed_rating(ladder, (Player("ada"), Player("bob"))) == 1600
    assert seed_rating(ladder, (Player("bob"), Player("ada"))) is None
    assert seed_rating(ladder, (Player("ada"), Player("cyd"))) is None


async def test_teams_are_seeded_by_the_average_rating_of_their_bots() -> None:
    bots = ("ada", "bob", "cyd", "dan")
    harness = await open_process(*bots, online=MANY_MATCHES)
    await harness.store.register("eve", "fay")
    rated_terms = cup_terms(RoundRobin(), ladder="main")
    await rate_on_a_ladder(harness, rated_terms)
    await start_tournament(harness, rated_terms, *bots)
    await harness.until_over("cup")
    ladder = (await harness.ladders.get("main")).ladder
    ratings = {player.bot: record.rating.value for player, record in ladder.current_season.ratings.items()}
    best, *_, worst = sorted(ratings, key=lambda bot: -ratings[bot])
    team_terms = cup_terms(Swiss(rounds=1), seeding="rating", boards=2, ladder="main")
    teams = (entrant("eve", "fay", name="new"), entrant(best, worst, name="mixed"))
    request = replace(tournament_request(team_terms, name="teams", request_id="r2"), entrants=teams)
    await harness.tournaments.create(request)
    state = await harness.tournaments.start("teams")
    assert list(state.tournament.entrants) == ["mixed", "new"]
    assert state.tournament.entrants["mixed"].rating == (ratings[best] + ratings[worst]) / 2
    assert team_seed_rating(ladder, (Player("eve"), Player(best))) == ratings[best]
