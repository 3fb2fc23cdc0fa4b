"""Which pairings come next. They follow from the tournament alone: whoever asks again gets the same."""

from dataclasses import replace

from referee.contest.formats import Elimination, Pools, RoundRobin, Swiss
from referee.contest.gauntlet import gauntlet
from referee.contest.pairing import Pairing
from referee.contest.pools import past, pool_round
from referee.contest.round_robin import round_robin
from referee.contest.swiss import Unpairable, swiss_round
from referee.contest.tournament import Seeding, Tournament


def seeds(tournament: Tournament) -> tuple[str, ...]:
    """Everybody, the best first."""
    names = tuple(tournament.entrants)
    if tournament.terms.seeding is Seeding.LOT:
        return tournament.terms.chance.fork("seeding").shuffled(names)[0]
    if tournament.terms.seeding is Seeding.RATING:
        return tuple(sorted(names, key=lambda name: _rated(tournament, name)))
    return names


def next_pairings(tournament: Tournament) -> list[Pairing]:
    """Pairings whose entrants are known now and were not before; nothing if the next ones wait for a result."""
    form = tournament.terms.format
    if isinstance(form, Swiss):
        return _swiss(tournament, form)
    if isinstance(form, Pools):
        return _pools(tournament, form)
    if isinstance(form, Elimination):
        return tournament.knockout().ready(tournament.terms.matches, form.extra)
    if tournament.courses:
        return []
    names = tuple(tournament.entrants)
    if isinstance(form, RoundRobin):
        return round_robin(names, form.cycles, tournament.terms.matches)
    return gauntlet(names, form.challengers, form.cycles, tournament.terms.matches)


def _swiss(tournament: Tournament, form: Swiss) -> list[Pairing]:
    """A round when the one before is done. If nobody can be paired with whom it has not met, it was the last."""
    if tournament.open or tournament.round >= form.rounds or len(tournament.there) < 2:
        return []
    toss, _ = tournament.terms.chance.fork("first colour").below(2)
    try:
        return swiss_round(
            tournament.table(),
            tournament.there,
            form.rounds,
            first_has_first_move=toss == 0,
            matches=tournament.terms.matches,
        )
    except Unpairable:
        return []


def _pools(tournament: Tournament, form: Pools) -> list[Pairing]:
    """A round when half of the tables of the one before are done: the tables do not depend on results."""
    last = [course for course in tournament.courses.values() if course.pairing.round == tournament.round]
    waiting = sum(not course.done for course in last)
    if 2 * waiting > len(last) or tournament.round >= form.rounds or len(tournament.there) < form.at_a_table:
        return []
    tables = pool_round(
        tournament.there,
        form.at_a_table,
        form.sides,
        tournament.round + 1,
        past(course.pairing for course in tournament.courses.values() if not course.pairing.bye),
        tournament.terms.chance.fork("pools"),
    )
    return [replace(table, matches=tournament.terms.matches) for table in tables]


def _rated(tournament: Tournament, name: str) -> tuple[bool, float]:
    """Ties stay in the order of entry."""
    rating = tournament.entrants[name].rating
    return rating is None, -(rating or 0.0)
