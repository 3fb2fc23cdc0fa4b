"""Acts of staff: pair a round by hand, postpone a pairing, open it again, and correct a result, also after the end.

Each act is an event with a reason and the name of who did it. It never changes what has been played: a result that is
set aside stays in the log, and a pairing is replaced only while none of its matches has been created.

Points and standings follow from the results that count, but pairings that are planned stay as they are. So in a
bracket, a correction must not change who advances from a pairing once the next one is planned.
"""

from collections.abc import Collection, Sequence
from itertools import count

from referee_values import Elimination, Swiss

from referee.contests.contest_errors import (
    BadPairings,
    MatchNotCounted,
    NoSuchPairing,
    NotAnEntrant,
    PairingNotChangeable,
)
from referee.contests.corrections import changes_nothing, check_ranks, is_known
from referee.contests.pairing import MatchScore, Pairing
from referee.contests.pairing_progress import PairingProgress
from referee.contests.tournament.commands import CorrectScore, PairRound, PostponePairing, ReopenPairing
from referee.contests.tournament.events import (
    PairingPostponed,
    PairingReopened,
    PairingsReplaced,
    ScoreCorrected,
    TournamentEvent,
)
from referee.contests.tournament.state import Tournament
from referee.contests.tournament.tournament_terms import SprtTrial


def pair_round(tournament: Tournament, command: PairRound) -> list[TournamentEvent]:
    """Return the event that replaces those pairings of the last Swiss round that have not begun."""
    play_off = tournament.pairings.play_off
    if not isinstance(tournament.terms.format, Swiss) or command.round != tournament.round or play_off:
        raise BadPairings(f"can be given only for round {tournament.main_rounds} of a Swiss tournament")
    replaced = [progress for progress in _pairings_from(tournament, command.round) if not progress.has_begun]
    if not replaced:
        raise BadPairings(f"come too late: every pairing of round {command.round} has begun")
    _check_names(tournament, command.pairings, [name for progress in replaced for name in progress.pairing.entrants])
    if {progress.pairing.entrants for progress in replaced} == set(command.pairings):
        return []
    terms, dropped = tournament.terms, tuple(progress.pairing.id for progress in replaced)
    boards = sorted(progress.pairing.board for progress in replaced)
    taken = {*tournament.pairings, *tournament.dropped}
    pairings = tuple(
        Pairing(
            unused_id(f"{command.round}.{board}", taken),
            command.round,
            board,
            entrants,
            matches=terms.matches_per_pairing,
            arrangements=terms.set_size,
        )
        for board, entrants in zip(boards, sorted(command.pairings, key=len, reverse=True), strict=True)
    )
    not_before_ms = max(progress.not_before_ms for progress in replaced)
    return [PairingsReplaced(dropped, pairings, not_before_ms, command.message, command.by)]


def _check_names(tournament: Tournament, given: Sequence[tuple[str, ...]], wanted: Sequence[str]) -> None:
    """Raise an error unless the pairings have exactly these entrants, in pairs, and one with a bye if it must be."""
    names = [name for pairing in given for name in pairing]
    for name in names:
        if name not in tournament.entrants:
            raise NotAnEntrant(tournament.name, name)
    if len(given) != -(-len(wanted) // 2) or not all(len(pairing) in (1, 2) for pairing in given):
        raise BadPairings("must have two entrants each, and one with a single entrant only if their number is odd")
    if sorted(names) != sorted(wanted):
        raise BadPairings(f"must contain each entrant of a pairing that has not begun once: {', '.join(wanted)}")


def unused_id(wanted: str, taken: Collection[str]) -> str:
    """Return an id for a pairing that no other has had, such as `3.1` or `3.1-2`."""
    if wanted not in taken:
        return wanted
    return next(candidate for candidate in (f"{wanted}-{number}" for number in count(2)) if candidate not in taken)


def postpone(tournament: Tournament, command: PostponePairing) -> list[TournamentEvent]:
    progress = find_pairing(tournament, command.pairing)
    if progress.is_done:
        raise PairingNotChangeable(command.pairing, "it is finished")
    if progress.matches_in_play:
        raise PairingNotChangeable(command.pairing, "it is being played")
    if progress.not_before_ms == command.until_ms:
        return []
    return [PairingPostponed(command.pairing, command.until_ms, command.message, command.by)]


def reopen(tournament: Tournament, command: ReopenPairing) -> list[TournamentEvent]:
    """Return the event that sets a result aside, and drops the pairings that followed from it."""
    progress = find_pairing(tournament, command.pairing)
    if progress.reopened and not progress.has_scores and not progress.is_done and not progress.matches_in_play:
        return []
    _check_reopening(tournament, progress)
    dropped: list[str] = []
    for later in following_pairings(tournament, progress.pairing):
        if later.has_begun or isinstance(tournament.terms.format, Elimination):
            raise PairingNotChangeable(command.pairing, f"pairing {later.pairing.id} follows from it, and is fixed")
        dropped.append(later.pairing.id)
    return [PairingReopened(command.pairing, tuple(dropped), command.message, command.by)]


def _check_reopening(tournament: Tournament, progress: PairingProgress) -> None:
    pairing = progress.pairing
    if pairing.is_bye or isinstance(tournament.terms.format, SprtTrial):
        raise PairingNotChangeable(pairing.id, "a bye or a set of a test cannot be played again")
    if not progress.is_done:
        raise PairingNotChangeable(pairing.id, "it is not finished")
    left = [name for name in pairing.participants if name in tournament.withdrawn]
    if left:
        raise PairingNotChangeable(pairing.id, f"{left[0]} has withdrawn")


def following_pairings(tournament: Tournament, pairing: Pairing) -> list[PairingProgress]:
    """Return the planned pairings that depend on the result of this one."""
    form = tournament.terms.format
    if isinstance(form, Swiss):
        return _pairings_from(tournament, pairing.round + 1)
    if isinstance(form, Elimination):
        planned = list(tournament.pairings.values())
        after = planned[[progress.pairing.id for progress in planned].index(pairing.id) + 1 :]
        return [later for later in after if not set(pairing.participants).isdisjoint(later.pairing.participants)]
    return [progress for progress in tournament.pairings.play_off if progress.pairing.round > pairing.round]


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


def _pairings_from(tournament: Tournament, first_round: int) -> list[PairingProgress]:
    return [progress for progress in tournament.pairings.values() if progress.pairing.round >= first_round]


def find_pairing(tournament: Tournament, pairing: str) -> PairingProgress:
    """Raises NoSuchPairing."""
    if pairing not in tournament.pairings:
        raise NoSuchPairing(pairing)
    return tournament.pairings[pairing]
