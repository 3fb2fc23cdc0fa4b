"""An end that changed ratings: the same end, and a match that holds the rating changes."""

from referee.match.commands import Resign
from referee.match.decide import decide
from referee.match.result import PlayerRating, RatingChange
from tests.match.match_fixture import GAMES, begun, replay

CHANGES = (
    RatingChange(0, "bot0", "1.0", PlayerRating(1500, 250, 0, True), PlayerRating(1400, 220, 1, True)),
    RatingChange(1, "bot1", "1.0", PlayerRating(1500, 250, 0, True), PlayerRating(1600, 220, 1, True)),
)


def test_a_rated_end_is_what_its_log_tells() -> None:
    sitting = begun()
    decided = decide(sitting.match, Resign(0), 5)
    rated = decided.rated(CHANGES)
    assert rated.match.ratings == CHANGES
    assert replay([*sitting.log, *rated.events], GAMES.__getitem__) == rated.match


def test_ratings_change_nothing_else() -> None:
    decided = decide(begun().match, Resign(0), 5)
    assert decided.match.ratings == ()
    assert decided.rated(CHANGES) != decided
    assert decided.rated(CHANGES).rated(()) == decided
