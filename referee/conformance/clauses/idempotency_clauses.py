"""Clauses about repeated turns, disconnects, rejections, and items for turns and matches that are over."""

from asyncio import get_running_loop, sleep

from google.rpc.code_pb2 import Code
from referee_api.v1 import error_pb2, play_pb2

from referee.conformance.bot_match import ANY_GAME, ATTEMPTS, accepted, expect_legal_answer, new_match
from referee.conformance.bot_session import answers_turn
from referee.conformance.clause import require
from referee.conformance.kit_server import FIRST_VERSION, KitServer, unavailable
from referee.conformance.protocol_observer import MAX_RETRY_AFTER_MS, retry_after_ms
from referee.transport.wire.error_mapping import WireError, error_detail_of

RETRY_AFTER = "700"
NO_RETRY_AFTER = ("soon", str(MAX_RETRY_AFTER_MS + 1), "+5")
ENDED_RETRY_AFTER = "200"
"""Less than `QUIET_S`, in which the answer of a turn that has ended would be sent again."""
REPEATS = 8
NO_VERDICT_S = 1.2
"""How long a verdict is missing."""


async def repeated_turn(kit: KitServer) -> None:
    """A turn that is repeated (same token) after its answer gets the same answer each time."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    turn = match.turn()
    session.send(turn=turn)
    await expect_legal_answer(session, match, turn)
    for _ in range(REPEATS):
        session.send(turn=match.turn(repeated=True))
    for _ in range(REPEATS):
        await session.answer_to(turn)


async def disconnect_before_the_answer(kit: KitServer) -> None:
    """After a disconnect during a turn, the bot reconnects, and answers the turn when it is repeated, not before."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    session.send(turn=match.turn())
    session.end(unavailable("cut off"))
    again = await kit.session()
    turn = match.turn(repeated=True)
    await again.wait_until_read()
    again.send(turn=turn)
    await expect_legal_answer(again, match, turn)


async def disconnect_before_the_verdict(kit: KitServer) -> None:
    """After a disconnect before the verdict, with any status, the repeated turn gets the same answer."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    turn = match.turn()
    session.send(turn=turn)
    await expect_legal_answer(session, match, turn)
    for status in (None, WireError("TOO_MANY_CALLS", Code.RESOURCE_EXHAUSTED, "too many calls")):
        session.end(status)
        session = await kit.session()
        session.send(turn=match.turn(repeated=True))
        await session.answer_to(turn)


async def retry_after(kit: KitServer) -> None:
    """After a rejection with `retry_after_ms`, the bot sends the same answer again when this time has passed."""
    await _expect_retries(kit, RETRY_AFTER)


async def malformed_retry_after(kit: KitServer) -> None:
    """If `retry_after_ms` is not a number of at most 60000, the bot sends the same answer again after a second."""
    await _expect_retries(kit, *NO_RETRY_AFTER)


async def _expect_retries(kit: KitServer, *written: str) -> None:
    """Reject an answer with each of these times. The observer raises if one is sent again too early or changed."""
    session = await kit.session()
    turns = []
    for text in written:
        match = await new_match(session, *ANY_GAME)
        turns.append(match.turn())
        session.send(turn=turns[-1])
        await expect_legal_answer(session, match, turns[-1])
        session.reject(turns[-1], _not_stored(text), ATTEMPTS - 1)
    rejected_s = get_running_loop().time()
    for text, turn in zip(written, turns, strict=True):
        await session.answer_to(turn)
        late_s = get_running_loop().time() - rejected_s - retry_after_ms(text) / 1_000
        require(late_s < kit.promptness_s, f"after {text!r} it sent its answer again {late_s:.2f} s too late")


def _not_stored(wait: str) -> WireError:
    return WireError("STORE_UNAVAILABLE", Code.UNAVAILABLE, "it cannot be stored", {"retry_after_ms": wait})


async def same_version_after_reconnect(kit: KitServer) -> None:
    """After a reconnect, Hello names the version of the last Welcome."""
    session = await kit.session()
    welcomed = (await session.hello()).version or FIRST_VERSION
    await session.wait_until_handled()
    session.end(unavailable("cut off"))
    version = (await (await kit.session()).hello()).version
    require(version == welcomed, f"the Welcome had the version {welcomed!r}, and the next Hello {version!r}")


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


async def replaced_turn(kit: KitServer) -> None:
    """A turn with another token ends the turn of its seat before it: only the last one is answered."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    old = match.turn()
    match.start_new_attempt()
    new = match.turn()
    session.send_batch(play_pb2.RefereeItem(turn=old), play_pb2.RefereeItem(turn=new))
    await expect_legal_answer(session, match, new)
    await session.wait_until_read()


