"""An SPRT trial: counts sets of two entrants until the test is decided or the matches are used up.

Several sets may be in play at once. They are counted in the order of planning, not of completion: fast matches may be
won more often than slow ones, and a test that counted them first would be biased. A finished set therefore waits for
all sets before it, and sets after the deciding one do not count.

Sets in which bots only repeat games that they have played before do not count either. If nothing else follows for long
enough, the test ends undecided.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace
from referee_values import SprtVerdict

from referee.contests.pairing import GameKey, Pairing
from referee.contests.pairing_progress import PairingProgress
from referee.contests.strength.elo import (
    EloEstimate,
    OutcomeCounts,
    estimate_from_counts,
    estimate_from_scores,
    no_outcomes,
)
from referee.contests.strength.sprt_evaluation import NO_POINTS, SeatPoints, decide_sprt, evaluate_sprt
from referee.contests.tournament.tournament_terms import SprtTrial

DEFAULT_READY_MATCHES = 16
"""Number of matches kept ready if there is no limit on concurrent matches."""

MIN_REPEATED_MATCHES = 20
"""Number of repeated matches in succession that end a test, if they are at least as many as its different games."""

MAX_AHEAD_FACTOR = 4
"""Limit of uncounted sets, as a multiple of the matches kept ready, while a slow set delays counting."""


class TrialProgress(Struct, frozen=True, gc=False):
    """What has been counted so far."""

    sets: int = 0
    counts: tuple[int, ...] = ()
    """Frequency of each outcome, from the worst for the first entrant to the best: three or five numbers.

    Empty before anything has been counted, and with more than two sides.
    """
    set_scores: tuple[float, ...] = ()
    """The first entrant's score in each set, from 0 to 1, if there are more than two sides."""
    verdict: SprtVerdict = "open"
    seats: SeatPoints = NO_POINTS
    """Points of the first entrant in counted matches."""
    games: frozenset[GameKey] = frozenset()
    """All different games of counted sets."""
    repeated: int = 0
    """Matches that did not count, because they repeated games."""
    repeated_in_a_row: int = 0
    """Repeated matches since the last one that counted."""


class TrialState(Struct, frozen=True, gc=False):
    """State of the test, with the estimated difference."""

    verdict: SprtVerdict
    llr: float | None
    """Log-likelihood ratio. None with more than two sides."""
    lower: float
    """The test fails if the ratio reaches this bound."""
    upper: float
    """The test passes if the ratio reaches this bound."""
    counts: tuple[int, ...]
    estimate: EloEstimate
    """Difference between the first entrant and the second."""
    matches: int
    """Counted matches."""
    matches_to_go: int
    """Estimated number of further matches. 0 once the test is decided."""
    repeated: int = 0
    """Matches that did not count, because they repeated games."""
    first_seat: float = 0.0
    """What the first seat is worth, in Elo. 0 with more than two sides."""


def evaluate_trial(form: SprtTrial, progress: TrialProgress, arrangements: int, *, over: bool) -> TrialState:
    """Return the state of the test. A test that ended without a verdict is undecided."""
    bounds = form.test.lower, form.test.upper
    if form.has_verdict:
        counted = _counts_so_far(form, progress)
        evaluated = evaluate_sprt(form.test, counted, progress.seats.first_seat)
        state = TrialState(
            progress.verdict, evaluated.llr, *bounds, counted.counts, evaluated.estimate, counted.matches,
            evaluated.matches_to_go, progress.repeated, progress.seats.first_seat,
        )  # fmt: skip
    else:
        estimate = (
            estimate_from_scores(progress.set_scores) if progress.set_scores else estimate_from_counts(no_outcomes(3))
        )
        played = progress.sets * arrangements
        remaining = (form.test.max_matches or 0) // arrangements * arrangements - played
        matches = played - progress.repeated
        state = TrialState(progress.verdict, None, *bounds, (), estimate, matches, remaining, progress.repeated)
    if over and state.verdict == "open":
        state = replace(state, verdict="undecided")
    return state if state.verdict == "open" else replace(state, matches_to_go=0)


