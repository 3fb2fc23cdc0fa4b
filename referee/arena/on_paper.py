"""A tournament tried on paper: could it begin? Asked before anything is started, or written."""

from collections.abc import Iterable
from dataclasses import replace

from referee_api.v1 import contest_pb2, tournament_pb2

from engines.registry import games
from referee.app.contests.tournament_terms import check_terms
from referee.app.wish import Limits
from referee.contest.directing import Enter, Start, decide
from referee.contest.tournament import Tournament, evolve
from referee.contest.tournament_events import Entrant
from referee.core.row import NetworkCredit
from referee.core.setup import SEED_BYTES
from referee.transport.convert.contests import read_entrant
from referee.transport.convert.terms import Customs
from referee.transport.convert.tournaments import read_tournament_terms


def check_begins(terms: tournament_pb2.TournamentTerms, entrants: Iterable[contest_pb2.Entrant]) -> None:
    """Raises the refusal of whatever cannot be: the terms, or so many entrants."""
    known = games()
    wanted = read_tournament_terms(terms, Customs(known, NetworkCredit(), Limits()))
    check_terms(wanted, known, Limits())
    tournament = Tournament(replace(wanted.tournament, seed=bytes(SEED_BYTES)))
    for entrant in entrants:
        name, bots = read_entrant(entrant, f"entrant {entrant.name}")
        for event in decide(tournament, Enter(Entrant(name, None, bots))):
            tournament = evolve(tournament, event)
    decide(tournament, Start())
