"""Creating, joining and listing matches, and what is kept of finished ones."""

import asyncio

import pytest

from engines.refusals import UnknownGame
from referee.live import stored_matches as archive
from referee.live.match_request import EVERY_MATCH, MAKER, REQUEST_ID, MatchFilter, MatchRequest, Opening
from referee.live.outbox import MatchEnded, MatchStarted
from referee.live.ports import LogUnavailable, UnknownMatch
from referee.match.clock import SECOND
from referee.match.match_errors import BadSetup, MatchOver, NoSuchSeat, RequestIdReused, SeatHeld
from referee.match.result import EndCause
from referee.match.setup import Player
from referee.match.state import MatchPhase
from tests.live.fake_time import settled
from tests.live.referee_harness import BOTS, Hall, asked, of_kind, told, wish
from tests.live.runner_harness import in_loop

REQUEST = {MAKER: "org", REQUEST_ID: "r1"}


@in_loop
async def test_a_match_begins_when_every_bot_is_there_and_asks_its_first_turn() -> None:
    hall = Hall()
    match_id = await hall.create()
    (first,) = hall.come(BOTS[0])
    await settled()
    assert await hall.kinds(match_id) == ["MatchCreated"]
    (second,) = hall.come(BOTS[1])
    await settled()
    assert await hall.kinds(match_id) == ["MatchCreated", "PlayStarted"]
    items = told(first)
    assert [type(item).__name__ for item in items] == ["MatchStarted", "TurnNotice"]
    assert told(second) == [MatchStarted(match_id, 1)]
    assert [entry.number for entry in hall.noted.heard] == [1, 2]
    await hall.referee.close()


@in_loop
async def test_the_same_request_makes_one_match_also_after_a_restart() -> None:
    hall = Hall()
    first = await hall.referee.create(wish(labels=REQUEST))
    again = await hall.referee.create(wish(labels=REQUEST))
    assert (first.repeated, again.repeated) == (False, True)
    assert await hall.referee.find_created(wish(labels=REQUEST)) == again
    assert await hall.referee.find_created(wish(labels={MAKER: "org", REQUEST_ID: "r2"})) is None
    later = await hall.crashed()
    await later.referee.recover()
    after = await later.referee.create(wish(labels=REQUEST))
    assert after.repeated
    assert after.status.match.setup == first.status.match.setup
    with pytest.raises(RequestIdReused):
        await later.referee.create(wish(labels=REQUEST, by_lot=True))
    other = await later.referee.create(wish(labels={MAKER: "other", REQUEST_ID: "r1"}))
    assert not other.repeated
    assert later.referee.count_unfinished("org") == 1
    await later.referee.close()


@in_loop
async def test_who_hangs_up_while_making_a_match_has_made_it() -> None:
    hall = Hall()
    hall.log.after.clear()
    creating = asyncio.create_task(hall.referee.create(wish(labels=REQUEST)))
    await settled()
    creating.cancel()
    hall.log.after.set()
    await settled()
    assert creating.cancelled()
    assert (await hall.referee.create(wish(labels=REQUEST))).repeated
    await hall.referee.close()


@in_loop
async def test_terms_that_cannot_be_are_refused_and_nothing_is_written() -> None:
    hall = Hall()
    with pytest.raises(UnknownGame, match="known: alquerque, toc"):
        await hall.referee.create(MatchRequest("go"))
    with pytest.raises(BadSetup):
        await hall.create(players=BOTS[:3])
    with pytest.raises(BadSetup, match="ten years"):
        await hall.create(nonce_within_us=-1)
    assert (await hall.stored.summaries()).found == []
    assert hall.noted.faults == []
    await hall.referee.close()


@in_loop
async def test_an_opening_is_played_before_any_clock_runs() -> None:
    hall = Hall()
    match_id, _ = await hall.begun(opening=Opening(moves=((0, "3"), (1, "3"))))
    match = await hall.match(match_id)
    assert match.require_position().text(0) == "15 0"
    assert match.ply == 0
    second = await hall.create(opening=Opening(match.setup.opening, ((0, "1"),)))
    assert (await hall.match(second)).setup.opening != match.setup.opening
    await hall.referee.close()


