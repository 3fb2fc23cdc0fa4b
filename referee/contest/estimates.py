"""How strong the entrants of a tournament were, by all its results at once."""

from collections.abc import Iterator

from referee.contest.bradley_terry import strengths
from referee.contest.estimate import Estimate
from referee.contest.finish import Finish
from referee.contest.formats import Trial
from referee.contest.tournament import Tournament


def estimates(tournament: Tournament, until: int | None = None) -> dict[str, Estimate]:
    """Of everybody who has played, in every round or until one, in the order of the standings then.

    Above the average of the field, or above the opponent where there is only one. The superiority is that over the
    next in the standings, or over the only opponent; the last of several has nobody to be superior to: 0. A trial's is
    always that of its test as it is now.
    """
    if isinstance(tournament.terms.format, Trial):
        return _of_a_trial(tournament)
    order = [row.entrant for row in tournament.standings(until)]
    return strengths(_finishes(tournament, until)).table(order)


def _finishes(tournament: Tournament, until: int | None) -> Iterator[Finish[str]]:
    for course in tournament.courses.values():
        pairing = course.pairing
        if until is None or pairing.round <= until:
            sides = tuple(tuple(pairing.entrants[place] for place in side) for side in pairing.teams)
            for score in course.scores.values():
                yield Finish(sides, tuple(score.ranks[side[0]] for side in pairing.teams))


def _of_a_trial(tournament: Tournament) -> dict[str, Estimate]:
    """What the test says; it counts in its own way."""
    if not tournament.progress.sets or tournament.test is None:
        return {}
    first, second = tournament.entrants
    return {first: tournament.test.estimate, second: tournament.test.estimate.mirrored}
