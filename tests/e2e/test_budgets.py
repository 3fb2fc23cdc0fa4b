"""Budgets are counted for each bot: one that uses up its own takes nothing from the others of its holder."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import grpc
import pytest

from tests.e2e.bot_connection import connect_bot
from tests.e2e.call_errors import parse_error
from tests.e2e.organiser import HOUR, Organiser
from tests.e2e.test_authors import LADDER_TERMS, TOURNAMENT_TERMS, reason_of

pytestmark = pytest.mark.slow


def set_quota(organiser: Organiser, **limits: int) -> None:
    organiser.call_as_admin("AdminService/SetQuota", holder=organiser.name, quota=limits)


def usage(organiser: Organiser) -> Any:
    return organiser.call_as_admin("AdminService/GetQuota", holder=organiser.name).usage


def repeat_until_refused(call: Callable[[], Any]) -> str:
    """Make a call until it is refused, and return the reason."""
    while True:
        try:
            call()
        except grpc.RpcError as error:
            return parse_error(error).reason


def look_up(organiser: Organiser, seat: int) -> Callable[[], Any]:
    return partial(organiser.call_as_bot, seat, "BotService/GetBot", name=organiser.bots[seat])


def test_a_bot_that_calls_too_often_does_not_keep_another_one_from_reconnecting_and_playing(
    organiser: Organiser,
) -> None:
    set_quota(organiser, max_calls_per_minute=100)
    organiser.start_match(rule=HOUR)
    assert repeat_until_refused(look_up(organiser, 1)) == "TOO_MANY_CALLS"
    with connect_bot(organiser.channel, organiser.secrets[0]) as again:
        turn = again.receive("turn")
        organiser.submit_move(turn, turn.legal_moves[0])
    look_up(organiser, 0)()
    organiser.call("BotService/GetBot", name=organiser.bots[0])
    assert usage(organiser).bot_calls > usage(organiser).calls


def test_a_bot_that_sends_too_many_bytes_does_not_affect_another_one(organiser: Organiser) -> None:
    set_quota(organiser, max_received_bytes=500)
    note = {"bot": organiser.bots[1], "version": "1", "note": "x" * 400}
    send = partial(organiser.call_as_bot, 1, "BotService/RegisterVersion", **note)
    assert repeat_until_refused(send) == "TOO_MANY_BYTES"
    look_up(organiser, 0)()
    organiser.call("BotService/GetBot", name=organiser.bots[0])
    assert usage(organiser).received_bytes > 500


@pytest.fixture
def watches(organiser: Organiser) -> Iterator[Callable[[int], None]]:
    """Open a watch as a bot, which stays open until the end of the test."""
    match_id, calls = organiser.create_match(), list[Any]()

    def watch(seat: int) -> None:
        calls.append(organiser.call_as_bot(seat, "MatchService/WatchMatch", match_id=match_id))
        next(calls[-1])

    yield watch
    for call in calls:
        call.cancel()


def test_the_watches_of_a_bot_do_not_keep_it_from_playing_nor_others_from_watching(
    organiser: Organiser, watches: Callable[[int], None]
) -> None:
    set_quota(organiser, max_bot_streams=1)
    watches(0)
    assert reason_of(partial(watches, 0)) == "TOO_MANY_STREAMS"
    watches(1)
    for seat in (0, 1):
        organiser.connection(seat)
    assert (usage(organiser).bot_streams, usage(organiser).streams) == (1, 0)


def test_the_unfinished_contests_of_an_organiser_are_limited(organiser: Organiser) -> None:
    set_quota(organiser, max_contests=1)
    ladder, cup = f"ladder-of-{organiser.name}", f"cup-of-{organiser.name}"
    create_ladder = partial(
        organiser.call, "LadderService/CreateLadder", request_id="l", name=ladder, terms=LADDER_TERMS
    )
    create_cup = partial(
        organiser.call, "TournamentService/CreateTournament", request_id="c", name=cup, terms=TOURNAMENT_TERMS
    )
    create_ladder()
    assert create_ladder().ladder.name == ladder, "a repeated request gets its first answer"
    assert reason_of(create_cup) == "TOO_MANY_NAMES"
    assert usage(organiser).contests == 1
    organiser.call("LadderService/CloseLadder", ladder=ladder)
    create_cup()


def test_quotas_are_listed_in_pages(organiser: Organiser) -> None:
    set_quota(organiser, max_bots=50)
    listed, token = [], ""
    while True:
        page = organiser.call_as_admin("AdminService/ListQuotas", page_size=1, page_token=token)
        listed += page.quotas
        token = page.next_page_token
        if not token:
            break
    by_holder = {one.holder: one for one in listed}
    own = by_holder[organiser.name]
    assert (own.quota.max_bots, own.own_quota.max_bots, own.own_quota.max_matches) == (50, 50, 0)
    assert (own.usage.bots, by_holder["admin"].HasField("own_quota")) == (2, False)
    assert list(by_holder) == sorted(by_holder)