def count_sets(
    form: SprtTrial, progress: TrialProgress, pairings: Mapping[str, PairingProgress], first: str
) -> TrialProgress:
    """Return the progress after counting finished sets in order, up to the verdict."""
    while progress.verdict == "open":
        pairing_progress = pairings.get(_pairing_id(progress.sets + 1))
        if pairing_progress is None or not pairing_progress.is_done or pairing_progress.departed:
            break
        progress = _count_set(form, replace(progress, sets=progress.sets + 1), pairing_progress, first)
    return progress


def plan_sets(
    form: SprtTrial,
    progress: TrialProgress,
    pairings: Mapping[str, PairingProgress],
    names: Sequence[str],
    arrangements: int,
    ready_target: int,
) -> list[Pairing]:
    """Return as many new sets as it takes to keep `ready_target` matches ready, within the limits."""
    planned = len(pairings)
    ready = sum(len(pairings[_pairing_id(number)].due_matches) for number in range(progress.sets + 1, planned + 1))
    limit = progress.sets + MAX_AHEAD_FACTOR * ready_target
    if form.test.max_matches is not None:
        limit = min(limit, form.test.max_matches // arrangements)
    missing = -(-max(0, ready_target - ready) // arrangements)
    return [
        _new_set(form, number, names, arrangements) for number in range(planned + 1, min(planned + missing, limit) + 1)
    ]


def _new_set(form: SprtTrial, number: int, names: Sequence[str], arrangements: int) -> Pairing:
    """Return the pairing of a set. Seats rotate on from set to set if a set does not contain all rotations."""
    first, second = names
    sides = form.sides or tuple((place,) for place in range(form.at_a_table))
    seats = tuple(first if place in sides[0] else second for place in range(form.at_a_table))
    rotation = (number - 1) * arrangements % form.at_a_table
    return Pairing(
        _pairing_id(number),
        number,
        1,
        seats[rotation:] + seats[:rotation],
        arrangements,
        sides=form.sides,
        arrangements=arrangements,
    )


def _pairing_id(number: int) -> str:
    return f"{number}.1"


def _count_set(
    form: SprtTrial, progress: TrialProgress, pairing_progress: PairingProgress, first: str
) -> TrialProgress:
    """Count a set, or each of its matches in order."""
    numbers = sorted(pairing_progress.scores)
    for unit in [numbers] if form.counts_sets else [[number] for number in numbers]:
        if progress.verdict == "open":
            progress = _count_matches(form, progress, pairing_progress, first, unit)
    if not form.has_verdict and progress.verdict == "open":
        used_up = (progress.sets + 1) * pairing_progress.pairing.matches > (form.test.max_matches or 0)
        return replace(progress, verdict="undecided" if used_up else "open")
    return progress


def _count_matches(
    form: SprtTrial, progress: TrialProgress, pairing_progress: PairingProgress, first: str, numbers: Sequence[int]
) -> TrialProgress:
    """Count these matches as one outcome, unless all of them repeat games."""
    keys = {pairing_progress.game_key(number) for number in numbers}
    if keys <= progress.games:
        return _with_repetition(progress, len(numbers))
    games = progress.games.union(filter(None, keys))
    progress = replace(progress, games=games, repeated_in_a_row=0)
    if not form.has_verdict:
        share = pairing_progress.points_of(first) / pairing_progress.pairing.matches
        return replace(progress, set_scores=(*progress.set_scores, share))
    points = [pairing_progress.points_in_match(number, first) for number in numbers]
    seats = progress.seats
    for number, got in zip(numbers, points, strict=True):
        seats = seats.with_match(pairing_progress.pairing.seats_of_match(number)[0] == first, got)
    counted = _counts_so_far(form, progress).with_outcome(round(2 * sum(points)))
    verdict = decide_sprt(form.test, counted, seats.first_seat)
    return replace(progress, counts=counted.counts, seats=seats, verdict=verdict)


def _with_repetition(progress: TrialProgress, matches: int) -> TrialProgress:
    in_a_row = progress.repeated_in_a_row + matches
    endless = in_a_row >= max(MIN_REPEATED_MATCHES, len(progress.games))
    return replace(
        progress,
        repeated=progress.repeated + matches,
        repeated_in_a_row=in_a_row,
        verdict="undecided" if endless else "open",
    )


def _counts_so_far(form: SprtTrial, progress: TrialProgress) -> OutcomeCounts:
    return OutcomeCounts(progress.counts) if progress.counts else no_outcomes(5 if form.model == "pentanomial" else 3)
