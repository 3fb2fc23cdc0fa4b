"""Clauses about repeated turns, disconnects, rejections, and items for turns and matches that are over."""

from asyncio import get_running_loop, timeout

from google.rpc.code_pb2 import Code
from referee_api.v1 import error_pb2, play_pb2

from referee.conformance.bot_match import ANY_GAME, ATTEMPTS, accepted, expect_legal_answer, new_match
from referee.conformance.bot_session import answers_turn
from referee.conformance.clause import require
from referee.conformance.kit_server import FIRST_VERSION, KitServer, unavailable
from referee.wire.error_mapping import WireError, error_detail_of

RETRY_AFTER_MS = 700
DEFAULT_RETRY_AFTER_MS = 1_000
LATE_S = 0.5
EARLY_S = 0.1
"""Tolerance, because the two processes read the clock at different times."""


async def repeated_turn(kit: KitServer) -> None:
    """A repeated turn (same token) gets the same answer again, or none."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    turn = match.turn()
    session.send(turn=turn)
    await expect_legal_answer(session, match, turn)
    for _ in range(8):
        session.send(turn=match.turn(repeated=True))
    await session.wait_until_read()
    answers = session.answers_to(turn)
    require(len(set(answers)) == 1, f"one token got different answers: {', '.join(answers)}")


async def disconnect_before_the_answer(kit: KitServer) -> None:
    """After a disconnect during a turn, the bot reconnects and answers the repeated turn."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    session.send(turn=match.turn())
    session.end(unavailable("cut off"))
    again = await kit.session()
    turn = match.turn(repeated=True)
    again.send(turn=turn)
    await expect_legal_answer(again, match, turn)


async def disconnect_before_the_verdict(kit: KitServer) -> None:
    """After a disconnect before the verdict, the repeated turn gets the same answer."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    turn = match.turn()
    session.send(turn=turn)
    first = await expect_legal_answer(session, match, turn)
    for _ in range(2):
        session.end(unavailable("cut off"))
        session = await kit.session()
        session.send(turn=match.turn(repeated=True))
        second = await expect_legal_answer(session, match, turn)
        require(second.move == first.move, f"one token got {first.move!r} and then {second.move!r}")


async def retry_after(kit: KitServer) -> None:
    """After a rejection with `retry_after_ms`, the bot sends the same answer again, but not before this time."""
    await _expect_retry(kit, str(RETRY_AFTER_MS), RETRY_AFTER_MS)


async def malformed_retry_after(kit: KitServer) -> None:
    """If `retry_after_ms` is no number, the bot sends the same answer again, but not within a second."""
    await _expect_retry(kit, "soon", DEFAULT_RETRY_AFTER_MS)


async def _expect_retry(kit: KitServer, written: str, wait_ms: int) -> None:
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    turn = match.turn()
    session.send(turn=turn)
    first = await expect_legal_answer(session, match, turn)
    error = WireError("STORE_UNAVAILABLE", Code.UNAVAILABLE, "it cannot be stored", {"retry_after_ms": written})
    rejected_at = get_running_loop().time()
    session.reject(turn, error, ATTEMPTS - 1)
    try:
        async with timeout(wait_ms / 1_000 + LATE_S):
            again = await session.answer_to(turn)
    except TimeoutError:  # It waits for the turn, which the referee repeats when it can store answers again.
        session.send(turn=match.turn(repeated=True))
        again = await session.answer_to(turn)
    waited_s = get_running_loop().time() - rejected_at
    require(again.move == first.move, f"it sent {first.move!r} and then {again.move!r}")
    require(waited_s > wait_ms / 1_000 - EARLY_S, f"it sent its answer again after {waited_s:.2f} s")


async def same_version_after_reconnect(kit: KitServer) -> None:
    """After a reconnect, Hello names the same version as before, or the version of the Welcome."""
    session = await kit.session()
    before = (await session.hello()).version
    session.end(unavailable("cut off"))
    session = await kit.session()
    after = (await session.hello()).version
    require(after in (before, before or FIRST_VERSION), f"its version was {before!r} and then {after!r}")


async def rejected_move(kit: KitServer) -> None:
    """After a rejected move with attempts left, the new token is answered, and the old one is not."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    old = match.turn()
    session.send(turn=old)
    move = await expect_legal_answer(session, match, old)
    match.start_new_attempt()
    new = match.turn()
    why = WireError(
        "ILLEGAL_MOVE", Code.FAILED_PRECONDITION, "the kit rejects it once", {"move": move.move, "rule": "kit"}
    )
    refused = play_pb2.Rejection(error=error_detail_of(why), attempts_left=2)
    item_id = next(item.item_id for item in session.received if answers_turn(item, old))
    verdict = play_pb2.Verdict(item_id=item_id, match_id=old.match_id, turn_token=old.turn_token)
    verdict.rejected.CopyFrom(refused)
    session.send_batch(play_pb2.RefereeItem(verdict=verdict), play_pb2.RefereeItem(turn=new))
    await expect_legal_answer(session, match, new)
    await session.wait_until_read()
    require(len(session.answers_to(old)) == 1, "the old token was answered again")