async def stale_answer(kit: KitServer) -> None:
    """The verdict `stale` ends its turn: nothing more is sent for it, and the next turn is answered."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    old = match.turn()
    session.send(turn=old)
    await expect_legal_answer(session, match, old)
    session.reject(old, _not_stored(ENDED_RETRY_AFTER), ATTEMPTS - 1)
    session.declare_stale(old)
    await session.wait_until_read()
    match.start_new_attempt()
    new = match.turn()
    session.send(turn=new)
    await expect_legal_answer(session, match, new)


async def repeated_verdict(kit: KitServer) -> None:
    """A repeated verdict is ignored, and so is one for a turn that is over."""
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
    session.reject(turn, _not_stored(ENDED_RETRY_AFTER), ATTEMPTS - 1)
    await session.wait_until_read()


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
    await sleep(NO_VERDICT_S)
    match.play(turn.seat, move.move)
    following = match.turn()
    session.send_batch(play_pb2.RefereeItem(verdict=accepted(move, match.ply)), play_pb2.RefereeItem(turn=following))
    await expect_legal_answer(session, match, following)


async def expired_turn(kit: KitServer) -> None:
    """A turn that expires in the message in which it arrives gets no answer; the next turn and other matches do."""
    session = await kit.session()
    match, other = await new_match(session, *ANY_GAME), await new_match(session, *ANY_GAME)
    expired, of_other = match.turn(), other.turn()  # They have the same token.
    played = match.position.moves(expired.seat)[0]
    match.play(expired.seat, played)
    following = match.turn()
    expiry = play_pb2.TurnExpired(match_id=expired.match_id, turn_token=expired.turn_token, substitute_move=played)
    session.send_batch(
        play_pb2.RefereeItem(turn=expired),
        play_pb2.RefereeItem(turn=of_other),
        play_pb2.RefereeItem(turn_expired=expiry),
        play_pb2.RefereeItem(turn=following),
    )
    await expect_legal_answer(session, match, following)
    await expect_legal_answer(session, other, of_other)
    await session.wait_until_read()


async def match_end_during_a_turn(kit: KitServer) -> None:
    """If a match ends in the message of a turn, for any seat, the turn gets no answer; other matches are answered."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    session.send_batch(
        play_pb2.RefereeItem(match_started=match.started()),
        play_pb2.RefereeItem(turn=match.turn()),
        play_pb2.RefereeItem(match_ended=match.ended(seat=1)),
        play_pb2.RefereeItem(match_ended=match.ended(seat=1)),
    )
    other = await new_match(session, *ANY_GAME)
    turn = other.turn()
    session.send(turn=turn)
    await expect_legal_answer(session, other, turn)
    await session.wait_until_read()


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
    rejected_move,
    replaced_turn,
    retry_after,
    malformed_retry_after,
    stale_answer,
    repeated_verdict,
    verdict_with_the_next_turn,
    expired_turn,
    match_end_during_a_turn,
    end_of_an_unknown_match,
    disconnect_before_the_answer,
    disconnect_before_the_verdict,
    same_version_after_reconnect,
)
