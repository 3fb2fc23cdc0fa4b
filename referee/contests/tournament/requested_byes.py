"""Byes that entrants request: rounds of a Swiss tournament that they announce not to play, before these are paired.

A request names what the entrant gets, half a point or nothing. The terms limit how many rounds an entrant may ask for.
"""

from collections.abc import Mapping

from referee_values import ByeKind, Swiss

from referee.contests.contest_errors import ByeNotPossible, UnknownEntrant
from referee.contests.tournament.commands import RequestBye
from referee.contests.tournament.events import ByeRequested, TournamentEvent
from referee.contests.tournament.state import Tournament


def request_bye(tournament: Tournament, command: RequestBye) -> list[TournamentEvent]:
    """Return the event that records or cancels a request. Raises UnknownEntrant or ByeNotPossible."""
    if command.name not in tournament.entrants:
        raise UnknownEntrant(command.name)
    if why := _obstacle(tournament, command):
        raise ByeNotPossible(command.name, command.round, why)
    requested = _requested_by(tournament, command.name)
    if requested.get(command.round, "none") == command.kind:
        return []
    most = tournament.terms.value.max_requested_byes
    if command.kind == "none":
        return [ByeRequested(command.name, command.round, command.kind, command.by)]
    if len(requested.keys() | {command.round}) > most:
        raise ByeNotPossible(command.name, command.round, f"the terms allow {most} for each entrant")
    others = set(tournament.active_entrants) - {command.name}
    if sum((name, command.round) not in tournament.requested_byes for name in others) < 2:
        raise ByeNotPossible(command.name, command.round, "fewer than two others would play")
    return [ByeRequested(command.name, command.round, command.kind, command.by)]


def _obstacle(tournament: Tournament, command: RequestBye) -> str:
    """Return why no request of this entrant for this round can be accepted. Empty: it can be accepted."""
    form = tournament.terms.format
    if not isinstance(form, Swiss) or not tournament.terms.value.max_requested_byes:
        return "the terms allow none"
    if not 1 <= command.round <= form.rounds:
        return f"the rounds are 1 to {form.rounds}"
    if command.round <= tournament.round:
        return "the round is paired already"
    return "it has withdrawn" if command.name in tournament.withdrawn else ""


def _requested_by(tournament: Tournament, name: str) -> Mapping[int, ByeKind]:
    return {number: kind for (who, number), kind in tournament.requested_byes.items() if who == name}
