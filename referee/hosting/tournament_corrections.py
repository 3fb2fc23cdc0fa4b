"""Finds the match that a correction names, and converts ranks of sides to the order of its pairing's entrants."""

import asyncio
from collections.abc import Mapping, Sequence

from engines.api import Game
from referee.contests.corrections import Correction, check_ranks
from referee.contests.pairing import DueMatch, MatchScore
from referee.contests.pairing_progress import PairingProgress
from referee.contests.tournament.commands import CorrectScore
from referee.hosting.contest_terms import tournament_seating
from referee.hosting.tournament_state import TournamentState
from referee.live.match_request import find_game

PARTS_PER_STEP = 8
"""Parts of the pairings that are searched before the event loop runs again: some milliseconds."""


async def find_match(state: TournamentState, match_id: str) -> DueMatch | None:
    """Return the attempt that a match was created for, whether or not it counts. None: there is none."""
    for number, part in enumerate(state.tournament.pairings.chunks, 1):
        if found := _find_in(part.pairings, match_id):
            return found
        if number % PARTS_PER_STEP == 0:
            await asyncio.sleep(0)
    return None


def _find_in(pairings: Sequence[PairingProgress], match_id: str) -> DueMatch | None:
    for progress in pairings:
        for (number, attempt), known in progress.match_ids.items():
            if known == match_id:
                return DueMatch(progress.pairing, number, attempt)
    return None


def score_correction(
    state: TournamentState, due: DueMatch, correction: Correction, games: Mapping[str, Game]
) -> CorrectScore:
    """Return the command. Raises BadRanks."""
    terms = state.match_terms(due)
    sides = find_game(games, terms.game).table(terms.settings).sides
    check_ranks(correction, len(sides))
    score = None
    if correction.kind == "corrected":
        by_seat = {seat: rank for side, rank in zip(sides, correction.ranks, strict=True) for seat in side}
        seat_ranks = [by_seat[seat] for seat in sorted(by_seat)]
        score = MatchScore(tournament_seating(state.terms, games).ranks(due, seat_ranks))
    return CorrectScore(due.pairing.id, due.number, correction, len(sides), score)
