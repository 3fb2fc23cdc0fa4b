"""Errors of games between processes: they arrive as they were raised."""

import pickle

import pytest

from engines.game_errors import BadOption, DetailedError, IllegalMove, MalformedPosition, NotYourTurn, UnknownGame
from engines.second.second_registry import UnknownSecondEngine
from referee.match.match_errors import BadSetup, ClockExpired


@pytest.mark.parametrize(
    "error",
    [
        UnknownGame("ludo", "nim"),
        BadOption("heap", 0, "at least 1"),
        MalformedPosition("x", "no"),
        IllegalMove("a1", "N-1", "no"),
        NotYourTurn(1, (0,)),
        UnknownSecondEngine("nim", "x", "planted"),
        BadSetup("players", "must be {two}"),
        ClockExpired({"charged_us": "1"}),
        DetailedError("A sentence.", game="nim"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_is_the_same_after_pickling(error: DetailedError) -> None:
    arrived = pickle.loads(pickle.dumps(error))
    assert type(arrived) is type(error)
    assert (str(arrived), arrived.details) == (str(error), error.details)
