"""Only matches in which a bot plays by the will of its owner count its faults."""

from collections.abc import Awaitable, Callable, Sequence

import pytest
from msgspec.structs import replace
from referee_values import IllegalMovePolicy, Policies, RoundRobin

from referee.hosting.contest_terms import HostedLadderTerms
from referee.hosting.joined_matches import JoinedMatches
from referee.hosting.match_factory import WaitReason
from referee.live.match_request import LADDER, MAKER, TOURNAMENT, MatchRequest
from referee.live.sessions import Hello
from referee.match.clock import SECOND
from referee.match.match_terms import MatchTerms
from referee.match.setup import Player
from referee.match.state import Match, MatchPhase
from tests.hosting.harness import (
    Choose,
    HostingHarness,
    choose_by_match,
    cup_terms,
    entrant,
    open_process,
    tournament_request,
)
from tests.hosting.ladder_harness import ladder_entrant, ladder_terms, new_ladder, rated, until
from tests.live.fake_time import settle

ONE_ATTEMPT = Policies(illegal_move=IllegalMovePolicy(action="forfeit"))


def strict(terms: MatchTerms) -> MatchTerms:
    return replace(terms, policies=ONE_ATTEMPT)


def forfeiting(*bots: str) -> Choose:
    """Return a choice of moves in which these bots make illegal ones."""

    def choose(match: Match, seat: int, moves: Sequence[str]) -> str:
        return "?" if match.players[seat].bot in bots else choose_by_match(match, seat, moves)

    return choose


async def open_failing(*bots: str) -> HostingHarness:
    harness = await open_process(*bots)
    harness.choose = forfeiting("failing")
    harness.connect(*bots)
    return harness


def strict_ladder(**more: int) -> HostedLadderTerms:
    terms = ladder_terms(**more)
    return replace(terms, match_terms=tuple(map(strict, terms.match_terms)))


@pytest.mark.parametrize("invited", [False, True])
async def test_a_bot_is_paused_for_its_faults_in_a_ladder_unless_it_was_invited(invited: bool) -> None:
    harness = await open_failing("failing", "one", "two")
    await new_ladder(harness, strict_ladder(pause_after_faults=2), "one", "two")
    await harness.ladders.join("main", replace(ladder_entrant("failing"), invited=invited))
    state = await until(harness, rated(12))
    await harness.auto_pause.flush()
    assert state.ladder.current_season.record(Player("failing", "1")).forfeits >= 2
    failing = await harness.store.accounts.bot("failing")
    assert (failing.pause is None, failing.faults) == ((True, 0) if invited else (False, 2))


@pytest.mark.parametrize("invited", [False, True])
async def test_faults_in_a_tournament_count_unless_the_bot_was_invited(invited: bool) -> None:
    harness = await open_failing("failing", "one", "two")
    terms = cup_terms(RoundRobin())
    request = tournament_request(replace(terms, match_terms=tuple(map(strict, terms.match_terms))), "one", "two")
    await harness.tournaments.create(request)
    await harness.tournaments.enter("cup", replace(entrant("failing"), invited=invited))
    await harness.tournaments.start("cup")
    await harness.until_over("cup")
    await harness.auto_pause.flush()
    assert (await harness.store.accounts.bot("failing")).faults == (0 if invited else 2)


async def test_matches_outside_of_contests_count_if_the_owner_made_them() -> None:
    harness = await open_failing("failing", "other")
    terms = replace(strict(cup_terms(RoundRobin()).match_terms[0]), start_timeout_us=SECOND)
    players = (Player("failing"), Player("other"))
    for maker, faults in (("somebody", 0), ("owner", 1), ("somebody", 1)):
        await harness.referee.create(MatchRequest(terms, players, labels={MAKER: maker}))
        await settle()
        await harness.auto_pause.flush()
        assert (await harness.store.accounts.bot("failing")).faults == faults


async def test_a_label_of_a_ladder_that_does_not_exist_counts_nothing() -> None:
    harness = await open_failing("failing", "other")
    terms = cup_terms(RoundRobin()).match_terms[0]
    made = await harness.referee.create(MatchRequest(terms, labels={MAKER: "somebody", LADDER: "gone"}))
    bot = await harness.store.accounts.bot("failing")
    matches = JoinedMatches(harness.registry, harness.tournaments._registry)
    assert not await matches.contains(bot, made.status.match)
    assert not matches.in_contest("failing")


