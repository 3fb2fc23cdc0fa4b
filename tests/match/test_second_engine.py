"""A match beside a second engine: a difference is a fault of the engines, and no bot loses by it."""

from engines.second.checked_game import CheckedGame
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import StartPlay, SubmitMove
from referee.match.decide import decide
from referee.match.events import MatchCreated, PlayEnded
from referee.match.match_terms import MatchTerms
from referee.match.result import EndCause, EndKind
from referee.match.state import MatchPhase, create_match
from tests.engines.second.planted import SecondNim
from tests.match.match_fixture import match_setup
from tests.third_party_games.third_party_games import NIM


def test_a_difference_makes_the_match_void_with_all_that_shows_it() -> None:
    game = CheckedGame(NIM, SecondNim("text"), lambda: 0)
    match = create_match(MatchCreated(0, match_setup(chosen={"heap": 7})), game)
    match = decide(match, StartPlay(), 0).match
    refused = decide(match, SubmitMove(0, "0.0.1", "8", TurnMeasurement(1)), 1)
    assert (refused.match.phase, refused.fault) == (MatchPhase.PLAYING, None)
    ended = decide(match, SubmitMove(0, "0.0.1", "3", TurnMeasurement(1)), 1)
    (end,) = ended.events
    assert isinstance(end, PlayEnded)
    assert (end.result.kind, end.result.cause, end.ratings) == (EndKind.VOID, EndCause.ENGINE_FAULT, ())
    headline = "EngineDifference: the engines nim and planted differ at ply 1 in the text for the referee"
    assert end.result.reason.splitlines() == [
        headline,
        "position before: 7 0",
        "move: seat 0, '3'",
        "position: 4 1",
        "nim: 4 1",
        "planted: 4 1 ?",
    ]
    assert end.result.headline == headline
    assert str(end.result) == f"void, engine_fault ({headline})"


def test_terms_without_a_second_engine_have_an_empty_name() -> None:
    settings = NIM.settings()
    assert MatchTerms("nim", settings).checked_by == ""
    assert MatchTerms("nim", settings, second_engine="other").checked_by == "other"
