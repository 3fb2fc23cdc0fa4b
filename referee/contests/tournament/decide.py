"""The events that follow from a command on a tournament, including the pairings that it makes possible.

There is no clock: the time is an argument. All randomness comes from the tournament's seed. So after a crash the same
command gives the same events.
"""

from collections.abc import Callable, Sequence
from typing import Any

from referee_values import Elimination, Gauntlet, Swiss

from referee.contests.contest_entrant import EntrantJoined, EntrantLeft
from referee.contests.contest_errors import (
    BadScore,
    BadTerms,
    ByeNotPossible,
    EntrantNameTaken,
    NotAnEntrant,
    PairingNotChangeable,
    TournamentNotStarted,
    TournamentOver,
    TournamentStarted,
    WrongEntrantCount,
)
from referee.contests.pairing import ContestMatchScored, ContestMatchStarted, ContestMatchVoided, MatchScore
from referee.contests.pairing_progress import PairingProgress
from referee.contests.tournament import commands, events, staff_acts
from referee.contests.tournament.commands import TournamentCommand
from referee.contests.tournament.events import TournamentEvent
from referee.contests.tournament.state import Tournament, evolve
from referee.contests.tournament.tournament_pairing import order_seeds, plan_pairings, round_is_due
from referee.contests.tournament.tournament_terms import Pools

ENTRY, PLAYING = frozenset({"entry"}), frozenset({"playing"})
UNTIL_END = ENTRY | PLAYING
LATE = PLAYING | {"finished", "cancelled"}
"""Phases of commands that are no error after the end: results may be repeated or late."""


def decide(tournament: Tournament, command: TournamentCommand, now_ms: int = 0) -> list[TournamentEvent]:
    """Return the events that follow; none if the command is a repetition. Raises a ContestError.

    `now_ms` is the current Unix time, from which breaks between rounds are counted.
    """
    own, after = _apply_command(tournament, command)
    return own + _following_events(after, now_ms) if own else []


def will_pair_round(tournament: Tournament, command: TournamentCommand) -> bool:
    """Return whether `decide` will pair a round, which may take seconds; nothing else in it does.

    Raises what `decide` raises.
    """
    own, after = _apply_command(tournament, command)
    return bool(own) and after.phase == "playing" and round_is_due(after)


def _apply_command(tournament: Tournament, command: TournamentCommand) -> tuple[list[TournamentEvent], Tournament]:
    """Return the command's own events, and the tournament after them."""
    decide_own, phases = DECIDE[type(command)]
    if tournament.phase not in phases:
        if tournament.phase == "entry":
            raise TournamentNotStarted(tournament.name)
        raise TournamentOver(tournament.name, tournament.phase)
    own = decide_own(tournament, command)
    for event in own:
        tournament = evolve(tournament, event)
    return own, tournament


def _following_events(tournament: Tournament, now_ms: int) -> list[TournamentEvent]:
    """Return pairings for as long as there are new ones, and the end once nothing is left to play or to decide."""
    following: list[TournamentEvent] = []
    while tournament.phase == "playing":
        undecided = tournament.trial_progress.verdict == "open"
        pairings = tuple(plan_pairings(tournament)) if undecided else ()
        if not pairings and undecided and tournament.open_pairings:
            break
        event: TournamentEvent = events.TournamentEnded()
        if pairings:
            event = events.PairingsPlanned(pairings, _end_of_break(tournament, now_ms))
        following.append(event)
        tournament = evolve(tournament, event)
    return following


def _end_of_break(tournament: Tournament, now_ms: int) -> int:
    """Return when the pairings that are planned now may start. 0: at once."""
    pause_ms = tournament.terms.value.round_break_ms
    return now_ms + pause_ms if pause_ms and tournament.round else 0


def _enter(tournament: Tournament, command: commands.EnterTournament) -> list[TournamentEvent]:
    if command.entrant.name in tournament.entrants:
        raise EntrantNameTaken(command.entrant.name)
    if tournament.phase == "playing" and not _accepts_late_entry(tournament):
        raise TournamentStarted(tournament.name)
    _check_count(tournament, len(tournament.entrants) + 1, least=1)
    return [EntrantJoined(command.entrant)]


def _qualify(tournament: Tournament, command: commands.QualifyEntrants) -> list[TournamentEvent]:
    return [] if tournament.entrants else [EntrantJoined(entrant) for entrant in command.entrants]


