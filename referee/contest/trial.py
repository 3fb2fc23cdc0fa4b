"""How a trial goes: two who meet set after set until a sequential test knows, or the matches are used up.

Several sets may be in play at once. They count in the order in which they were planned, never in that in which they
end: quick matches may be won or lost more often than slow ones, and a test that looked at the quick ones first would
stop on them. So a set that is over waits until all before it are; what was played beyond the set that decided does
not count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engines.chance import Chance
from referee.contest.bootstrap import bootstrapped
from referee.contest.estimate import Estimate, estimated
from referee.contest.formats import Model, Trial
from referee.contest.pairing import Course, Pairing
from referee.contest.sprt import Verdict, decided, judged
from referee.contest.tally import Tally, none_yet

ROOM = 16
"""How many matches are kept ready where nobody says how many may be in play."""

AHEAD = 4
"""How many times that may be planned beyond what has been counted, while one slow set holds up the counting."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What has been counted so far."""

    sets: int = 0
    counts: tuple[int, ...] = ()
    """How often each outcome came, from the worst for the first entrant to the best; three, five, or, before anything
    has been counted, none. Always none of more than two sides."""
    shares: tuple[float, ...] = ()
    """Of more than two sides: what the first scored in each set, from 0 to 1."""
    verdict: Verdict = Verdict.OPEN


@dataclass(frozen=True, slots=True)
class State:
    """How a test stands."""

    verdict: Verdict
    llr: float | None
    """None with more than two sides, where only the estimate is made."""
    lower: float
    """The test fails when the ratio falls to this."""
    upper: float
    """The test passes when the ratio rises to this."""
    counts: tuple[int, ...]
    estimate: Estimate
    """Of how far the first is ahead."""
    matches: int
    """Those that counted."""
    matches_to_go: int
    """Those that will probably still be needed. 0 once it is decided."""


def state_of(form: Trial, progress: Progress, arrangements: int, chance: Chance, *, over: bool) -> State:
    """How the test stands. A test that ended without a verdict is undecided."""
    bounds = form.test.lower, form.test.upper
    if form.decides:
        tally = _tally(form, progress)
        judgement = judged(form.test, tally)
        found = State(
            progress.verdict, judgement.llr, *bounds, tally.counts, judgement.estimate, tally.matches,
            judgement.matches_to_go,
        )  # fmt: skip
    else:
        lead = bootstrapped(progress.shares, chance) if progress.shares else estimated(none_yet(3))
        matches = progress.sets * arrangements
        left = (form.test.matches_at_most or 0) // arrangements * arrangements - matches
        found = State(progress.verdict, None, *bounds, (), lead, matches, left)
    if over and found.verdict is Verdict.OPEN:
        return replace(found, verdict=Verdict.UNDECIDED, matches_to_go=0)
    return found


def counting(form: Trial, progress: Progress, courses: Mapping[str, Course], first: str) -> Progress:
    """With all sets counted that can be, in order, as far as the verdict."""
    while progress.verdict is Verdict.OPEN:
        course = courses.get(_id(progress.sets + 1))
        if course is None or not course.done or course.absent:
            break
        progress = _with(form, replace(progress, sets=progress.sets + 1), course, first)
    return progress


def next_sets(
    form: Trial, progress: Progress, courses: Mapping[str, Course], names: Sequence[str], arrangements: int, room: int
) -> list[Pairing]:
    """As many sets as keep so many matches ready, as far as any are needed."""
    planned = len(courses)
    ready = sum(len(courses[_id(number)].due) for number in range(progress.sets + 1, planned + 1))
    most = progress.sets + AHEAD * room
    if form.test.matches_at_most is not None:
        most = min(most, form.test.matches_at_most // arrangements)
    wanted = -(-max(0, room - ready) // arrangements)
    return [_set(form, number, names, arrangements) for number in range(planned + 1, min(planned + wanted, most) + 1)]


def _set(form: Trial, number: int, names: Sequence[str], arrangements: int) -> Pairing:
    """Who sits where goes on rotating from set to set, where a set is not all the way round."""
    first, second = names
    sides = form.sides or tuple((place,) for place in range(form.at_a_table))
    seats = tuple(first if place in sides[0] else second for place in range(form.at_a_table))
    turn = (number - 1) * arrangements % form.at_a_table
    return Pairing(
        _id(number), number, 1, seats[turn:] + seats[:turn], arrangements, sides=form.sides, arrangements=arrangements
    )


def _id(number: int) -> str:
    return f"{number}.1"


def _with(form: Trial, progress: Progress, course: Course, first: str) -> Progress:
    if not form.decides:
        share = course.points_of(first) / course.pairing.matches
        progress = replace(progress, shares=(*progress.shares, share))
        used_up = (progress.sets + 1) * course.pairing.matches > (form.test.matches_at_most or 0)
        return replace(progress, verdict=Verdict.UNDECIDED if used_up else Verdict.OPEN)
    tally, verdict = _tally(form, progress), Verdict.OPEN
    for outcome in _outcomes(form, course, first):
        if verdict is Verdict.OPEN:
            tally = tally.and_then(outcome)
            verdict = decided(form.test, tally)
    return replace(progress, counts=tally.counts, verdict=verdict)


def _outcomes(form: Trial, course: Course, first: str) -> list[int]:
    """Of the set, or of its matches in order: how many half points they brought."""
    if form.by_sets:
        return [round(2 * course.points_of(first))]
    return [round(2 * course.points_in(number, first)) for number in sorted(course.scores)]


def _tally(form: Trial, progress: Progress) -> Tally:
    return Tally(progress.counts) if progress.counts else none_yet(5 if form.model is Model.PENTANOMIAL else 3)
