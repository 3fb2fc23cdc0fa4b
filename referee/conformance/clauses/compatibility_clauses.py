"""Clauses about additions to the contract that the bot does not know."""

from referee_api.v1 import play_pb2

from referee.conformance.bot_match import ANY_GAME, expect_legal_answer, new_match
from referee.conformance.kit_server import KitServer

LATER_FIELD = 4_000
LATER_VALUE = 99
LENGTH_DELIMITED = 2


async def unknown_items(kit: KitServer) -> None:
    """An item of an unknown kind is ignored."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    turn = match.turn()
    session.send_batch(play_pb2.RefereeItem.FromString(_later_field()), play_pb2.RefereeItem(turn=turn))
    await expect_legal_answer(session, match, turn)


async def unknown_fields(kit: KitServer) -> None:
    """A turn with unknown fields is answered."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    turn = match.turn()
    session.send(turn=play_pb2.Turn.FromString(turn.SerializeToString() + _later_field()))
    await expect_legal_answer(session, match, turn)


async def unknown_values(kit: KitServer) -> None:
    """Notices of unknown kind, empty notices and verdicts without an outcome are ignored."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    later = play_pb2.Notice(kind=LATER_VALUE, message="this came later")  # type: ignore[arg-type]  # An unknown value on purpose.
    turn = match.turn()
    session.send_batch(
        play_pb2.RefereeItem(notice=later),
        play_pb2.RefereeItem(notice=play_pb2.Notice()),
        play_pb2.RefereeItem(verdict=play_pb2.Verdict(match_id=match.match_id, turn_token="0.0.9")),
        play_pb2.RefereeItem(turn=turn),
    )
    await expect_legal_answer(session, match, turn)


def _later_field() -> bytes:
    """Encode a string field with an unused number."""
    key, text = LATER_FIELD << 3 | LENGTH_DELIMITED, b"later"
    return bytes([key & 0x7F | 0x80, key >> 7 & 0x7F | 0x80, key >> 14, len(text)]) + text


CLAUSES = (unknown_items, unknown_fields, unknown_values)
