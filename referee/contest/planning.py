"""Which pairings come next. They follow from the tournament alone: whoever asks again gets the same."""

from dataclasses import replace

from referee.contest import trial
from referee.contest.formats import Elimination, Gauntlet, Pools, RoundRobin, Swiss, Trial
from referee.contest.pairing import Pairing
from referee.contest.pools import past, pool_round
from referee.contest.schedule import Scheduled, pairings_of_round, rounds_in_all
from referee.contest.swiss import Unpairable, swiss_round
from referee.contest.terms import Seeding
from referee.contest.tournament import Tournament, by_rating

Meetings = RoundRobin | Swiss | Elimination | Gauntlet | Pools
"""Formats in which it is the question who meets."""

PLANNED_AHEAD = 500
"""At least this many pairings of a round robin or a gauntlet are open until all of them are planned."""


def seeds(tournament: Tournament) -> tuple[str, ...]:
    """Everybody, the best first."""
    names = tuple(tournament.entrants)
    if tournament.terms.seeding is Seeding.LOT:
        return tournament.terms.chance.fork("seeding").shuffled(names)[0]
    if tournament.terms.seeding is Seeding.RATING:
        return tuple(by_rating(tournament.entrants))
    return names


def next_pairings(tournament: Tournament) -> list[Pairing]:
    """Pairings whose entrants are known now and were not before; nothing if the next ones wait for a result."""
    form, terms = tournament.terms.format, tournament.terms
    if isinstance(form, Trial):
        return _sets(tournament, form)
    return [
        replace(pairing, matches=terms.matches, extra=terms.extra, arrangements=terms.arrangements)
        for pairing in _meetings(tournament, form)
    ]


def _sets(tournament: Tournament, form: Trial) -> list[Pairing]:
    """The next sets of two who are both still there."""
    if len(tournament.there) < 2:
        return []
    terms, names = tournament.terms, tuple(tournament.entrants)
    room = terms.matches_at_once or trial.ROOM
    return trial.next_sets(form, tournament.progress, tournament.courses, names, terms.arrangements, room)


def _meetings(tournament: Tournament, form: Meetings) -> list[Pairing]:
    """Who meets."""
    if isinstance(form, Swiss):
        return _swiss(tournament, form)
    if isinstance(form, Pools):
        return _pools(tournament, form)
    if isinstance(form, Elimination):
        return tournament.knockout().ready()
    return _scheduled(tournament, form)


def round_is_due(tournament: Tournament) -> bool:
    """Whether the next round of a Swiss, or of pools, is to be paired now: work that grows fast with the field.

    A Swiss waits for the whole round before, pools for half of its tables, because they do not depend on results.
    """
    form = tournament.terms.format
    if not isinstance(form, Swiss | Pools) or tournament.round >= form.rounds:
        return False
    if isinstance(form, Swiss):
        return len(tournament.there) > 1 and not tournament.open
    last = [course for course in tournament.courses.values() if course.pairing.round == tournament.round]
    waiting = sum(not course.done for course in last)
    return len(tournament.there) >= form.at_a_table and 2 * waiting <= len(last)


def _scheduled(tournament: Tournament, form: Scheduled) -> list[Pairing]:
    """Return the next rounds if too few pairings are open. A schedule of 400 entrants has 80 000 pairings in all."""
    least, already = max(PLANNED_AHEAD, tournament.terms.matches_at_once or 0), tournament.courses.open_count
    if already >= least:
        return []
    names, missing = tuple(tournament.entrants), least + PLANNED_AHEAD - already
    pairings: list[Pairing] = []
    for number in range(tournament.round + 1, rounds_in_all(form, len(names)) + 1):
        if len(pairings) >= missing:
            break
        pairings += pairings_of_round(form, names, number)
    return pairings


def _swiss(tournament: Tournament, form: Swiss) -> list[Pairing]:
    """A round. If nobody can be paired with whom it has not met, the one before was the last."""
    if not round_is_due(tournament):
        return []
    toss, _ = tournament.terms.chance.fork("first colour").below(2)
    try:
        return swiss_round(tournament.table(), tournament.there, form.rounds, first_has_first_move=toss == 0)
    except Unpairable:
        return []


def _pools(tournament: Tournament, form: Pools) -> list[Pairing]:
    if not round_is_due(tournament):
        return []
    return pool_round(
        tournament.there,
        form.at_a_table,
        form.sides,
        tournament.round + 1,
        past(course.pairing for course in tournament.courses.values() if not course.pairing.bye),
        tournament.terms.chance.fork("pools"),
    )
