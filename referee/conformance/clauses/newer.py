"""The contract grows: what the bot does not know yet is no hindrance."""

from referee_api.v1 import play_pb2

from referee.conformance.clause import ANY_GAME, answered, first_board
from referee.conformance.stage import Stage

LATER_FIELD = 4_000
LATER_VALUE = 99
LENGTH_DELIMITED = 2


async def items_of_an_unknown_kind(stage: Stage) -> None:
    """An item of a kind that came into the contract later is passed over."""
    visit = await stage.visit()
    board = await first_board(visit, *ANY_GAME)
    turn = board.turn()
    visit.say_all(play_pb2.FromReferee.FromString(_later_field()), play_pb2.FromReferee(turn=turn))
    await answered(visit, board, turn)


async def unknown_fields(stage: Stage) -> None:
    """A turn with fields that came into the contract later is answered like any other."""
    visit = await stage.visit()
    board = await first_board(visit, *ANY_GAME)
    turn = board.turn()
    visit.say(turn=play_pb2.Turn.FromString(turn.SerializeToString() + _later_field()))
    await answered(visit, board, turn)


async def unknown_values(stage: Stage) -> None:
    """A notice of an unknown kind, an empty one and a verdict without an outcome are borne."""
    visit = await stage.visit()
    board = await first_board(visit, *ANY_GAME)
    later = play_pb2.Notice(kind=LATER_VALUE, message="this came later")  # type: ignore[arg-type]  # That is the point.
    turn = board.turn()
    visit.say_all(
        play_pb2.FromReferee(notice=later),
        play_pb2.FromReferee(notice=play_pb2.Notice()),
        play_pb2.FromReferee(verdict=play_pb2.Verdict(match_id=board.match_id, token="0.0.9")),
        play_pb2.FromReferee(turn=turn),
    )
    await answered(visit, board, turn)


def _later_field() -> bytes:
    """A field of a number that is not taken, with a text in it."""
    key, text = LATER_FIELD << 3 | LENGTH_DELIMITED, b"later"
    return bytes([key & 0x7F | 0x80, key >> 7 & 0x7F | 0x80, key >> 14, len(text)]) + text


STORIES = (items_of_an_unknown_kind, unknown_fields, unknown_values)
