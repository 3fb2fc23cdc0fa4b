"""Returns the commands that caused the events of a contest, so that they can be decided again.

An event that does not follow from other events contains all data of its command. Where one command has caused several
events, they may also be decided by several commands here, as long as the same events follow.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from referee.contests.contest_entrant import EntrantJoined, EntrantLeft
from referee.contests.ladder import commands as ladder_commands
from referee.contests.ladder import events as ladder_events
from referee.contests.ladder.commands import LadderCommand
from referee.contests.ladder.decide import command_from_input
from referee.contests.ladder.rating_rules import find_same_owner
from referee.contests.ladder.state import Ladder
from referee.contests.pairing import ContestMatchScored, ContestMatchStarted, ContestMatchVoided
from referee.contests.pairing_progress import PairingProgress
from referee.contests.strength.rating import FinishOrder
from referee.contests.tournament import commands as tournament_commands
from referee.contests.tournament import events as tournament_events
from referee.contests.tournament.commands import TournamentCommand
from referee.contests.tournament.state import Tournament
from referee.records.contest_record import RecordedEvent


def ladder_command(ladder: Ladder, event: RecordedEvent, following: RecordedEvent | None) -> LadderCommand | None:
    """Return the command to `ladder` that caused `event`, or None if nothing can have caused it.

    `following` is the next recorded event: a match is scored and rated by one command, unless its entrants have an
    owner in common.
    """
    match event:
        case ladder_events.PairingPlanned():
            return _planning(ladder, event)
        case ContestMatchScored():
            return _rating(ladder, event, following)
        case ContestMatchVoided(pairing, number):
            due_id, match_id = current_match(ladder.pairings, pairing, number)
            return ladder_commands.RecordLadderVoid(due_id, match_id)
    command = LADDER_COMMANDS.get(type(event))
    return command(event) if command else None


def tournament_command(tournament: Tournament, event: RecordedEvent) -> TournamentCommand | None:
    """Return the command to `tournament` that caused `event`, or None if nothing can have caused it."""
    match event:
        case ContestMatchScored(pairing, number, score):
            attempt = _attempt(tournament, pairing, number)
            return tournament_commands.RecordTournamentScore(pairing, number, attempt, score)
        case ContestMatchVoided(pairing, number):
            attempt = _attempt(tournament, pairing, number)
            return tournament_commands.RecordTournamentVoid(pairing, number, attempt)
        case tournament_events.TournamentEnded(cancelled, message):
            return tournament_commands.CancelTournament(message) if cancelled else None
    command = TOURNAMENT_COMMANDS.get(type(event))
    return command(event) if command else None


def current_match(pairings: Mapping[str, PairingProgress], pairing: str, number: int) -> tuple[str, str]:
    """Return the ids of a due match and of the match that was started for it. Empty: there is none."""
    progress = pairings.get(pairing)
    if progress is None:
        return "", ""
    attempt = progress.current_attempt(number)
    return f"{pairing}/{number}.{attempt}", progress.match_ids.get((number, attempt), "")


def _planning(ladder: Ladder, event: ladder_events.PairingPlanned) -> LadderCommand | None:
    if event.challenge:
        return ladder_commands.ChallengeEntrants(event.challenge, event.pairing.entrants)
    return command_from_input(ladder, event.planning) if event.planning else None


def _rating(ladder: Ladder, event: ContestMatchScored, following: RecordedEvent | None) -> LadderCommand | None:
    due_id, match_id = current_match(ladder.pairings, event.pairing, event.number)
    if isinstance(following, ladder_events.MatchRated) and following.match_id == match_id:
        return replace(_rate(following), due_id=due_id)
    progress = ladder.pairings.get(event.pairing)
    if progress is None or not find_same_owner(ladder.all_entrants[name] for name in progress.pairing.entrants):
        return None
    players = [ladder.all_entrants[name].rated_player() for name in progress.pairing.entrants]
    finish = FinishOrder(tuple((player,) for player in players), event.score.ranks)
    forfeited = tuple(ladder.all_entrants[name].rated_player() for name in event.score.forfeited)
    return ladder_commands.RecordLadderResult(due_id, match_id, finish, forfeited)


def _rate(event: ladder_events.MatchRated) -> ladder_commands.RateMatch:
    return ladder_commands.RateMatch(event.match_id, event.finish, event.forfeited, at_ms=event.at_ms)


def _attempt(tournament: Tournament, pairing: str, number: int) -> int:
    progress = tournament.pairings.get(pairing)
    return progress.current_attempt(number) if progress else 0


LADDER_COMMANDS: dict[type, Callable[[Any], LadderCommand]] = {
    EntrantJoined: lambda event: ladder_commands.JoinLadder(event.entrant),
    EntrantLeft: lambda event: ladder_commands.LeaveLadder(event.name, event.message),
    ContestMatchStarted: lambda event: ladder_commands.StartLadderMatch(
        f"{event.pairing}/{event.number}.{event.attempt}", event.match_id
    ),
    ladder_events.MatchRated: _rate,
    ladder_events.SeasonStarted: lambda event: ladder_commands.StartSeason(event.request),
    ladder_events.LadderPaused: lambda event: ladder_commands.PauseLadder(event.message),
    ladder_events.LadderResumed: lambda _: ladder_commands.ResumeLadder(),
    ladder_events.LadderClosureStarted: lambda event: ladder_commands.CloseLadder(event.message),
    ladder_events.LadderClosureFinished: lambda _: ladder_commands.FinishClosure(),
}

TOURNAMENT_COMMANDS: dict[type, Callable[[Any], TournamentCommand]] = {
    EntrantJoined: lambda event: tournament_commands.EnterTournament(event.entrant),
    EntrantLeft: lambda event: tournament_commands.WithdrawEntrant(event.name, event.message),
    tournament_events.ByeRequested: lambda event: tournament_commands.RequestBye(
        event.name, event.round, event.bye, event.by
    ),
    tournament_events.TournamentPlayStarted: lambda _: tournament_commands.StartTournament(),
    ContestMatchStarted: lambda event: tournament_commands.StartTournamentMatch(
        event.pairing, event.number, event.attempt, event.match_id
    ),
    tournament_events.EntrantsAbsent: lambda event: tournament_commands.DeclareAbsent(
        event.pairing, event.entrants, event.message, event.by, event.board
    ),
    tournament_events.VersionsFrozen: lambda event: tournament_commands.FreezeVersions(event.entrants),
    tournament_events.PairingsReplaced: lambda event: tournament_commands.PairRound(
        event.pairings[0].round if event.pairings else 0,
        tuple(pairing.entrants for pairing in event.pairings),
        event.message,
        event.by,
    ),
    tournament_events.PairingPostponed: lambda event: tournament_commands.PostponePairing(
        event.pairing, event.until_ms, event.message, event.by
    ),
    tournament_events.PairingReopened: lambda event: tournament_commands.ReopenPairing(
        event.pairing, event.message, event.by
    ),
}
