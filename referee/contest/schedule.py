"""Schedules: formats in which it is known from the start who meets whom in which round."""

from collections.abc import Sequence

from referee.contest import gauntlet, round_robin
from referee.contest.formats import Gauntlet, RoundRobin
from referee.contest.pairing import Pairing

Scheduled = RoundRobin | Gauntlet


def rounds_of_a_cycle(form: Scheduled, entrants: int) -> int:
    if isinstance(form, RoundRobin):
        return round_robin.rounds_of_a_cycle(entrants)
    return gauntlet.rounds_of_a_cycle(entrants, len(set(form.challengers)))


def rounds_in_all(form: Scheduled, entrants: int) -> int:
    return form.cycles * rounds_of_a_cycle(form, entrants)


def pairings_in_all(form: Scheduled, entrants: int) -> int:
    if isinstance(form, RoundRobin):
        return form.cycles * entrants * (entrants - 1) // 2
    challengers = len(set(form.challengers))
    return form.cycles * challengers * (entrants - challengers)


def pairings_of_round(form: Scheduled, entrants: Sequence[str], number: int) -> list[Pairing]:
    """Return the pairings of a round, at least one. Rounds count from 1."""
    if isinstance(form, RoundRobin):
        return round_robin.round_robin(entrants, number)
    return gauntlet.gauntlet(entrants, form.challengers, number)
