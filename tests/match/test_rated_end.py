"""An end that changed ratings: the same end, and a match that holds the rating changes."""

from referee.match.commands import Resign
from referee.match.decide import decide
from referee.match.result import PlayerRating, RatingChange
from tests.match.match_fixture import GAMES, replay, started_match

CHANGES = (
    RatingChange(0, "bot0", "1.0", PlayerRating(1500, 250, 0, True), PlayerRating(1400, 220, 1, True)),
    RatingChange(1, "bot1", "1.0", PlayerRating(1500, 250, 0, True), PlayerRating(1600, 220, 1, True)),
)


def test_a_rated_end_follows_from_the_log() -> None:
    fixture = started_match()
    decided = decide(fixture.match, Resign(0), 5)
    rated = decided.rated(CHANGES)
    assert rated.match.ratings == CHANGES
    assert replay([*fixture.log, *rated.events], GAMES.__getitem__) == rated.match


def test_rating_changes_affect_only_the_rated_end() -> None:
    decided = decide(started_match().match, Resign(0), 5)
    assert decided.match.ratings == ()
    assert decided.rated(CHANGES) != decided
    assert decided.rated(CHANGES).rated(()) == decided
