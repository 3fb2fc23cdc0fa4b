"""Errors of games between processes: they arrive as they were raised."""

import pickle

import pytest

from engines.game_errors import (
    BadOption,
    DetailedError,
    IllegalMove,
    MalformedPosition,
    NotYourTurn,
    UnknownGame,
    unknown,
)
from referee.match.match_errors import BadSetup, ClockExpired


@pytest.mark.parametrize(
    "error",
    [
        UnknownGame("ludo", ["nim"], "nim"),
        BadOption("heap", 0, "at least 1"),
        MalformedPosition("x", "no"),
        IllegalMove("a1", "N-1", "no"),
        NotYourTurn(1, (0,)),
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


@pytest.mark.parametrize(
    ("given", "names", "sentence"),
    [
        ("huf", ["flying", "huff"], "unknown option 'huf'; known: flying, huff; did you mean huff?"),
        ("xyz", ["flying", "huff"], "unknown option 'xyz'; known: flying, huff"),
        ("xyz", [], "unknown option 'xyz'; known: none"),
    ],
)
def test_the_sentence_about_an_unknown_name_has_the_name_that_was_meant(
    given: str, names: list[str], sentence: str
) -> None:
    assert unknown("option", given, names) == sentence


def test_the_names_of_an_unknown_game_can_be_shown_in_another_form() -> None:
    assert str(UnknownGame("openspiel/hx", ["nim", "openspiel/hex"], "nim, openspiel/NAME")).endswith(
        "known: nim, openspiel/NAME; did you mean openspiel/hex?"
    )
