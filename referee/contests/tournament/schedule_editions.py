"""Which round of a schedule each round of a tournament is, by the edition of the rules with which it was created."""

from referee.contests.systems.schedule import gauntlet_cycle_length, round_robin_cycle_length, round_robin_place
from referee.contests.tournament.tournament_terms import RoundRobin, ScheduledFormat


def cycle_length(form: ScheduledFormat, entrants: int) -> int:
    """Return the number of rounds in one cycle."""
    if isinstance(form, RoundRobin):
        return round_robin_cycle_length(entrants)
    return gauntlet_cycle_length(entrants, len(set(form.challengers)))


def place_in_schedule(form: ScheduledFormat, entrants: int, number: int, edition: int) -> tuple[int, int]:
    """Return the cycle of a round, and which of the rounds of every cycle it is, both from 0."""
    if isinstance(form, RoundRobin):
        return round_robin_place(entrants, number, exchanging_cycles(form, edition))
    return divmod(number - 1, cycle_length(form, entrants))


def exchanging_cycles(form: RoundRobin, edition: int) -> int:
    """Return in how many cycles, from the first, the last two rounds change places."""
    return form.cycles - 1 if edition > 1 else 0