@in_loop
async def test_open_seats_are_taken_in_order_and_ones_own_seat_is_no_fault() -> None:
    hall = Hall()
    match_id = await hall.create(players=())
    assert await hall.referee.join(match_id, None, BOTS[0]) == 0
    assert await hall.referee.join(match_id, None, BOTS[0]) == 0
    assert await hall.referee.join(match_id, 0, Player("bot0")) == 0
    with pytest.raises(SeatHeld):
        await hall.referee.join(match_id, 0, BOTS[1])
    with pytest.raises(NoSuchSeat):
        await hall.referee.join(match_id, 7, BOTS[1])
    assert await hall.referee.join(match_id, 1, BOTS[1]) == 1
    with pytest.raises(SeatHeld):
        await hall.referee.join(match_id, None, BOTS[2])
    hall.come(*BOTS[:2])
    await settled()
    assert (await hall.match(match_id)).phase is MatchPhase.PLAYING
    for seat in (0, None):
        with pytest.raises(SeatHeld) as held:
            await hall.referee.join(match_id, seat, BOTS[2])
        assert held.value.details == {"seat": "0", "by": "bot0"}
    await hall.referee.abort(match_id)
    with pytest.raises(MatchOver):
        await hall.referee.join(match_id, 0, BOTS[2])
    await hall.referee.close()


@in_loop
async def test_of_the_finished_matches_those_asked_for_last_are_kept_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "HISTORY_CACHE_SIZE", 1)
    hall = Hall()
    matches = [await hall.create(players=()) for _ in range(2)]
    for match_id in matches:
        await hall.referee.abort(match_id)
    for match_id in (*matches, *matches):
        assert (await hall.match(match_id)).phase is MatchPhase.OVER
    await hall.referee.close()


@in_loop
async def test_two_who_want_any_seat_at_the_same_moment_get_different_ones() -> None:
    hall = Hall()
    match_id = await hall.create(players=())
    seats = await asyncio.gather(*(hall.referee.join(match_id, None, bot) for bot in BOTS[:2]))
    assert sorted(seats) == [0, 1]
    await hall.referee.close()


@in_loop
async def test_a_match_that_is_over_leaves_memory_and_can_still_be_looked_at() -> None:
    hall = Hall()
    match_id, sessions = await hall.begun(chosen={"heap": 1})
    await hall.time.passes(SECOND)
    answered = await hall.played(match_id, 0, "1")
    assert answered.result
    assert hall.referee.count_in_play("bot0") == 0
    standing = await hall.referee.status(match_id)
    assert standing is not await hall.referee.status(match_id)
    assert standing.match.result == answered.result
    assert standing.started_ms == standing.opened_ms
    assert standing.ended_ms == standing.opened_ms + 1000
    for seat, session in enumerate(sessions):
        assert of_kind(told(session), MatchEnded) == [MatchEnded(match_id, seat)]
    await hall.referee.close()


@in_loop
async def test_matches_are_listed_the_newest_first_and_by_what_is_wanted() -> None:
    hall = Hall()
    nim, _ = await hall.begun(chosen={"heap": 1}, labels={"ladder": "main"})
    await hall.played(nim, 0, "1")
    await hall.time.passes(SECOND)
    fingers = await hall.create("fingers")
    playing = await hall.create()
    open_seat = await hall.create(players=())

    async def listed(wanted: MatchFilter = EVERY_MATCH, **more: object) -> list[str]:
        found = await hall.referee.list_matches(wanted, **more)  # type: ignore[arg-type]  # Two of several kinds.
        return [standing.match.setup.match_id for standing in found.matches]

    assert await listed() == [open_seat, playing, fingers, nim]
    assert await listed(limit=2) == [open_seat, playing]
    assert await listed(after=playing) == [fingers, nim]
    assert await listed(MatchFilter(game="nim")) == [open_seat, playing, nim]
    assert await listed(MatchFilter(bot="bot1")) == [playing, fingers, nim]
    assert await listed(MatchFilter(bot="bot2")) == [fingers]
    assert await listed(MatchFilter(phase=MatchPhase.OVER)) == [nim]
    assert await listed(MatchFilter(phase=MatchPhase.PLAYING)) == [playing]
    assert await listed(MatchFilter(phase=MatchPhase.WAITING)) == [open_seat, fingers]
    assert await listed(MatchFilter(ladder="main")) == [nim]
    assert await listed(MatchFilter(open_only=True)) == [open_seat]
    assert await listed(MatchFilter(since_ms=hall.time.wall_ms())) == [open_seat, playing, fingers]
    await hall.referee.close()


