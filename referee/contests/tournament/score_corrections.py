"""Corrections of results by staff, while the tournament is played and after its end.

Points, tie-breaks and standings follow from the results that count. Pairings that are planned stay as they are. So in a
bracket, a correction must not change who advances from a pairing once the next one is planned.
"""

from referee_values import Elimination

from referee.contests.contest_errors import MatchNotCounted, PairingNotChangeable
from referee.contests.corrections import changes_nothing, check_ranks, is_known
from referee.contests.pairing import MatchScore
from referee.contests.pairing_progress import PairingProgress
from referee.contests.tournament.commands import CorrectScore
from referee.contests.tournament.events import ScoreCorrected, TournamentEvent
from referee.contests.tournament.staff_acts import find_pairing, following_pairings
from referee.contests.tournament.state import Tournament
from referee.contests.tournament.tournament_terms import SprtTrial


def correct_score(tournament: Tournament, command: CorrectScore) -> list[TournamentEvent]:
    """Return the event of a correction.

    Raises NoSuchPairing, MatchNotCounted, BadRanks, PairingNotChangeable or RequestIdReused.
    """
    correction = command.correction
    if is_known(tournament.correction_requests, correction):
        return []
    progress = find_pairing(tournament, command.pairing)
    _check_counted(progress, command)
    check_ranks(correction, command.sides)
    known = progress.corrections.get(command.number)
    if changes_nothing(correction, known.correction if known else None):
        return []
    if isinstance(tournament.terms.format, SprtTrial):
        raise PairingNotChangeable(command.pairing, "the results of a test decide when it ends, and cannot be changed")
    score = _score_after(progress, command)
    if isinstance(tournament.terms.format, Elimination):
        _check_advancement(tournament, progress, progress.with_correction(command.number, correction, score))
    return [ScoreCorrected(command.pairing, command.number, correction, score)]


def _check_counted(progress: PairingProgress, command: CorrectScore) -> None:
    """Raise MatchNotCounted unless the match is the attempt that counts, and has a result."""
    number, match_id = command.number, command.correction.match_id
    has_result = number in progress.scores or number in progress.corrections
    if not has_result or progress.match_ids.get((number, progress.current_attempt(number))) != match_id:
        raise MatchNotCounted(match_id)


def _score_after(progress: PairingProgress, command: CorrectScore) -> MatchScore | None:
    if command.correction.kind == "restored":
        return progress.corrections[command.number].played
    return command.score


def _check_advancement(tournament: Tournament, before: PairingProgress, after: PairingProgress) -> None:
    """Raise PairingNotChangeable if a later pairing would have had other entrants."""
    if after.is_done and after.winner == before.winner:
        return
    for later in following_pairings(tournament, before.pairing):
        raise PairingNotChangeable(before.pairing.id, f"pairing {later.pairing.id} follows from it, and is fixed")
