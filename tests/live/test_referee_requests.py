"""Requests about matches: creating, joining, listing, ending; a repeated request gets its first answer."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from referee_values import Opening, Policies, SeatMove

from engines.game_errors import UnknownGame
from engines.options import Settings
from referee.live import stored_matches
from referee.live.match_request import EVERY_MATCH, MAKER, REQUEST_ID, MatchFilter, MatchRequest
from referee.live.outbox import MatchEnded, MatchStarted, RequestAccepted
from referee.live.ports import EngineFault, NoSuchMatch, StoreUnavailable
from referee.live.referee import Referee
from referee.match.clock import SECOND
from referee.match.match_errors import BadSetup, DrawNotClaimable, MatchOver, NoSuchSeat, RequestIdReused, SeatHeld
from referee.match.match_terms import MatchTerms
from referee.match.result import EndCause
from referee.match.setup import Player
from referee.match.state import MatchPhase
from tests.live.fake_time import settle
from tests.live.referee_harness import (
    BOTS,
    GAMES,
    RefereeHarness,
    drain_outbox,
    filter_by_type,
    match_request,
)

REQUEST = {MAKER: "org", REQUEST_ID: "r1"}


async def test_a_match_starts_and_sends_its_first_turn_when_every_bot_is_online(harness: RefereeHarness) -> None:
    match_id = await harness.create()
    (first,) = harness.connect(BOTS[0])
    await settle()
    assert await harness.event_kinds(match_id) == ["MatchCreated"]
    (second,) = harness.connect(BOTS[1])
    await settle()
    assert await harness.event_kinds(match_id) == ["MatchCreated", "PlayStarted"]
    items = drain_outbox(first)
    assert [type(item).__name__ for item in items] == ["MatchStarted", "TurnNotice"]
    assert drain_outbox(second) == [MatchStarted(match_id, 1)]
    assert [entry.number for entry in harness.recorder.received] == [1, 2]


async def test_a_repeated_create_request_makes_one_match_even_after_a_restart(harness: RefereeHarness) -> None:
    first = await harness.referee.create(match_request(labels=REQUEST))
    again = await harness.referee.create(match_request(labels=REQUEST))
    assert (first.repeated, again.repeated) == (False, True)
    assert await harness.referee.find_created(match_request(labels=REQUEST)) == again
    assert await harness.referee.find_created(match_request(labels={MAKER: "org", REQUEST_ID: "r2"})) is None
    later = await harness.restart_and_recover()
    after = await later.referee.create(match_request(labels=REQUEST))
    assert after.repeated
    assert after.status.match.setup == first.status.match.setup
    with pytest.raises(RequestIdReused):
        await later.referee.create(match_request(labels=REQUEST, random_seats=True))
    other = await later.referee.create(match_request(labels={MAKER: "other", REQUEST_ID: "r1"}))
    assert not other.repeated
    assert later.referee.count_unfinished("org") == 1


async def test_a_create_request_that_is_cancelled_still_creates_the_match(harness: RefereeHarness) -> None:
    harness.log.after.clear()
    creating = asyncio.create_task(harness.referee.create(match_request(labels=REQUEST)))
    await settle()
    creating.cancel()
    harness.log.after.set()
    await settle()
    assert creating.cancelled()
    assert (await harness.referee.create(match_request(labels=REQUEST))).repeated


async def test_invalid_terms_are_rejected_and_nothing_is_written(harness: RefereeHarness) -> None:
    with pytest.raises(UnknownGame, match="known: alquerque, toc"):
        await harness.referee.create(MatchRequest(MatchTerms("shogi", Settings(()))))
    with pytest.raises(BadSetup):
        await harness.create(players=BOTS[:3])
    with pytest.raises(BadSetup, match="ten years"):
        await harness.create(nonce_timeout_us=-1)
    assert (await harness.stored.summaries()).found == []
    assert harness.recorder.faults == []


async def test_an_opening_is_played_before_any_clock_runs(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match(
        opening=Opening(moves=(SeatMove(seat=0, move="3"), SeatMove(seat=1, move="3")))
    )
    match = await harness.match(match_id)
    assert match.require_position().text(0) == "15 0"
    assert match.ply == 0
    second = await harness.create(opening=Opening(position=match.setup.opening, moves=(SeatMove(seat=0, move="1"),)))
    assert (await harness.match(second)).setup.opening != match.setup.opening


async def test_open_seats_are_taken_in_order_and_joining_again_is_no_error(harness: RefereeHarness) -> None:
    match_id = await harness.create(players=())
    assert await harness.referee.join(match_id, None, BOTS[0]) == 0
    assert await harness.referee.join(match_id, None, BOTS[0]) == 0
    assert await harness.referee.join(match_id, 0, Player("bot0")) == 0
    with pytest.raises(SeatHeld):
        await harness.referee.join(match_id, 0, BOTS[1])
    with pytest.raises(NoSuchSeat):
        await harness.referee.join(match_id, 7, BOTS[1])
    assert await harness.referee.join(match_id, 1, BOTS[1]) == 1
    with pytest.raises(SeatHeld):
        await harness.referee.join(match_id, None, BOTS[2])
    harness.connect(*BOTS[:2])
    await settle()
    assert (await harness.match(match_id)).phase is MatchPhase.PLAYING
    for seat in (0, None):
        with pytest.raises(SeatHeld) as held:
            await harness.referee.join(match_id, seat, BOTS[2])
        assert held.value.details == {"seat": "0", "by": "bot0"}
    await harness.referee.abort(match_id)
    with pytest.raises(MatchOver):
        await harness.referee.join(match_id, 0, BOTS[2])


async def test_the_cache_of_finished_matches_drops_the_least_recently_used(
    harness: RefereeHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_matches, "HISTORY_CACHE_SIZE", 1)
    matches = [await harness.create(players=()) for _ in range(2)]
    for match_id in matches:
        await harness.referee.abort(match_id)
    for match_id in (*matches, *matches):
        assert (await harness.match(match_id)).phase is MatchPhase.OVER


async def test_two_bots_that_join_any_seat_at_once_get_different_seats(harness: RefereeHarness) -> None:
    match_id = await harness.create(players=())
    seats = await asyncio.gather(*(harness.referee.join(match_id, None, bot) for bot in BOTS[:2]))
    assert sorted(seats) == [0, 1]


async def test_a_finished_match_leaves_memory_and_can_still_be_read(harness: RefereeHarness) -> None:
    match_id, sessions = await harness.start_match(chosen={"heap": 1})
    await harness.time.advance(SECOND)
    answered = await harness.submit_move(match_id, 0, "1")
    assert answered.result
    assert harness.referee.count_in_play("bot0") == 0
    standing = await harness.referee.status(match_id)
    assert standing is not await harness.referee.status(match_id)
    assert standing.match.result == answered.result
    assert standing.started_ms == standing.opened_ms
    assert standing.ended_ms == standing.opened_ms + 1000
    for seat, session in enumerate(sessions):
        assert filter_by_type(drain_outbox(session), MatchEnded) == [MatchEnded(match_id, seat)]


async def test_matches_are_listed_newest_first_and_can_be_filtered(harness: RefereeHarness) -> None:
    nim, _ = await harness.start_match(chosen={"heap": 1}, labels={"ladder": "main"})
    await harness.submit_move(nim, 0, "1")
    await harness.time.advance(SECOND)
    fingers = await harness.create("fingers")
    playing = await harness.create()
    with_open_seat = await harness.create(players=())

    async def listed(wanted: MatchFilter = EVERY_MATCH, **more: object) -> list[str]:
        found = await harness.referee.list_matches(wanted, **more)  # type: ignore[arg-type]  # The arguments have several types.
        return [standing.match.setup.match_id for standing in found.matches]

    assert await listed() == [with_open_seat, playing, fingers, nim]
    assert await listed(limit=2) == [with_open_seat, playing]
    assert await listed(after=playing) == [fingers, nim]
    assert await listed(MatchFilter(game="nim")) == [with_open_seat, playing, nim]
    assert await listed(MatchFilter(bot="bot1")) == [playing, fingers, nim]
    assert await listed(MatchFilter(bot="bot2")) == [fingers]
    assert await listed(MatchFilter(phase=MatchPhase.OVER)) == [nim]
    assert await listed(MatchFilter(phase=MatchPhase.PLAYING)) == [playing]
    assert await listed(MatchFilter(phase=MatchPhase.WAITING)) == [with_open_seat, fingers]
    assert await listed(MatchFilter(ladder="main")) == [nim]
    assert await listed(MatchFilter(open_only=True)) == [with_open_seat]
    assert await listed(MatchFilter(since_ms=harness.time.wall_ms())) == [with_open_seat, playing, fingers]


async def test_listing_matches_reads_no_log(harness: RefereeHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_matches, "HISTORY_CACHE_SIZE", 0)  # Each finished match would have to be read again.
    over, _ = await harness.start_match(chosen={"heap": 1})
    await harness.submit_move(over, 0, "1")
    playing = await harness.create()
    harness.log.entries_read = 0
    listed = (await harness.referee.list_matches()).matches
    assert harness.log.entries_read == 0
    assert [(status.match.setup.match_id, status.match.phase) for status in listed] == [
        (playing, MatchPhase.PLAYING),
        (over, MatchPhase.OVER),
    ]
    assert (listed[1].match.result, listed[1].ended_ms) == ((await harness.match(over)).result, harness.time.wall_ms())
    assert harness.log.entries_read > 0


async def test_every_call_for_an_unknown_match_is_rejected(harness: RefereeHarness) -> None:
    referee = harness.referee
    for call in (
        referee.status("m"),
        referee.submit("m", 0, "0.0.1", "1"),
        referee.validate("m", 0, "0.0.1", "1"),
        referee.resign("m", 0),
        referee.join("m", None, BOTS[0]),
        referee.watch("m", None, 0),
    ):
        with pytest.raises(NoSuchMatch):
            await call
    assert referee.turn_due("m", 0) is None


async def test_a_finished_match_no_longer_counts_for_its_creator(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match(chosen={"heap": 1}, labels=REQUEST)
    assert harness.referee.count_unfinished("org") == 1
    await harness.submit_move(match_id, 0, "1")
    assert harness.referee.count_unfinished("org") == 0


SendRequest = Callable[[Referee, str], Awaitable[RequestAccepted]]

ENDS: list[tuple[EndCause, str, SendRequest]] = [
    (EndCause.RESIGNATION, "", lambda referee, match_id: referee.resign(match_id, 1, "r")),
    (EndCause.DRAW_AGREED, "", lambda referee, match_id: referee.accept_draw(match_id, 1, "r")),
    (EndCause.ABORTED, "", lambda referee, match_id: referee.abort(match_id, by="ada", request_id="r")),
    (EndCause.ABORTED, "rain", lambda referee, match_id: referee.abort(match_id, "rain", "ada", "r")),
    (EndCause.DECLARED, "rain", lambda referee, id_: referee.void(id_, EndCause.DECLARED, "rain", "ada", "r")),
    (EndCause.ADJUDICATION, "seen", lambda referee, id_: referee.adjudicate(id_, (1, 2), "seen", "ada", "r")),
]
OTHER_REQUESTS: tuple[SendRequest, SendRequest] = (
    lambda referee, match_id: referee.abort(match_id, "snow", "ada", "r"),
    lambda referee, match_id: referee.offer_draw(match_id, 1, "r"),
)
"""A different request with the same id, of the organiser and of a seat."""
WITHOUT_NIM = {name: game for name, game in GAMES.items() if name != "nim"}


@pytest.mark.parametrize(("cause", "reason", "end_match"), ENDS)
async def test_a_repeated_request_that_ended_the_match_returns_the_first_result_even_after_its_game_was_removed(
    harness: RefereeHarness, cause: EndCause, reason: str, end_match: SendRequest
) -> None:
    match_id, _ = await harness.start_match()
    await harness.referee.offer_draw(match_id, 0)
    first = await end_match(harness.referee, match_id)
    assert first.result
    assert (first.result.cause, first.result.reason) == (cause, reason)
    with pytest.raises(MatchOver):
        await harness.referee.validate(match_id, 0, "0.0.1", "1")
    again = [await end_match(harness.referee, match_id)]
    harness = await harness.restart_and_recover()
    again.append(await end_match(harness.referee, match_id))
    with pytest.raises(MatchOver):
        await harness.referee.resign(match_id, 0, "r")
    later = await harness.restart_and_recover(WITHOUT_NIM)
    again += [await end_match(later.referee, match_id) for _ in range(2)]
    assert again == [first] * 4
    with pytest.raises(EngineFault):
        await later.referee.resign(match_id, 0, "other")
    with pytest.raises(RequestIdReused):
        await OTHER_REQUESTS[cause in (EndCause.RESIGNATION, EndCause.DRAW_AGREED)](later.referee, match_id)


async def test_the_players_of_a_match_are_known_after_its_game_was_removed(harness: RefereeHarness) -> None:
    open_match = await harness.create(players=())
    await harness.referee.join(open_match, 1, BOTS[1])
    taken = (await harness.referee.setup(open_match)).players
    assert taken == (Player(), BOTS[1])
    played, _ = await harness.start_match()
    await harness.referee.resign(played, 1)
    later = await harness.restart_and_recover(WITHOUT_NIM)
    assert (await later.referee.setup(open_match)).players == taken
    assert (await later.referee.setup(played)).players == BOTS[:2]


async def test_a_repeated_draw_claim_returns_the_first_result_after_a_restart(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match("stones")
    while not (await harness.match(match_id)).require_position().claimable:
        (turn, *_) = (await harness.match(match_id)).owing
        await harness.submit_move(match_id, turn.seat, "1")
    seat = (await harness.match(match_id)).owing[0].seat
    first = await harness.referee.claim_draw(match_id, seat, "r")
    harness = await harness.restart()
    assert await harness.referee.claim_draw(match_id, seat, "r") == first
    assert first.result
    assert first.result.cause is EndCause.DRAW_CLAIMED


async def test_a_repeated_draw_offer_and_its_refusal_return_their_first_results(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match(chosen={"heap": 9})
    offered = await harness.referee.offer_draw(match_id, 1, "o")
    declined = await harness.referee.decline_draw(match_id, 0, "d")
    await harness.submit_move(match_id, 0, "1")
    harness = await harness.restart_and_recover()
    assert await harness.referee.offer_draw(match_id, 1, "o") == offered == RequestAccepted(3, None)
    assert await harness.referee.decline_draw(match_id, 0, "d") == declined == RequestAccepted(4, None)
    assert (await harness.match(match_id)).offers == frozenset()


async def test_a_repeated_resignation_in_a_match_that_continues_returns_its_first_result(
    harness: RefereeHarness,
) -> None:
    continue_without = Policies(forfeit_effect="default_moves")
    match_id, _ = await harness.start_match("stones", policies=continue_without)
    first = await harness.referee.resign(match_id, 0, "r")
    assert await harness.event_kinds(match_id) == ["MatchCreated", "PlayStarted", "SeatResigned", "MovePlayed"]
    assert first == RequestAccepted(4, None)
    await harness.submit_move(match_id, 1, "1")
    assert await harness.referee.resign(match_id, 0, "r") == first
    harness = await harness.restart_and_recover()
    assert await harness.referee.resign(match_id, 0, "r") == first


async def test_a_request_id_cannot_be_reused_for_another_request(harness: RefereeHarness) -> None:
    referee = harness.referee
    match_id, _ = await harness.start_match(chosen={"heap": 9})
    await harness.submit_move(match_id, 0, "1", request_id="move")
    await referee.offer_draw(match_id, 0, "offer")
    for other in (
        referee.resign(match_id, 0, "move"),
        referee.resign(match_id, 0, "offer"),
        referee.accept_draw(match_id, 0, "offer"),
        referee.submit(match_id, 0, "0.0.1", "1", "offer"),
    ):
        with pytest.raises(RequestIdReused):
            await other
    # Each seat has request ids of its own.
    assert (await referee.decline_draw(match_id, 1, "offer")).result is None
    await referee.void(match_id, EndCause.DECLARED, "a storm", "ada", "v")
    for other in (
        referee.void(match_id, EndCause.DECLARED, "an earthquake", "ada", "v"),
        referee.adjudicate(match_id, (1, 2), "a storm", "ada", "v"),
    ):
        with pytest.raises(RequestIdReused):
            await other
    with pytest.raises(MatchOver):
        await referee.void(match_id, EndCause.DECLARED, "a storm", "bob", "v")


async def test_concurrent_identical_requests_are_executed_once(harness: RefereeHarness) -> None:
    referee = harness.referee
    match_id, _ = await harness.start_match()
    answers = await asyncio.gather(*(referee.resign(match_id, 0, "r") for _ in range(5)))
    assert answers == [answers[0]] * 5
    assert await harness.event_kinds(match_id) == ["MatchCreated", "PlayStarted", "SeatResigned", "PlayEnded"]


async def test_a_repeated_offer_that_is_still_queued_does_not_outlive_its_refusal(harness: RefereeHarness) -> None:
    referee = harness.referee
    match_id, _ = await harness.start_match(chosen={"heap": 9})
    harness.log.before.clear()
    calls = []
    for call in (
        referee.offer_draw(match_id, 1, "o"),
        referee.submit(match_id, 0, "0.0.1", "1"),  # A move declines the offer.
        referee.offer_draw(match_id, 1, "o"),
    ):
        calls.append(asyncio.create_task(call))
        await settle()
    harness.log.before.set()
    first, _, again = await asyncio.gather(*calls)
    assert first == again
    assert (await harness.match(match_id)).offers == frozenset()


async def test_a_cancelled_request_is_executed_and_its_repetition_returns_the_result(harness: RefereeHarness) -> None:
    referee = harness.referee
    match_id, _ = await harness.start_match()
    harness.log.before.clear()
    calls = asyncio.create_task(referee.resign(match_id, 0, "r"))
    await settle()
    calls.cancel()
    later = asyncio.create_task(referee.resign(match_id, 0, "r"))
    await settle()
    harness.log.before.set()
    done = await later
    assert done.result
    assert (await harness.match(match_id)).number == done.number


async def test_a_rejected_request_is_not_remembered(harness: RefereeHarness) -> None:
    referee = harness.referee
    match_id, _ = await harness.start_match()
    with pytest.raises(DrawNotClaimable):
        await referee.accept_draw(match_id, 1, "r")
    harness.log.make_unavailable()
    with pytest.raises(StoreUnavailable):
        await referee.resign(match_id, 1, "r")
    harness.log.make_available()
    await referee.offer_draw(match_id, 0)
    done = await referee.accept_draw(match_id, 1, "r")
    assert done.result
    assert done.result.cause is EndCause.DRAW_AGREED