@in_loop
async def test_a_list_of_matches_reads_no_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "HISTORY_CACHE_SIZE", 0)  # Each finished match would have to be read again.
    hall = Hall()
    over, _ = await hall.begun(chosen={"heap": 1})
    await hall.played(over, 0, "1")
    playing = await hall.create()
    hall.log.entries_read = 0
    listed = (await hall.referee.list_matches()).matches
    assert hall.log.entries_read == 0
    assert [(it.match.setup.match_id, it.match.phase) for it in listed] == [
        (playing, MatchPhase.PLAYING),
        (over, MatchPhase.OVER),
    ]
    assert (listed[1].match.result, listed[1].ended_ms) == ((await hall.match(over)).result, hall.time.wall_ms())
    assert hall.log.entries_read > 0
    await hall.referee.close()


@in_loop
async def test_a_match_that_nobody_opened_is_unknown_to_all() -> None:
    referee = (hall := Hall()).referee
    for asking in (
        referee.status("m"),
        referee.submit("m", 0, "0.0.1", "1"),
        referee.validate("m", 0, "0.0.1", "1"),
        referee.resign("m", 0),
        referee.join("m", None, BOTS[0]),
        referee.watch("m", None, 0),
    ):
        with pytest.raises(UnknownMatch):
            await asking
    assert referee.turn_due("m", 0) is None
    await hall.referee.close()


@in_loop
async def test_people_decide_and_seats_resign() -> None:
    referee = (hall := Hall()).referee
    ends = []
    for way in (
        lambda match_id: referee.abort(match_id, "no time"),
        referee.abort,
        lambda match_id: referee.void(match_id, EndCause.DECLARED, "a storm"),
        lambda match_id: referee.adjudicate(match_id, (1, 2), "I saw it"),
        lambda match_id: referee.resign(match_id, 1),
    ):
        match_id, _ = await hall.begun()
        done = await way(match_id)
        assert done.result
        ends.append((done.result.cause, done.result.reason))
        with pytest.raises(MatchOver):
            await hall.referee.resign(match_id, 0)
        with pytest.raises(MatchOver):
            await hall.referee.validate(match_id, 0, "0.0.1", "1")
    assert ends == [
        (EndCause.ABORTED, "no time"),
        (EndCause.ABORTED, ""),
        (EndCause.DECLARED, "a storm"),
        (EndCause.ADJUDICATION, "I saw it"),
        (EndCause.RESIGNATION, ""),
    ]
    await hall.referee.close()


@in_loop
async def test_nothing_is_told_while_the_log_cannot_be_written() -> None:
    hall = Hall()
    match_id, sessions = await hall.begun()
    for session in sessions:
        told(session)
    hall.log.goes_away()
    with pytest.raises(LogUnavailable):
        await hall.referee.submit(match_id, 0, "0.0.1", "1")
    assert [told(session) for session in sessions] == [[], []]
    hall.log.comes_back()
    await hall.played(match_id, 0, "1")
    assert len(asked(sessions[1])) == 1
    await hall.referee.close()


@in_loop
async def test_a_match_that_is_over_is_none_of_its_makers_any_more() -> None:
    hall = Hall()
    match_id, _ = await hall.begun(chosen={"heap": 1}, labels=REQUEST)
    assert hall.referee.count_unfinished("org") == 1
    await hall.played(match_id, 0, "1")
    assert hall.referee.count_unfinished("org") == 0
    await hall.referee.close()