async def test_a_bot_is_in_a_contest_from_its_entry_to_the_end_unless_it_was_invited() -> None:
    harness = await open_failing("failing", "one", "two")
    matches = JoinedMatches(harness.registry, harness.tournaments._registry)
    await new_ladder(harness, strict_ladder(), "one")
    await harness.ladders.join("main", replace(ladder_entrant("two"), invited=True))
    await harness.tournaments.create(tournament_request(cup_terms(RoundRobin()), "failing"))
    assert [matches.in_contest(bot) for bot in ("one", "two", "failing")] == [True, False, True]
    await harness.ladders.leave("main", "one")
    await harness.tournaments.cancel("cup")
    assert [matches.in_contest(bot) for bot in ("one", "two", "failing")] == [False, False, False]


async def test_a_bot_has_joined_a_contest_unless_it_was_invited() -> None:
    harness = await open_failing("failing", "one", "two")
    matches = JoinedMatches(harness.registry, harness.tournaments._registry)
    await new_ladder(harness, strict_ladder(), "one")
    await harness.ladders.join("main", replace(ladder_entrant("two"), invited=True))
    await harness.tournaments.create(tournament_request(cup_terms(RoundRobin()), "failing"))
    await harness.tournaments.enter("cup", replace(entrant("one"), invited=True))
    for kind, name, expected in ((LADDER, "main", [True, False]), (TOURNAMENT, "cup", [False, False])):
        assert [matches.has_joined(bot, kind, name) for bot in ("one", "two")] == expected
    assert matches.has_joined("failing", TOURNAMENT, "cup")
    assert matches.has_joined("two", LADDER, "gone")
    assert matches.has_joined("one", TOURNAMENT, "gone")


async def open_with_invitation(organiser: str = "stranger") -> HostingHarness:
    """Return a process in which a bot with four places is on a ladder, and was invited to a tournament."""
    harness = await open_process("guest", "one", "two", "three", "four", silent=True)  # All matches stay in play.
    await new_ladder(harness, ladder_terms(), "guest")
    request = tournament_request(cup_terms(RoundRobin()), "one", "two", "three", "four")
    await harness.tournaments.create(replace(request, organiser=organiser))
    await harness.tournaments.enter("cup", replace(entrant("guest"), invited=True))
    await harness.tournaments.start("cup")
    harness.connect("one", "two", "three", "four")
    harness.connect("guest", hello=Hello(max_matches=4))
    await settle()
    return harness


async def test_matches_of_a_contest_that_has_invited_a_bot_take_half_of_its_places() -> None:
    harness = await open_with_invitation()
    assert harness.referee.count_in_play("guest") == 2
    queue = harness.tournaments.queue(harness.time.wall_ms())
    assert {match.waits_for for match in queue.waiting} == {WaitReason.BOTS}
    await harness.ladders.join("main", ladder_entrant("one"))
    await settle()
    assert harness.referee.count_in_play("guest") == 4, "the ladder has the others"


async def test_a_rehearsal_of_the_organiser_of_a_contest_that_the_bot_joined_takes_all_places() -> None:
    harness = await open_with_invitation("org")
    assert harness.referee.count_in_play("guest") == 4


async def leave(harness: HostingHarness) -> None:
    await harness.ladders.leave("main", "guest")


async def leave_for_a_tournament_and_withdraw(harness: HostingHarness) -> None:
    await harness.tournaments.create(tournament_request(cup_terms(RoundRobin()), "guest", name="own", request_id="r2"))
    await leave(harness)
    await settle()
    assert harness.referee.count_in_play("guest") == 2, "it is still in a contest"
    await harness.tournaments.withdraw("own", "guest")


async def close_ladder(harness: HostingHarness) -> None:
    await harness.ladders.close("main")


@pytest.mark.parametrize("end", [leave, leave_for_a_tournament_and_withdraw, close_ladder])
async def test_other_matches_start_when_a_bot_leaves_its_last_contest_or_the_contest_ends(
    end: Callable[[HostingHarness], Awaitable[None]],
) -> None:
    harness = await open_with_invitation()
    players = (Player("guest"), Player("one"))
    terms = cup_terms(RoundRobin()).match_terms[0]
    made = await harness.referee.create(MatchRequest(terms, players, labels={MAKER: "somebody"}))
    await settle()
    match_id = made.status.match.setup.match_id
    assert (await harness.referee.match(match_id)).phase is MatchPhase.WAITING
    await end(harness)
    await settle()
    assert (await harness.referee.match(match_id)).phase is MatchPhase.PLAYING
    assert harness.referee.count_in_play("guest") == 4, "the tournament takes the last place"
