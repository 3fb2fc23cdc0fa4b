"""One tournament, as a value: how it stands, and how an event changes it.

`evolve` makes it so and never refuses: an event has already happened. What may happen next is said in
`directing`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from referee.contest import bracket, trial
from referee.contest.courses import Courses
from referee.contest.duplicate import Start, start_of
from referee.contest.encounters import MISSED, Encounter, Table
from referee.contest.formats import USUAL_TIE_BREAKS, Elimination, Swiss, Trial
from referee.contest.knockout import Knockout
from referee.contest.match_events import Began, Scored, Voided
from referee.contest.pairing import Course, Due, Pairing
from referee.contest.schedule import Scheduled, rounds_of_a_cycle
from referee.contest.standings import Standing, in_order, standings
from referee.contest.terms import Seeding, Terms
from referee.contest.tiebreak import Field, TieBreak
from referee.contest.tournament_events import Ended, Entered, Entrant, Event, Paired, Started, Withdrew


class Phase(Enum):
    ENTRY = "entry"
    PLAYING = "playing"
    FINISHED = "finished"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Tournament:
    terms: Terms
    entrants: Mapping[str, Entrant] = field(default_factory=dict)
    """In the order of seeds once it has begun, those who came late behind; before that in the order of entry."""
    withdrawn: tuple[str, ...] = ()
    phase: Phase = Phase.ENTRY
    courses: Courses = field(default_factory=Courses)
    """By id, in the order of planning."""
    progress: trial.Progress = field(default_factory=trial.Progress)
    """Of a trial."""

    @property
    def there(self) -> list[str]:
        return [name for name in self.entrants if name not in self.withdrawn]

    @property
    def open(self) -> list[Course]:
        return self.courses.open

    @property
    def round(self) -> int:
        """The last that has been planned; 0 before the start."""
        return self.courses.last_round

    @property
    def complete_rounds(self) -> int:
        """Up to here everything is done."""
        first = self.courses.first_open_round
        return self.round if first is None else first - 1

    @property
    def playing(self) -> list[Due]:
        """Matches that have begun and have no result yet."""
        return self.courses.playing

    def due(self, besides: Iterable[str] = ()) -> list[Due]:
        """Matches to begin now, as far as the limit allows: besides those that have begun, and these (by id).

        Nothing waits for a match that it does not need the result of.
        """
        if self.phase is not Phase.PLAYING:
            return []
        busy = {due.id for due in self.playing}.union(besides)
        waiting = [due for course in self.open for due in course.due if due.id not in busy]
        limit = self.terms.matches_at_once
        return waiting if limit is None else waiting[: max(0, limit - len(busy))]

    def start_of(self, due: Due) -> Start | None:
        """What the match has in common with the others of its set; None where nothing is played twice."""
        sets = self.terms.sets
        return start_of(due, sets, self.terms.chance, self._turn(due.pairing)) if sets else None

    def _turn(self, pairing: Pairing) -> int:
        """Everybody in a round takes the same openings, and who meets again takes the next ones."""
        form = self.terms.format
        if isinstance(form, Trial):
            return pairing.round - 1
        cycle = rounds_of_a_cycle(form, len(self.entrants)) if isinstance(form, Scheduled) else self.round
        return sum(divmod(pairing.round - 1, cycle))

    @property
    def test(self) -> trial.State | None:
        """How the test of a trial stands."""
        form, terms = self.terms.format, self.terms
        if not isinstance(form, Trial):
            return None
        over = self.phase in {Phase.FINISHED, Phase.CANCELLED}
        return trial.state_of(form, self.progress, terms.arrangements, terms.chance.fork("bootstrap"), over=over)

    def table(self, until: int | None = None) -> Table:
        """What everybody did, in every round or until one; of rounds that are being played, what is done.

        Of a trial, what has been counted.
        """
        last = self.progress.sets if isinstance(self.terms.format, Trial) else self.round
        until = last if until is None else min(until, last)
        courses: dict[str, list[Course]] = {name: [] for name in self.entrants}
        for course in self.courses.values():
            for name in course.pairing.names:
                courses[name].append(course)
        return {name: self._encounters(name, mine, until) for name, mine in courses.items()}

    def _encounters(self, name: str, mine: list[Course], until: int) -> list[Encounter]:
        if isinstance(self.terms.format, Elimination):  # Where the rounds of two brackets overlap.
            return [course.encounter(name) for course in mine if course.done and course.pairing.round <= until]
        by_round = {course.pairing.round: course for course in mine}
        return [
            course.encounter(name) if course else MISSED
            for number in range(1, until + 1)
            for course in [by_round.get(number)]
            if course is None or course.done
        ]

    def field(self, until: int | None = None) -> Field:
        return Field(self.table(until), predetermined=not isinstance(self.terms.format, Swiss))

    @property
    def tie_breaks(self) -> tuple[TieBreak, ...]:
        asked = self.terms.tie_breaks
        return USUAL_TIE_BREAKS[type(self.terms.format)] if asked is None else asked

    def standings(self, until: int | None = None) -> list[Standing]:
        """The table as it is, or as it was after a round. In a knock-out who got further stands higher."""
        if isinstance(self.terms.format, Elimination) and self.phase is not Phase.ENTRY:
            return in_order(self.knockout().groups(), self.field(until), self.tie_breaks)
        return standings(self.field(until), self.tie_breaks)

    def forfeits(self) -> Counter[str]:
        """Matches that each entrant lost by a fault of its own, and pairings that it left."""
        forfeits: Counter[str] = Counter()
        for course in self.courses.values():
            forfeits.update(course.absent)
            for score in course.scores.values():
                forfeits.update(set(score.forfeited))
        return forfeits

    def knockout(self) -> Knockout:
        """The bracket, of a tournament that has one and has begun."""
        terms = self.terms.format
        assert isinstance(terms, Elimination)
        many = len(self.entrants)
        duels = bracket.double(many) if terms.twice else bracket.single(many, third_place=terms.third_place)
        return Knockout({duel.id: duel for duel in duels}, tuple(self.entrants), self.courses, self.withdrawn)


def by_rating(entrants: Mapping[str, Entrant]) -> list[str]:
    """The best first; ties stay in the order given, and who has no rating comes last."""
    ratings = {name: entrant.rating for name, entrant in entrants.items()}
    return sorted(entrants, key=lambda name: (ratings[name] is None, -(ratings[name] or 0.0)))


def evolve(tournament: Tournament, event: Event) -> Tournament:
    return EVOLVE[type(event)](tournament, event)


def replay(terms: Terms, events: Iterable[Event]) -> Tournament:
    """The tournament that these events made."""
    tournament = Tournament(terms)
    for event in events:
        tournament = evolve(tournament, event)
    return tournament


def _entered(tournament: Tournament, event: Entered) -> Tournament:
    """Who comes late to a tournament seeded by rating has the number that it would have had, as FIDE wants it."""
    entrants = {**tournament.entrants, event.entrant.name: event.entrant}
    if tournament.phase is Phase.PLAYING and tournament.terms.seeding is Seeding.RATING:
        entrants = {name: entrants[name] for name in by_rating(entrants)}
    return replace(tournament, entrants=entrants)


def _withdrew(tournament: Tournament, event: Withdrew) -> Tournament:
    """Before the start it is as if it had never come; after it, its open pairings are over."""
    if tournament.phase is Phase.ENTRY:
        rest = {name: entrant for name, entrant in tournament.entrants.items() if name != event.name}
        return replace(tournament, entrants=rest)
    return replace(
        tournament,
        withdrawn=(*tournament.withdrawn, event.name),
        courses=tournament.courses.without(event.name),
    )


def _started(tournament: Tournament, event: Started) -> Tournament:
    entrants = {name: tournament.entrants[name] for name in event.order}
    return replace(tournament, entrants=entrants, phase=Phase.PLAYING)


def _paired(tournament: Tournament, event: Paired) -> Tournament:
    courses = (_planned(tournament, pairing) for pairing in event.pairings)
    return replace(tournament, courses=tournament.courses.planned(courses))


def _planned(tournament: Tournament, pairing: Pairing) -> Course:
    """A schedule includes entrants that have left. Of two such entrants, the one that left first forfeits."""
    course = Course(pairing)
    if not isinstance(tournament.terms.format, Scheduled):
        return course
    left = next((name for name in tournament.withdrawn if name in pairing.entrants), None)
    return course.without(left) if left else course


def _began(tournament: Tournament, event: Began) -> Tournament:
    course = tournament.courses[event.pairing]
    return _with(tournament, course.began(event.number, event.attempt, event.match_id))


def _scored(tournament: Tournament, event: Scored) -> Tournament:
    tournament = _with(tournament, tournament.courses[event.pairing].scored(event.number, event.score))
    form = tournament.terms.format
    if not isinstance(form, Trial):
        return tournament
    first = next(iter(tournament.entrants))
    return replace(tournament, progress=trial.counting(form, tournament.progress, tournament.courses, first))


def _voided(tournament: Tournament, event: Voided) -> Tournament:
    return _with(tournament, tournament.courses[event.pairing].made_void(event.number))


def _ended(tournament: Tournament, event: Ended) -> Tournament:
    return replace(tournament, phase=Phase.CANCELLED if event.cancelled else Phase.FINISHED)


def _with(tournament: Tournament, course: Course) -> Tournament:
    return replace(tournament, courses=tournament.courses.changed(course))


EVOLVE: dict[type, Callable[[Tournament, Any], Tournament]] = {
    Entered: _entered,
    Withdrew: _withdrew,
    Started: _started,
    Paired: _paired,
    Began: _began,
    Scored: _scored,
    Voided: _voided,
    Ended: _ended,
}
