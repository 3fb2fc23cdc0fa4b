"""Scores that bots send with their moves, on a real server: who sees them, and what they end."""

from typing import Any

import grpc
import pytest
from referee_api.v1 import play_pb2, policy_pb2, result_pb2

from tests.e2e.call_errors import parse_error
from tests.e2e.conftest import organiser, server
from tests.e2e.organiser import Organiser, entries_of

pytestmark = pytest.mark.slow

__all__ = ["organiser", "server"]
"""Fixtures of this module."""

ADJUDICATION = policy_pb2.Adjudication(resign_score=300, resign_moves=1)


def scores_seen(organiser: Organiser, match_id: str, seat: int | None) -> list[int | None]:
    """Return the scores of the moves of a finished match as a seat or a spectator sees them."""
    fields: dict[str, Any] = {"match_id": match_id, "after_number": 0}
    call = organiser.call("MatchService/WatchMatch", **fields)
    if seat is not None:
        call = organiser.call_as_bot(seat, "MatchService/WatchMatch", **fields)
    moves = [entry.move_played for watched in call for entry in entries_of(watched) if entry.HasField("move_played")]
    return [move.score if move.HasField("score") else None for move in moves]


def test_scores_of_both_bots_end_a_match_and_are_seen_by_nobody_else(organiser: Organiser) -> None:
    match_id = organiser.start_match(adjudication=ADJUDICATION)
    terms = organiser.call("MatchService/GetMatch", match_id=match_id).match.terms
    assert terms.adjudication == ADJUDICATION

    first = organiser.next_turn(0)
    assert not organiser.submit_move(first, first.legal_moves[0], score=345).HasField("result")
    second = organiser.next_turn(1)
    assert "345" not in str(second)
    move = play_pb2.Move(match_id=match_id, turn_token=second.turn_token, move=second.legal_moves[0], score=-345)
    organiser.connection(1).send(move=move)
    for seat, rank in ((0, 1), (1, 2)):
        result = organiser.connection(seat).receive("match_ended").result
        assert result.played == result_pb2.PlayedResult(ending=result_pb2.ENDING_ADJUDICATION, reason="resign_score")
        assert result.seats[seat].rank == rank

    assert scores_seen(organiser, match_id, None) == [None, None]
    assert scores_seen(organiser, match_id, 0) == [345, None]
    assert scores_seen(organiser, match_id, 1) == [None, -345]
    record = "".join(
        line for part in organiser.call("MatchService/GetRecord", match_id=match_id) for line in part.lines
    )
    assert '"score":345' in record
    assert '"score":-345' in record


@pytest.mark.parametrize(
    "adjudication",
    [
        policy_pb2.Adjudication(resign_score=300),
        policy_pb2.Adjudication(draw_moves=1_000_000),
        policy_pb2.Adjudication(max_plies=4_000_000_000),
    ],
)
def test_terms_that_cannot_be_are_rejected(organiser: Organiser, adjudication: policy_pb2.Adjudication) -> None:
    with pytest.raises(grpc.RpcError) as error:
        organiser.create_match(adjudication=adjudication)
    rejected = parse_error(error.value)
    assert rejected.reason == "BAD_FIELD"
    assert "adjudication" in rejected.sentence
