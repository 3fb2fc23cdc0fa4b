"""Long computations for a call run outside of the event loop, and within a time limit."""

from pathlib import Path

import pytest
from referee_api.v1 import game_pb2

from engines.api import REFEREE
from engines.registry import games
from tests.e2e.call_errors import assert_refused
from tests.e2e.organiser import server_with_organiser

pytestmark = pytest.mark.slow

TROKE = game_pb2.Rules(game="troke")
COMPUTE_MS = 40
"""Eight times what a worker process takes for its first position of Alquerque."""
MOVES = 1_900


def long_opening() -> game_pb2.Opening:
    """Return a long game of Troke, which takes many times as long as the limit.

    Systems measure CPU time in ticks of several milliseconds, and a tick may miss a process on a busy machine.
    """
    rules = games()["troke"]
    position = rules.start(rules.settings(), bytes(32))
    opening = game_pb2.Opening(position=position.text(REFEREE))
    while len(opening.moves) < MOVES:
        seat = position.owing[0]
        moves = position.moves(seat)
        move = moves[len(moves) // 2]
        position = position.play(seat, move)
        opening.moves.add(seat=seat, move=move)
    return opening


def test_a_request_that_takes_too_long_is_rejected_and_the_next_one_is_answered(tmp_path: Path) -> None:
    opening = long_opening()
    with server_with_organiser(tmp_path, "--ephemeral", "--max-compute-ms", str(COMPUTE_MS)) as organiser:
        for method, request in (
            ("GameService/ReadPosition", {"rules": TROKE, "opening": opening}),
            ("MatchService/CreateMatch", {**organiser.match_request(TROKE), "opening": opening, "seats": []}),
        ):
            assert_refused("TOO_EXPENSIVE", organiser.call, method, **request)
        read = organiser.call("GameService/ReadPosition", rules={"game": "alquerque"}, max_legal_moves=9)
        assert len(read.seats_to_move[0].legal_moves) == read.seats_to_move[0].legal_move_count
