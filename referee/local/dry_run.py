"""Check whether a tournament could start, before anything is started or written."""

from collections.abc import Iterable
from dataclasses import replace

from referee_api.v1 import contest_pb2, tournament_pb2

from engines.registry import games
from referee.contests.tournament.commands import EnterTournament, StartTournament
from referee.contests.tournament.decide import decide
from referee.contests.tournament.events import TournamentEntrant
from referee.contests.tournament.state import Tournament, evolve
from referee.hosting.terms_validation import check_tournament_terms
from referee.live.match_request import LiveLimits
from referee.match.clock_charge import NetworkCredit
from referee.match.setup import SEED_BYTES
from referee.wire.contests import read_entrant
from referee.wire.terms import TermsConverter
from referee.wire.tournaments import read_tournament_terms


def check_can_start(terms: tournament_pb2.TournamentTerms, entrants: Iterable[contest_pb2.Entrant]) -> None:
    """Raise a Refusal if the terms or the number of entrants are invalid."""
    known = games()
    wanted = read_tournament_terms(terms, TermsConverter(known, NetworkCredit(), LiveLimits()))
    check_tournament_terms(wanted, known, LiveLimits())
    tournament = Tournament(replace(wanted.tournament, seed=bytes(SEED_BYTES)))
    for entrant in entrants:
        name, bots = read_entrant(entrant, f"entrant {entrant.name}")
        for event in decide(tournament, EnterTournament(TournamentEntrant(name, None, bots))):
            tournament = evolve(tournament, event)
    decide(tournament, StartTournament())
