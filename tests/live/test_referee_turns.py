"""Turns and their answers: each answer is one move, each verdict is final, and a takeover delays nobody."""

import asyncio
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import structs
from referee_values import IllegalMovePolicy, NetworkCredit, Policies

from engines.api import REFEREE
from referee.cluster.shared_matches import SharedMatches
from referee.live.loop_lag import INTERVAL_US, MIN_LAG_US
from referee.live.match_request import LiveLimits
from referee.live.outbox import TurnExpired, TurnNotice
from referee.live.ports import StoreUnavailable
from referee.live.queued_command import MatchMoving
from referee.live.runner import FIRST_RETRY_US
from referee.live.sessions import Session
from referee.live.submit import VERDICT_READ_BATCH, AttemptRefused, LateAnswer, seat_of
from referee.match.clock import MS, SECOND, Micros, Untimed
from referee.match.clock_charge import ClockCharge
from referee.match.match_errors import (
    DrawNotClaimable,
    MatchOver,
    NoSuchSeat,
    NotAllowedNow,
    RequestIdReused,
    StaleTurn,
)
from tests.live.fake_time import settle
from tests.live.referee_harness import BOTS, MANY_MATCHES, RefereeHarness, drain_outbox, drain_turns, filter_by_type
from tests.live.runner_harness import in_loop
from tests.live.test_match_timing import Machine


async def test_a_move_is_accepted_and_the_next_seat_gets_its_turn(harness: RefereeHarness) -> None:
    match_id, sessions = await harness.start_match()
    drain_outbox(sessions[1])
    answered = await harness.submit_move(match_id, 0, "2")
    assert (answered.number, answered.ply, answered.result, answered.repeated) == (3, 0, None, False)
    assert drain_outbox(sessions[1]) == [TurnNotice(match_id, 1)]
    due = harness.turn_due(match_id, 1)
    assert (due.seat, due.position, due.view()) == (1, "19 1", {"heap": 19, "to_move": 1})
    assert due.moves_since() == [(0, "2")]
    assert due.legal_moves(2).listed == ("1", "2")
    assert due.legal_moves(2).count == 3
    assert (due.attempts_left, due.offers, due.sealed) == (3, (), False)
    assert harness.referee.turn_due(match_id, 0) is None