def _accepts_late_entry(tournament: Tournament) -> bool:
    """Return whether rounds are paired one by one, entry is still allowed, and a round is to come."""
    form = tournament.terms.format
    if not isinstance(form, Swiss | Pools):
        return False
    if tournament.pairings.play_off:
        return False
    return tournament.round <= tournament.terms.value.last_entry_round and tournament.round < form.rounds


def _withdraw(tournament: Tournament, command: commands.WithdrawEntrant) -> list[TournamentEvent]:
    if command.name not in tournament.entrants:
        raise NotAnEntrant(tournament.name, command.name)
    return [] if command.name in tournament.withdrawn else [EntrantLeft(command.name, command.message)]


def _start(tournament: Tournament, _: commands.StartTournament) -> list[TournamentEvent]:
    form = tournament.terms.format
    _check_count(tournament, len(tournament.entrants), least=tournament.terms.min_entrants)
    if isinstance(form, Gauntlet):
        _check_challengers(form, tournament)
    return [events.TournamentPlayStarted(order_seeds(tournament))]


def _check_count(tournament: Tournament, entrants: int, least: int) -> None:
    """Raise WrongEntrantCount unless there are at least `least` entrants, and no more than may enter."""
    terms = tournament.terms
    if not least <= entrants <= terms.max_entrants:
        numbers = sorted({terms.min_entrants, terms.max_entrants})
        raise WrongEntrantCount(tournament.name, entrants, " to ".join(map(str, numbers)))


def _check_challengers(form: Gauntlet, tournament: Tournament) -> None:
    for name in form.challengers:
        if name not in tournament.entrants:
            raise NotAnEntrant(tournament.name, name)
    if len(set(form.challengers)) == len(tournament.entrants):
        raise BadTerms("challengers", "are all entrants; leave at least one opponent")


def _start_match(tournament: Tournament, command: commands.StartTournamentMatch) -> list[TournamentEvent]:
    if command.pairing in tournament.dropped:
        return []
    progress = staff_acts.find_pairing(tournament, command.pairing)
    known = (command.number, command.attempt) in progress.match_ids
    if known or not _is_due(tournament, progress, command):
        return []
    return [ContestMatchStarted(command.pairing, command.number, command.attempt, command.match_id)]


def _record(tournament: Tournament, command: commands.RecordTournamentScore) -> list[TournamentEvent]:
    progress = staff_acts.find_pairing(tournament, command.pairing)
    if not _is_due(tournament, progress, command):
        return []
    _check_score(progress, command.score)
    return [ContestMatchScored(command.pairing, command.number, command.score)]


def _record_void(tournament: Tournament, command: commands.RecordTournamentVoid) -> list[TournamentEvent]:
    progress = staff_acts.find_pairing(tournament, command.pairing)
    return [ContestMatchVoided(command.pairing, command.number)] if _is_due(tournament, progress, command) else []


def _declare_absent(tournament: Tournament, command: commands.DeclareAbsent) -> list[TournamentEvent]:
    """If the pairing has ended or is being played, nothing follows, and it is an error of the staff."""
    if command.pairing in tournament.dropped and not command.by:
        return []
    progress = staff_acts.find_pairing(tournament, command.pairing)
    if progress.absent == {*command.entrants}:
        return []
    if tournament.phase != "playing" or not _may_be_lost(progress, command.board):
        if command.by:
            raise PairingNotChangeable(command.pairing, "it is finished or being played")
        return []
    strangers = [name for name in command.entrants if name not in progress.pairing.entrants]
    if strangers:
        raise PairingNotChangeable(command.pairing, f"{strangers[0]} does not play in it")
    event = events.EntrantsAbsent(command.pairing, command.entrants, command.message, command.by, command.board)
    absent = progress.with_absence(command.entrants, command.board).absent
    return [event, *_withdrawals(tournament, progress, [name for name in command.entrants if name in absent])]


def _may_be_lost(progress: PairingProgress, board: int) -> bool:
    """Return whether a pairing, or a board of two teams, can still be lost by absence."""
    if progress.is_done:
        return False
    playing = {due.number for due in progress.matches_in_play}
    if board:
        return board not in playing and any(due.number == board for due in progress.due_matches)
    return not playing


def _freeze(tournament: Tournament, command: commands.FreezeVersions) -> list[TournamentEvent]:
    changed = tuple(entrant for entrant in command.entrants if entrant.bots != tournament.entrants[entrant.name].bots)
    return [events.VersionsFrozen(changed)] if changed else []


