"""Decides what follows in a tournament, outside of the event loop where a round of a large field is paired."""

from referee.app.contests.sending import pickle_parts
from referee.app.worker_pool import Run
from referee.contest.directing import Command, decide, pairs_a_round
from referee.contest.tournament import Tournament
from referee.contest.tournament_events import Event

MAX_ENTRANTS_HERE = 16
"""A round of so many takes some ten milliseconds; the event loop pairs it faster than it could hand it over."""

MAX_CPU_S = 1800.0
"""For one round; one of 1000 entrants takes about two minutes."""


async def decide_and_pair(tournament: Tournament, command: Command, run: Run) -> list[Event]:
    """The same as `directing.decide`. `run` computes what may take long."""
    if len(tournament.entrants) > MAX_ENTRANTS_HERE and pairs_a_round(tournament, command):
        await pickle_parts(tournament)
        return await run(decide, tournament, command, max_cpu_s=MAX_CPU_S)
    return decide(tournament, command)
