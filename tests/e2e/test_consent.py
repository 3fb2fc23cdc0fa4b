"""Consent: what a hostile organiser cannot do with the bots of somebody else, over real connections."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from typing import Any

import grpc
import pytest
from referee_api.v1 import bot_pb2, clock_pb2, match_pb2, result_pb2

from tests.e2e.call_errors import parse_error, reason_of
from tests.e2e.contests import call_for_ladder, create_ladder, create_tournament, entrants_of, match_terms
from tests.e2e.organiser import ONE_MS, UNTIMED, Organiser, new_organiser
from tests.e2e.server import ServerProcess

pytestmark = pytest.mark.slow

NUMBERS = count(1)
ANYONE = bot_pb2.CONSENT_SCOPE_ANYONE
OWN = bot_pb2.CONSENT_SCOPE_OWN


@pytest.fixture
def other(server: ServerProcess) -> Iterator[Organiser]:
    """Another organiser, with bots of its own."""
    with server.channel() as channel, new_organiser(server, channel, f"other-{next(NUMBERS)}") as other:
        yield other


def unmet(call: Callable[..., Any], *arguments: Any, **fields: Any) -> str:
    """Call a method; return the condition that is not met, or nothing if the call succeeds."""
    try:
        call(*arguments, **fields)
    except grpc.RpcError as raised:
        error = parse_error(raised)
        assert error.reason == "CONSENT_MISSING", error
        assert error.metadata["bot"] in error.sentence
        assert error.metadata["why"] in error.sentence
        return error.metadata["condition"]
    return ""


def seat(other: Organiser, bots: list[str], rule: clock_pb2.ClockRule | None = None, **request: Any) -> Any:
    """Create a match of these bots as the other organiser."""
    seats = [match_pb2.BotRef(bot=bot) for bot in bots]
    usual = other.match_request(rule=rule) if rule else other.match_request()
    return other.call("MatchService/CreateMatch", **usual | {"seats": seats} | request)


def test_bots_take_no_matches_of_other_holders_by_default(organiser: Organiser, other: Organiser) -> None:
    consent = other.call("BotService/GetBot", name=organiser.bots[0]).bot.consent
    assert consent == bot_pb2.Consent(
        scope=bot_pb2.CONSENT_SCOPE_OWN_AND_CONTESTS, min_first_move_ms=1000, max_matches_per_maker=2
    )
    assert unmet(seat, other, organiser.bots) == "scope"
    assert unmet(seat, other, [other.bots[0], organiser.bots[0]]) == "scope"
    assert unmet(organiser.call_as_admin, "MatchService/CreateMatch", **organiser.match_request()) == "scope"
    assert unmet(organiser.create_match) == ""


def test_a_bot_for_anyone_takes_matches_on_its_conditions(organiser: Organiser, other: Organiser) -> None:
    organiser.set_consent(scope=ANYONE, games=["alquerque"])
    bots = organiser.bots
    assert unmet(seat, other, bots, rule=ONE_MS) == "min_first_move_ms"
    assert unmet(seat, other, bots, seed=bytes(32)) == "accept_odds"
    assert unmet(seat, other, bots, opening={"moves": [{"seat": 0, "move": "c2-c3"}]}) == "accept_odds"
    assert unmet(seat, other, bots) == ""
    organiser.set_consent(scope=ANYONE, games=["toc"])
    assert unmet(seat, other, bots) == "games"


def test_the_matches_of_one_maker_are_limited_also_if_it_creates_them_at_once(
    organiser: Organiser, other: Organiser
) -> None:
    organiser.set_consent(scope=ANYONE)
    ids = [f"at once {number}" for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = [*pool.map(lambda request_id: unmet(seat, other, organiser.bots, request_id=request_id), ids)]
    assert sorted(found) == ["", "", *["max_matches_per_maker"] * 6]
    assert unmet(seat, other, organiser.bots, request_id=ids[found.index("")]) == ""
    assert [unmet(organiser.create_match) for _ in range(3)] == [""] * 3


def test_a_bot_joins_open_seats_of_others_itself_or_by_its_owner(organiser: Organiser, other: Organiser) -> None:
    bot, join = organiser.bots[0], "MatchService/JoinMatch"
    by_bot, by_owner, by_other = (seat(other, [other.bots[0], ""]).match.id for _ in range(3))
    assert unmet(other.call, join, match_id=by_other, bot={"bot": bot}) == "scope"
    assert unmet(organiser.call_as_bot, 0, join, match_id=by_bot) == ""
    assert unmet(organiser.call_as_bot, 0, join, match_id=by_bot) == ""
    assert unmet(organiser.call, join, match_id=by_owner, bot={"bot": bot}) == ""
    assert unmet(organiser.call_as_bot, 0, join, match_id=by_other) == "max_matches_per_maker"
    organiser.set_consent(scope=OWN)
    assert unmet(organiser.call_as_bot, 1, join, match_id=by_other) == "scope"


def test_only_the_owner_or_the_bot_enters_contests_of_others(organiser: Organiser, other: Organiser) -> None:
    create_ladder(other)
    create_tournament(other)
    entrant = entrants_of(organiser)[0]
    for method, contest in (
        ("LadderService/JoinLadder", {"ladder": other.name}),
        ("TournamentService/EnterTournament", {"tournament": other.name}),
    ):
        assert unmet(other.call, method, **contest, entrant=entrant) == "scope"
        assert unmet(organiser.call, method, **contest, entrant=entrant) == ""
        assert unmet(organiser.call_as_bot, 1, method, **contest) == ""
    organiser.set_consent(scope=ANYONE)
    request = {"request_id": "more", "name": f"{other.name}-more", "entrants": entrants_of(organiser)}
    assert unmet(create_tournament, other, **request) == ""
    organiser.set_consent(scope=OWN)
    assert unmet(create_tournament, other, **request) == "", "a repeated request"


def test_the_terms_of_a_contest_are_compared_at_entry(organiser: Organiser, other: Organiser) -> None:
    terms = match_terms()
    terms.time_control.rule.CopyFrom(UNTIMED)
    create_ladder(other, match_terms=[terms])
    join = partial(organiser.call_as_bot, 0, "LadderService/JoinLadder", ladder=other.name)
    assert unmet(join) == "min_first_move_ms"
    organiser.set_consent(min_first_move_ms=0)
    assert unmet(join) == ""


def test_rated_matches_of_other_holders_have_the_terms_of_the_ladder(organiser: Organiser, other: Organiser) -> None:
    create_ladder(other)
    organiser.set_consent(min_first_move_ms=0)
    for index in (0, 1):
        organiser.call_as_bot(index, "LadderService/JoinLadder", ladder=other.name)
    rated = partial(seat, other, ladder=other.name)
    assert unmet(rated, organiser.bots, rule=ONE_MS) == "ladder"
    assert unmet(rated, organiser.bots, seed=bytes(32)) == "accept_odds"
    assert unmet(rated, organiser.bots) == ""
    open_seats = rated(["", ""], rule=ONE_MS).match.id
    join = {"match_id": open_seats, "bot": {"bot": organiser.bots[0]}}
    assert unmet(other.call, "MatchService/JoinMatch", **join) == "ladder"


def test_the_bots_of_the_organiser_itself_are_not_restricted(organiser: Organiser) -> None:
    organiser.set_consent(scope=OWN, games=["toc"], min_first_move_ms=60_000, max_matches_per_maker=1)
    assert [unmet(organiser.create_match, rule=ONE_MS) for _ in range(2)] == ["", ""]
    create_ladder(organiser)
    assert unmet(organiser.call_as_bot, 0, "LadderService/JoinLadder", ladder=organiser.name) == ""


# Leaving a match


def withdraw(organiser: Organiser, match_id: str, request_id: str = "out", seat: int = 0) -> Any:
    request = {"request_id": request_id, "match_id": match_id, "bot": organiser.bots[seat]}
    return organiser.call("MatchService/WithdrawBot", **request)


def wait_for_another_start(organiser: Organiser, *known: str) -> str:
    """Return the id of the next match of the first bot that is none of these."""
    started = organiser.connection(0).receive("match_started").match.id
    while started in known:
        started = organiser.connection(0).receive("match_started").match.id
    return str(started)


def test_contests_and_rated_matches_are_not_left_by_a_withdrawal(organiser: Organiser) -> None:
    create_ladder(organiser)
    for index in (0, 1):
        organiser.call_as_bot(index, "LadderService/JoinLadder", ladder=organiser.name)
    unrated, rated = organiser.create_match(), seat(organiser, organiser.bots, ladder=organiser.name).match.id
    assert reason_of(withdraw, organiser, rated) == "NOT_WITHDRAWABLE"
    organiser.connection(1)
    call_for_ladder(organiser, "Challenge", request_id="c", entrants=organiser.bots)
    challenged = wait_for_another_start(organiser, unrated, rated)
    assert reason_of(withdraw, organiser, challenged) == "NOT_WITHDRAWABLE"
    withdraw(organiser, unrated)
    assert reason_of(withdraw, organiser, unrated, "again") == "MATCH_OVER"


def test_an_owner_takes_its_bot_out_of_a_contest_that_has_invited_it_and_of_its_matches(
    organiser: Organiser, other: Organiser
) -> None:
    organiser.set_consent(scope=ANYONE)
    guest, host = organiser.bots[0], other.bots[0]
    create_tournament(other, entrants=[{"bots": [{"bot": bot}]} for bot in (guest, host, other.bots[1])])
    connection = organiser.connection(0)
    other.connection(0)
    other.call("TournamentService/StartTournament", name=other.name)
    match_id = connection.receive("match_started").match.id
    withdrawal = {"tournament": other.name, "entrant": guest}
    leave = partial(organiser.call, "TournamentService/WithdrawEntrant", **withdrawal)
    assert reason_of(leave, entrant=host) == "NOT_YOURS"
    leave()
    result = withdraw(organiser, match_id).result
    assert [forfeit.cause for forfeit in result.forfeited.forfeits] == [result_pb2.FORFEIT_CAUSE_WITHDRAWN]
    assert connection.receive("match_ended").result == result
    started = other.connection(1).receive("match_started")
    assert {seated.bot for seated in started.match.seats} == {*other.bots}, "the next match is without the guest"
    assert reason_of(withdraw, other, started.match.id, "r") == "NOT_WITHDRAWABLE"