def _withdrawals(tournament: Tournament, progress: PairingProgress, absent: Sequence[str]) -> list[TournamentEvent]:
    """Return the withdrawals of entrants that were absent too often, and of both that leave a place in a bracket."""
    if isinstance(tournament.terms.format, Elimination) and len(absent) == len(progress.pairing.participants):
        return [EntrantLeft(name, "both entrants of a pairing were absent") for name in absent]
    most = tournament.terms.value.max_no_shows
    message = f"absent from {most} pairings in succession" if most > 1 else "absent from a pairing"
    return [EntrantLeft(name, message) for name in absent if tournament.no_shows.get(name, 0) + 1 >= most]


def _is_due(
    tournament: Tournament,
    progress: PairingProgress,
    command: commands.StartTournamentMatch | commands.RecordTournamentScore | commands.RecordTournamentVoid,
) -> bool:
    """Return whether the match still counts: it has no result, and that attempt did not become void."""
    if tournament.phase != "playing":
        return False
    return any((due.number, due.attempt) == (command.number, command.attempt) for due in progress.due_matches)


def _check_score(progress: PairingProgress, score: MatchScore) -> None:
    entrants = progress.pairing.entrants
    if len(score.ranks) != len(entrants):
        raise BadScore(progress.pairing.id, f"has {len(entrants)} entrants, not {len(score.ranks)} ranks")
    if any(len({score.ranks[place] for place in side}) > 1 for side in progress.pairing.teams):
        raise BadScore(progress.pairing.id, "has ranks that differ within a side")
    if not set(score.forfeited) <= set(entrants):
        raise BadScore(progress.pairing.id, "has a forfeit of an entrant that is not in it")


def _request_bye(tournament: Tournament, command: commands.RequestBye) -> list[TournamentEvent]:
    if command.name not in tournament.entrants:
        raise NotAnEntrant(tournament.name, command.name)
    if why := _obstacle_to_bye(tournament, command):
        raise ByeNotPossible(command.name, command.round, why)
    requested = {at: kind for (who, at), kind in tournament.requested_byes.items() if who == command.name}
    if requested.get(command.round, "none") == command.kind:
        return []
    most = tournament.terms.value.max_requested_byes
    if command.kind == "none":
        return [events.ByeRequested(command.name, command.round, command.kind, command.by)]
    if len(requested.keys() | {command.round}) > most:
        raise ByeNotPossible(command.name, command.round, f"the terms allow {most} for each entrant")
    others = set(tournament.active_entrants) - {command.name}
    if sum((name, command.round) not in tournament.requested_byes for name in others) < 2:
        raise ByeNotPossible(command.name, command.round, "fewer than two others would play")
    return [events.ByeRequested(command.name, command.round, command.kind, command.by)]


def _obstacle_to_bye(tournament: Tournament, command: commands.RequestBye) -> str:
    """Return why no request of this entrant for this round can be accepted. Empty: it can be accepted."""
    form = tournament.terms.format
    if not isinstance(form, Swiss) or not tournament.terms.value.max_requested_byes:
        return "the terms allow none"
    if not 1 <= command.round <= form.rounds:
        return f"the rounds are 1 to {form.rounds}"
    if command.round <= tournament.round:
        return "the round is paired already"
    return "it has withdrawn" if command.name in tournament.withdrawn else ""


DECIDE: dict[type, tuple[Callable[[Tournament, Any], list[TournamentEvent]], frozenset[str]]] = {
    commands.EnterTournament: (_enter, UNTIL_END),
    commands.QualifyEntrants: (_qualify, ENTRY),
    commands.WithdrawEntrant: (_withdraw, UNTIL_END),
    commands.StartTournament: (_start, ENTRY),
    commands.StartTournamentMatch: (_start_match, LATE),
    commands.RecordTournamentScore: (_record, LATE),
    commands.RecordTournamentVoid: (_record_void, LATE),
    commands.DeclareAbsent: (_declare_absent, LATE),
    commands.FreezeVersions: (_freeze, PLAYING),
    commands.PairRound: (staff_acts.pair_round, PLAYING),
    commands.PostponePairing: (staff_acts.postpone, PLAYING),
    commands.ReopenPairing: (staff_acts.reopen, PLAYING),
    commands.RequestBye: (_request_bye, UNTIL_END),
    commands.CorrectScore: (staff_acts.correct_score, LATE),
    commands.CancelTournament: (lambda _, command: [events.TournamentEnded(True, command.message)], UNTIL_END),
}
"""How each command is decided, and in which phases it is allowed."""