async def test_a_turn_lists_the_moves_since_the_last_turn_or_all_moves(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match()
    for move in "123":
        await harness.submit_move(
            match_id, int(harness.turn_due(match_id, 0).seat if harness.referee.turn_due(match_id, 0) else 1), move
        )
    due = harness.turn_due(match_id, 1)
    assert due.moves_since() == [(0, "3")]
    assert due.moves_since(all_moves=True) == [(0, "1"), (1, "2"), (0, "3")]


async def test_simultaneous_choices_are_sealed(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match("fingers")
    await harness.submit_move(match_id, 0, "3")
    due = harness.turn_due(match_id, 1)
    assert due.sealed
    assert due.moves_since() == [(0, "?")]
    assert "3?" not in due.position
    await harness.submit_move(match_id, 1, "2")
    assert harness.turn_due(match_id, 2).sealed, "the last who chooses does not see the others' choices either"


async def test_a_turn_contains_the_clock_of_every_seat(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match(credit=NetworkCredit(per_move_ms=100, per_match_ms=1_000))
    await harness.time.advance(3 * SECOND)
    due = harness.turn_due(match_id, 0)
    assert due.left_us == 7 * SECOND + 100 * MS
    own, other = due.clocks
    assert (own.running, own.used_us, own.credit_left_us) == (True, 3 * SECOND, SECOND)
    assert (other.running, other.used_us, other.left_us) == (False, 0, 10 * SECOND)
    untimed, _ = await harness.start_match(controls=(Untimed(),))
    assert harness.turn_due(untimed, 0).left_us is None


async def test_turns_are_listed_in_the_order_of_their_deadlines(harness: RefereeHarness) -> None:
    untimed, _ = await harness.start_match(controls=(Untimed(),))
    early = await harness.create()
    await harness.time.advance(SECOND)
    late = await harness.create()
    due = await harness.referee.due_turns("bot0")
    assert [turn.match.setup.match_id for turn in due] == [early, late, untimed]
    assert [turn.repeated for turn in due] == [False] * 3
    assert [turn.repeated for turn in await harness.referee.due_turns("bot0", late)] == [True]
    assert await harness.referee.due_turns("bot1") == []


async def test_concurrent_identical_answers_are_one_move(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match()
    answers = await asyncio.gather(*(harness.referee.submit(match_id, 0, "0.0.1", "2", "r") for _ in range(5)))
    assert [answered.repeated for answered in answers] == [False, True, True, True, True]
    assert (await harness.match(match_id)).ply == 1


async def test_a_request_id_stays_known_during_and_after_the_match_and_after_a_restart(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match(chosen={"heap": 6})
    first = await harness.referee.submit(match_id, 0, "0.0.1", "2", "r1")
    await harness.submit_move(match_id, 1, "1")
    await harness.submit_move(match_id, 0, "1", request_id="r2")
    again = [await harness.referee.submit(match_id, 0, "0.0.1", "2", "r1")]
    harness = await harness.restart_and_recover()
    again.append(await harness.referee.submit(match_id, 0, "0.0.1", "2", "r1"))
    harness.connect(*BOTS[:2])
    await settle()
    last = await harness.submit_move(match_id, 1, "2", request_id="r1")
    assert last.result
    again.append(await harness.referee.submit(match_id, 0, "0.0.1", "2", "r1"))
    with pytest.raises(RequestIdReused):
        await harness.referee.submit(match_id, 0, "0.2.1", "1", "r1")
    assert again == [structs.replace(first, repeated=True)] * 3
    repeated_win = await harness.referee.submit(match_id, 1, "1.3.1", "2", "r1")
    assert (repeated_win.repeated, repeated_win.result, repeated_win.ply) == (True, last.result, 3)
    repeated_by_token = await harness.referee.submit(match_id, 1, "1.3.1", "2")
    assert repeated_by_token == repeated_win
    for seat, token, request_id in ((0, "0.0.1", ""), (9, "0.0.1", ""), (1, "1.3.1", ""), (1, "1.3.1", "new")):
        with pytest.raises(MatchOver):
            await harness.referee.submit(match_id, seat, token, "9", request_id)


async def test_a_repeated_answer_reads_a_few_entries_and_not_the_whole_log(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match(chosen={"heap": 100})
    first = last = await harness.submit_move(match_id, 0, "1", request_id="r1")
    for ply in range(1, 60):
        await harness.time.advance(MS)
        last = await harness.submit_move(match_id, ply % 2, "1", request_id=f"r{ply}")
    assert not harness.log.entries_read
    assert await harness.referee.submit(match_id, 0, "0.0.1", "1", "r1") == structs.replace(first, repeated=True)
    assert await harness.referee.submit(match_id, 1, "1.59.1", "1") == structs.replace(last, repeated=True)
    assert harness.log.entries_read <= 2 * VERDICT_READ_BATCH


async def test_a_repeated_answer_reports_the_end_that_followed_after_moves_of_a_policy(harness: RefereeHarness) -> None:
    continue_without = Policies(forfeit_effect="default_moves")
    harness.connect(*BOTS)
    match_id = await harness.create("stones", chosen={"heap": 6, "seats": 4}, players=BOTS, policies=continue_without)
    for seat in (1, 2):
        await harness.referee.resign(match_id, seat)
    first = await harness.submit_move(match_id, 0, "1")
    assert (await harness.event_kinds(match_id))[-4:] == ["MovePlayed", "MovePlayed", "MovePlayed", "PlayEnded"]
    assert first.result
    assert await harness.referee.submit(match_id, 0, "0.0.1", "1") == structs.replace(first, repeated=True)


async def test_a_failed_attempt_reports_the_attempts_left_and_so_does_its_repetition(harness: RefereeHarness) -> None:
    match_id, sessions = await harness.start_match()
    drain_outbox(sessions[0])
    for again in (False, True):
        with pytest.raises(AttemptRefused) as illegal:
            await harness.referee.submit(match_id, 0, "0.0.1", "9", "r1")
        assert (illegal.value.reason, illegal.value.attempts_left, illegal.value.repeated) == ("ILLEGAL_MOVE", 2, again)
        assert illegal.value.details["rule"] == "NIM-1"
    assert drain_turns(sessions[0]) == [TurnNotice(match_id, 0)]
    with pytest.raises(AttemptRefused) as malformed:
        await harness.submit_move(match_id, 0, "all")
    assert (malformed.value.reason, malformed.value.attempts_left) == ("MALFORMED_MOVE", 1)
    assert harness.turn_due(match_id, 0).attempts_left == 1


async def test_validating_a_move_plays_nothing_and_costs_no_attempt(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match()
    assert await harness.referee.validate(match_id, 0, "0.0.1", "3") == 2
    with pytest.raises(AttemptRefused) as refused:
        await harness.referee.validate(match_id, 0, "0.0.1", "9")
    assert refused.value.attempts_left == 3
    with pytest.raises(StaleTurn):
        await harness.referee.validate(match_id, 1, "0.0.1", "1")
    assert await harness.event_kinds(match_id) == ["MatchCreated", "PlayStarted"]
    await harness.submit_move(match_id, 0, "1")
    assert await harness.referee.validate(match_id, 0, "0.0.1", "1") == 3


async def test_validating_an_answer_that_was_given_returns_its_verdict(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match(policies=Policies(timeout="random_move"))
    for call in (harness.referee.submit, harness.referee.validate):
        with pytest.raises(AttemptRefused) as refused:
            await call(match_id, 0, "0.0.1", "9")
        assert refused.value.attempts_left == 2
    await harness.time.advance(11 * SECOND)
    for call in (harness.referee.submit, harness.referee.validate):
        with pytest.raises(LateAnswer) as late:
            await call(match_id, 0, "0.0.2", "1")
        assert late.value.row.late


async def test_an_answer_after_the_flag_fall_is_late_and_so_is_its_repetition(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match(policies=Policies(timeout="random_move"))
    harness.time.us += 11 * SECOND
    with pytest.raises(LateAnswer) as late:
        await harness.referee.submit(match_id, 0, "0.0.1", "1")
    assert late.value.row.charged_us == 11 * SECOND
    assert late.value.details["match_id"] == match_id
    with pytest.raises(LateAnswer) as again:
        await harness.referee.submit(match_id, 0, "0.0.1", "1")
    assert (late.value.repeated, again.value.repeated) == (False, True)


async def test_a_turn_played_by_a_policy_expires_with_the_clock_charge(harness: RefereeHarness) -> None:
    match_id, sessions = await harness.start_match(policies=Policies(timeout="default_move"))
    drain_outbox(*sessions)
    await harness.time.advance(10 * SECOND + 1)
    (expired,) = drain_outbox(sessions[0])
    assert isinstance(expired, TurnExpired)
    assert (expired.token, expired.played_instead) == ("0.0.1", "1")
    assert expired.row
    assert expired.row.late
    assert drain_turns(sessions[1]) == [TurnNotice(match_id, 1)]
    harness.referee.sessions.close(sessions[1])
    await harness.time.advance(10 * SECOND + 1)
    assert len(filter_by_type(drain_outbox(sessions[0]), TurnNotice)) == 1


async def test_a_turn_expires_after_its_last_attempt_and_after_a_resignation(harness: RefereeHarness) -> None:
    match_id, sessions = await harness.start_match(
        policies=Policies(illegal_move=IllegalMovePolicy(action="random_move"))
    )
    drain_outbox(sessions[0])
    with pytest.raises(AttemptRefused):
        await harness.submit_move(match_id, 0, "9")
    assert [type(item) for item in drain_outbox(sessions[0])] == [TurnExpired]
    many, sessions = await harness.start_match("fingers", policies=Policies(forfeit_effect="random_moves"))
    drain_outbox(sessions[1])
    await harness.referee.resign(many, 1)
    (expired,) = drain_outbox(sessions[1])
    assert isinstance(expired, TurnExpired)
    assert expired.row is None


async def test_a_draw_offer_sends_the_turn_again(harness: RefereeHarness) -> None:
    match_id, sessions = await harness.start_match()
    drain_outbox(sessions[0])
    assert not harness.turn_due(match_id, 0).repeated
    await harness.referee.offer_draw(match_id, 1)
    assert drain_turns(sessions[0]) == [TurnNotice(match_id, 0)]
    assert (harness.turn_due(match_id, 0).offers, harness.turn_due(match_id, 0).repeated) == ((1,), True)
    await harness.referee.decline_draw(match_id, 0)
    assert harness.turn_due(match_id, 0).offers == ()
    with pytest.raises(DrawNotClaimable):
        await harness.referee.claim_draw(match_id, 0)
    await harness.submit_move(match_id, 0, "1", offers_draw=True)
    done = await harness.referee.offer_draw(match_id, 1)
    assert done.result
    assert done.number == (await harness.match(match_id)).number


async def test_an_answer_without_a_seat_or_before_the_start_is_rejected(harness: RefereeHarness) -> None:
    waiting = await harness.create()
    with pytest.raises(NotAllowedNow):
        await harness.referee.submit(waiting, 0, "0.0.1", "1")
    with pytest.raises(NoSuchSeat):
        await harness.referee.submit(waiting, 5, "5.0.1", "1")
    await harness.referee.close()
    with pytest.raises(MatchMoving):
        await harness.referee.submit(waiting, 0, "0.0.1", "1")


async def test_the_position_of_a_turn_is_redacted_for_its_seat(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match("toc", players=BOTS)
    position = (await harness.match(match_id)).require_position()
    seat = position.owing[0]
    assert harness.turn_due(match_id, seat).position == position.text(seat) != position.text(REFEREE)
    await harness.submit_move(match_id, seat, position.moves(seat)[0])


@pytest.mark.parametrize(("token", "seat"), [("3.0.1", 3), ("", None), ("x.1", None), ("12", None), ("9999.1.1", None)])
def test_a_token_names_its_seat(token: str, seat: int | None) -> None:
    assert seat_of(token) == seat


async def test_a_turn_whose_answer_could_not_be_written_is_sent_again_when_the_log_is_available(
    harness: RefereeHarness,
) -> None:
    match_id, (first, second) = await harness.start_match()
    assert (len(drain_turns(first)), drain_turns(second)) == (1, [])
    harness.log.make_unavailable()
    with pytest.raises(StoreUnavailable):
        await harness.submit_move(match_id, 0, "1")
    assert drain_turns(first) == []
    harness.log.make_available()
    await harness.time.advance(FIRST_RETRY_US)
    assert (drain_turns(first), drain_turns(second)) == ([TurnNotice(match_id, 0)], [])
    assert (await harness.submit_move(match_id, 0, "1")).number == (await harness.match(match_id)).number


LIMITS = LiveLimits(return_within_us=50 * MS)
TIMES = st.integers(20, 3_000).map(lambda ms: ms * MS)
THINKING = st.integers(1, 80).map(lambda ms: ms * MS)
STEPS = st.one_of(
    st.tuples(st.just("think"), THINKING),
    st.tuples(st.sampled_from(["stall", "own", "others"]), TIMES),
    st.sampled_from([("connect", 0), ("leave", 0)]),
)
Steps = list[tuple[str, Micros]]


class TakenOver:
    """A process that takes over a match with a turn of the first seat, and what happens until its bot answers.

    `served_us` is the time in which it can serve, or which requests of the bot's own holder take, by plain sums.
    """

    def __init__(self, before: RefereeHarness, **around: Any) -> None:
        """`around`: fields of MatchSurroundings."""
        self.machine = Machine(before.time)
        self.harness = RefereeHarness(after=before, lag=self.machine.lag, limits=LIMITS, **around)
        self.sessions: list[Session] = []
        self.served_us = 0

    async def do(self, steps: Steps) -> None:
        for name, us in steps:
            await getattr(self, name)(us)
            await self.harness.time.advance(0)

    async def think(self, us: Micros) -> None:
        await self.harness.time.advance(us)
        self.served_us += us

    async def stall(self, us: Micros) -> None:
        self.machine.run_step("", 0, blocked_us=us)
        self.served_us += INTERVAL_US + MIN_LAG_US

    async def own(self, us: Micros) -> None:
        self.machine.run_step("ada", us)
        self.served_us += us

    async def others(self, us: Micros) -> None:
        self.machine.run_step("bob", us)
        self.served_us += INTERVAL_US + MIN_LAG_US

    async def connect(self, _: Micros = 0) -> None:
        self.sessions.append(self.harness.referee.sessions.open(BOTS[0], MANY_MATCHES, "ada"))

    async def leave(self, _: Micros) -> None:
        for session in self.sessions:
            self.harness.referee.sessions.close(session)
        self.sessions.clear()


async def answer(process: TakenOver, match_id: str) -> ClockCharge:
    """Let the bot answer by a call, connected or not; return the charge."""
    token = (await process.harness.match(match_id)).owing[0].token
    await process.harness.referee.submit(match_id, 0, token, "1", arrival=process.machine.lag.arrival("ada"))
    (row,) = await process.harness.move_rows(match_id)
    return row


@settings(max_examples=40, deadline=None)
@given(st.lists(STEPS, max_size=6), st.lists(STEPS, max_size=6), st.booleans())
@example([("own", 3 * SECOND)], [("think", 80 * MS), ("stall", 3 * SECOND)], True)
@example([("own", 3 * SECOND)], [("think", 80 * MS), ("connect", 0), ("stall", 3 * SECOND)], True)
@example([("own", 3 * SECOND)], [("think", 80 * MS), ("stall", 3 * SECOND), ("connect", 0)], True)
@example([("own", 3 * SECOND), ("connect", 0)], [("think", 80 * MS), ("stall", 3 * SECOND)], False)
def test_time_in_which_the_referee_could_not_serve_is_charged_to_no_bot(
    before: Steps, after: Steps, restarted: bool
) -> None:
    @in_loop
    async def play() -> None:
        harness = RefereeHarness()
        match_id, _ = await harness.start_match(controls=(Untimed(),))
        if restarted:
            await harness.referee.close()
        process = TakenOver(harness) if restarted else TakenOver(harness, connect=SharedMatches)
        await process.do(before)
        if isinstance(process.harness.live.others, SharedMatches):
            await process.harness.live.others.follow(match_id, (), began=False)
        else:
            await process.harness.referee.recover()
        process.served_us = 0
        await process.do(after)
        row = await answer(process, match_id)
        assert row.charged_us <= process.served_us

    play()


@pytest.mark.parametrize("known", [True, False])
async def test_lag_that_its_holder_causes_after_a_bot_is_back_is_charged_to_it(
    harness: RefereeHarness, known: bool
) -> None:
    match_id, _ = await harness.start_match(controls=(Untimed(),))
    await harness.referee.close()
    process = TakenOver(harness)
    await process.do([("connect", 0)] if known else [])
    await process.harness.referee.recover()
    await process.do([("think", 100 * MS), ("connect", 0), ("own", 2 * SECOND)])
    row = await answer(process, match_id)
    assert row.charged_us >= 2 * SECOND


def test_what_a_process_computed_before_it_served_delays_nobody_later() -> None:
    machine = Machine(started_after_us=3 * SECOND)
    machine.time.us += INTERVAL_US
    machine.run_step("ada", 20 * MS, blocked_us=3 * SECOND)
    (ada, other) = machine.credits("ada", "bob")
    assert (ada, other) == (3 * SECOND, 3 * SECOND + 20 * MS)
