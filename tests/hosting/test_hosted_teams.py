"""Hosted tournaments of teams: each board is played, waits and is lost by itself."""

import pytest
from msgspec.structs import replace
from referee_values import Qualification, RoundRobin, Swiss

from referee.accounts.account_errors import BadField
from referee.contests.contest_errors import WrongParticipantCount
from referee.contests.pairing_progress import PairingProgress
from referee.contests.tournament.tournament_terms import TournamentFormat
from referee.hosting.contest_terms import HostedTournamentTerms
from referee.hosting.hosting_errors import AlreadyIn
from referee.hosting.match_factory import WaitReason
from referee.hosting.tournament_host import TournamentRequest
from referee.match.clock import SECOND
from tests.hosting.harness import HostingHarness, cup_terms, entrant, open_process, tournament_request
from tests.live.fake_time import settle

TEAMS = {"reds": ("ada", "bob"), "blues": ("cyd", "dan"), "greens": ("eve", "fay"), "golds": ("gus", "hal")}
BOTS = tuple(bot for bots in TEAMS.values() for bot in bots)


def team_terms(form: TournamentFormat | None = None, **more: object) -> HostedTournamentTerms:
    return cup_terms(form or Swiss(rounds=3), boards=2, **more)  # type: ignore[arg-type]


def request_with_teams(terms: HostedTournamentTerms, *names: str) -> TournamentRequest:
    entrants = tuple(entrant(*TEAMS[name], name=name) for name in names or TEAMS)
    return tournament_request(terms, *entrants)


async def open_teams(terms: HostedTournamentTerms, *names: str, away: tuple[str, ...] = ()) -> HostingHarness:
    """Return a process in which the teams play, without some of their bots."""
    harness = await open_process(*BOTS)
    await harness.tournaments.create(request_with_teams(terms, *names))
    harness.connect(*(bot for bot in BOTS if bot not in away))
    await harness.tournaments.start("cup")
    await settle()
    return harness


async def pairing_of(harness: HostingHarness, team: str) -> PairingProgress:
    """Return the first pairing of a team."""
    pairings = (await harness.tournaments.get("cup")).tournament.pairings.values()
    return next(progress for progress in pairings if team in progress.pairing.entrants)


async def test_each_board_is_played_by_the_bots_of_that_board() -> None:
    harness = await open_teams(team_terms())
    tournament = (await harness.until_over("cup")).tournament
    played = 0
    for progress in tournament.pairings.values():
        first, second = (TEAMS[name] for name in progress.pairing.entrants)
        for (number, _), match_id in progress.match_ids.items():
            match = (await harness.referee.status(match_id)).match
            board = (first[number - 1], second[number - 1])
            assert tuple(player.bot for player in match.setup.players) == (board if number % 2 else board[::-1])
            played += 1
    assert played == 12
    assert sum(row.points for row in tournament.standings()) == 12.0
    assert tournament.phase == "finished"


async def test_an_absent_bot_loses_its_board_only_and_holds_up_nobody() -> None:
    harness = await open_teams(team_terms(no_show_ms=60_000), away=("ada",))
    progress = await pairing_of(harness, "reds")
    assert {number for number, _ in progress.match_ids} == {2}
    await harness.time.advance(61 * SECOND)
    progress = await pairing_of(harness, "reds")
    assert progress.absent_boards == {1: {"reds"}}
    await harness.time.advance(200 * SECOND)
    tournament = (await harness.until_over("cup")).tournament
    assert tournament.withdrawn == ()
    assert all(
        progress.absent_boards == {1: {"reds"}}
        for progress in tournament.pairings.values()
        if "reds" in progress.pairing.entrants
    )
    assert (tournament.pairings.no_show_counts(), tournament.pairings.forfeit_counts()["reds"]) == ({}, 3)


async def test_a_bot_that_is_away_does_not_hold_up_the_other_boards_in_the_queue() -> None:
    harness = await open_teams(team_terms(RoundRobin()), "reds", "blues", away=("bob",))
    queued = harness.tournaments.queue(harness.time.wall_ms()).waiting
    assert [match.waits_for for match in queued] == [WaitReason.BOTS]
    harness.connect("bob")
    await harness.until_over("cup")


async def test_a_team_needs_one_bot_for_each_board_and_shares_none() -> None:
    harness = await open_process(*BOTS)
    await harness.tournaments.create(request_with_teams(team_terms(), "reds"))
    for bots in (("cyd",), ("cyd", "dan", "eve")):
        with pytest.raises(WrongParticipantCount, match="each board of a team"):
            await harness.tournaments.enter("cup", entrant(*bots, name="blues"))
    for pair in (("bob", "cyd"), ("cyd", "cyd")):
        with pytest.raises(AlreadyIn):
            await harness.tournaments.enter("cup", entrant(*pair, name="blues"))
    with pytest.raises(BadField, match="needs a name"):
        await harness.tournaments.enter("cup", replace(entrant("cyd", "dan"), name=""))
    assert list((await harness.tournaments.get("cup")).tournament.entrants) == ["reds"]


async def test_a_game_that_does_not_fit_teams_is_refused() -> None:
    harness = await open_process()
    fixed = cup_terms(Swiss(rounds=3), "toc", boards=2, partners="fixed")
    for terms in (cup_terms(Swiss(rounds=3), "toc", boards=2), fixed):
        with pytest.raises(BadField, match="two sides with one seat each") as refused:
            await harness.tournaments.create(tournament_request(terms))
        assert refused.value.details["field"] == "boards"


async def test_the_next_stage_has_the_same_boards() -> None:
    harness = await open_process(*BOTS)
    await harness.tournaments.create(request_with_teams(team_terms()))
    stage = Qualification(tournament="cup", best=2)
    for boards, same in ((0, False), (2, True)):
        terms = cup_terms(RoundRobin(), boards=boards, qualification=stage)
        final = tournament_request(terms, name="final", request_id="f")
        if same:
            await harness.tournaments.create(final)
        else:
            with pytest.raises(BadField, match="boards"):
                await harness.tournaments.create(final)
    harness.connect(*BOTS)
    await harness.tournaments.start("cup")
    assert len((await harness.until_over("final")).tournament.entrants) == 2
