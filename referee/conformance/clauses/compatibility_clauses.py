"""Clauses about additions to the contract that the bot does not know."""

from referee_api.v1 import play_pb2

from referee.conformance.bot_match import ANY_GAME, expect_legal_answer, later_field, new_match
from referee.conformance.kit_server import KitServer

LATER_VALUE = 99


async def unknown_items(kit: KitServer) -> None:
    """An item of an unknown kind is ignored."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    turn = match.turn()
    session.send_batch(play_pb2.RefereeItem.FromString(later_field(5)), play_pb2.RefereeItem(turn=turn))
    await expect_legal_answer(session, match, turn)


async def unknown_fields(kit: KitServer) -> None:
    """A turn with unknown fields is answered."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    turn = match.turn()
    session.send(turn=play_pb2.Turn.FromString(turn.SerializeToString() + later_field(5)))
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


CLAUSES = (unknown_items, unknown_fields, unknown_values)
