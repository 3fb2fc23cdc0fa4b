"""Results of all entrants of a tournament by round, from its pairings and the byes that entrants asked for."""

from collections.abc import Container, Iterable

from referee_values import Elimination

from referee.contests.pairing_progress import PairingProgress
from referee.contests.tables.round_result import MISSED, RoundResult, RoundResults, half_point_bye
from referee.contests.tournament.tournament_terms import TournamentPlayTerms


def results_by_round(
    terms: TournamentPlayTerms,
    entrants: Iterable[str],
    pairings: Iterable[PairingProgress],
    half_point_byes: Container[tuple[str, int]],
    until: int,
) -> RoundResults:
    """Return the results up to a round. Pairings that are not done are left out. `half_point_byes`: entrant, round."""
    by_entrant: dict[str, list[PairingProgress]] = {name: [] for name in entrants}
    for progress in pairings:
        for name in progress.pairing.participants:
            by_entrant[name].append(progress)
    return {name: _results(terms, name, own, half_point_byes, until) for name, own in by_entrant.items()}


def _results(
    terms: TournamentPlayTerms,
    name: str,
    own: list[PairingProgress],
    half_point_byes: Container[tuple[str, int]],
    until: int,
) -> list[RoundResult]:
    if isinstance(terms.format, Elimination):  # Rounds of two brackets overlap.
        return [progress.round_result(name) for progress in own if progress.is_done and progress.pairing.round <= until]
    by_round = {progress.pairing.round: progress for progress in own}
    half = half_point_bye(terms.matches_per_pairing, terms.value.boards)
    return [
        progress.round_result(name) if progress else half if (name, number) in half_point_byes else MISSED
        for number in range(1, until + 1)
        for progress in [by_round.get(number)]
        if progress is None or progress.is_done
    ]