async def stale_answer(kit: KitServer) -> None:
    """The verdict `stale` is accepted, and the next turn is answered."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    old = match.turn()
    session.send(turn=old)
    await expect_legal_answer(session, match, old)
    match.start_new_attempt()
    new = match.turn()
    verdict = play_pb2.Verdict(
        match_id=old.match_id, turn_token=old.turn_token, stale=play_pb2.StaleAnswer(current_turn_token=new.turn_token)
    )
    session.send(verdict=verdict)
    session.send(turn=new)
    await expect_legal_answer(session, match, new)


async def repeated_verdict(kit: KitServer) -> None:
    """A repeated verdict is ignored."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    turn = match.turn()
    session.send(turn=turn)
    move = await expect_legal_answer(session, match, turn)
    match.play(turn.seat, move.move)
    verdict = accepted(move, match.ply)
    session.send(verdict=verdict)
    verdict.repeated = True
    following = match.turn()
    session.send_batch(play_pb2.RefereeItem(verdict=verdict), play_pb2.RefereeItem(turn=following))
    await expect_legal_answer(session, match, following)


async def verdict_with_the_next_turn(kit: KitServer) -> None:
    """Until a verdict arrives with the next turn, other matches are answered, and the answer is not repeated."""
    session = await kit.session()
    match, other = await new_match(session, *ANY_GAME), await new_match(session, *ANY_GAME)
    turn = match.turn()
    session.send(turn=turn)
    move = await expect_legal_answer(session, match, turn)
    between = other.turn()
    session.send(turn=between)
    await expect_legal_answer(session, other, between)
    await session.wait_until_read()
    require(len(session.answers_to(turn)) == 1, "the answer was repeated before its verdict arrived")
    match.play(turn.seat, move.move)
    following = match.turn()
    session.send_batch(play_pb2.RefereeItem(verdict=accepted(move, match.ply)), play_pb2.RefereeItem(turn=following))
    await expect_legal_answer(session, match, following)


async def expired_turn(kit: KitServer) -> None:
    """After TurnExpired, the expired turn needs no answer, and the next turn is answered."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    expired = match.turn()
    played = match.position.moves(expired.seat)[0]
    match.play(expired.seat, played)
    following = match.turn()
    expiry = play_pb2.TurnExpired(match_id=expired.match_id, turn_token=expired.turn_token, substitute_move=played)
    session.send_batch(
        play_pb2.RefereeItem(turn=expired),
        play_pb2.RefereeItem(turn_expired=expiry),
        play_pb2.RefereeItem(turn=following),
    )
    await expect_legal_answer(session, match, following)


async def match_end_during_a_turn(kit: KitServer) -> None:
    """A match may end during a turn, its end may be repeated, and turns of other matches are answered."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    session.send_batch(
        play_pb2.RefereeItem(match_started=match.started()),
        play_pb2.RefereeItem(turn=match.turn()),
        play_pb2.RefereeItem(match_ended=match.ended()),
        play_pb2.RefereeItem(match_ended=match.ended()),
    )
    other = await new_match(session, *ANY_GAME)
    turn = other.turn()
    session.send(turn=turn)
    await expect_legal_answer(session, other, turn)


async def end_of_an_unknown_match(kit: KitServer) -> None:
    """Items about matches that this process does not know are ignored."""
    session = await kit.session()
    unknown, match = await new_match(session, *ANY_GAME), await new_match(session, *ANY_GAME)
    expiry = play_pb2.TurnExpired(match_id=unknown.match_id, turn_token="0.0.1")
    session.send_batch(play_pb2.RefereeItem(match_ended=unknown.ended()), play_pb2.RefereeItem(turn_expired=expiry))
    refusal = error_pb2.ErrorDetail(reason=error_pb2.ERROR_REASON_MATCH_OVER, message="it is over")
    session.send(verdict=play_pb2.Verdict(match_id=unknown.match_id, rejected=play_pb2.Rejection(error=refusal)))
    turn = match.turn()
    session.send(turn=turn)
    await expect_legal_answer(session, match, turn)


CLAUSES = (
    repeated_turn,
    disconnect_before_the_answer,
    disconnect_before_the_verdict,
    same_version_after_reconnect,
    rejected_move,
    retry_after,
    malformed_retry_after,
    stale_answer,
    repeated_verdict,
    verdict_with_the_next_turn,
    expired_turn,
    match_end_during_a_turn,
    end_of_an_unknown_match,
)
