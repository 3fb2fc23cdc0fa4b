"""What happened in a tournament, entry by entry."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from referee_api.v1 import contest_pb2
from referee_api.v1 import tournament_pb2 as pb

from referee.app.contests.book import Step
from referee.app.contests.events import TournamentMade
from referee.app.contests.held import Held
from referee.app.contests.tournament_tables import Row
from referee.contest import tournament_events as contest
from referee.contest.formats import Trial
from referee.contest.match_events import Began, Scored, Voided
from referee.contest.schedule import Scheduled
from referee.transport.convert.contests import entrant_of, pairing_of
from referee.transport.convert.sprt import sprt_state_of
from referee.transport.convert.terms import Customs
from referee.transport.convert.times import timestamp
from referee.transport.convert.tournaments import PHASES, standings_of, tournament_of
from referee.transport.convert.words import word

Told: TypeAlias = tuple[str, Any]
"""The field of an event, and its message."""
Standings: TypeAlias = Sequence[pb.TournamentStanding]


def state_of_standings(step: Step[Held]) -> Held | None:
    """The state whose standings an entry shows; None: it shows none."""
    event = step.entry.event
    if isinstance(event, contest.Ended):
        return step.state if step.state.started_ms is not None else None
    return step.before if isinstance(event, contest.Paired) and _begins_round(event, step) else None


def tournament_entry_of(
    step: Step[Held], customs: Customs, table: Sequence[Row], *, with_openings: bool
) -> pb.TournamentEntry:
    """`table`: the standings of `state_of_standings`, if there is one."""
    entry = step.entry
    told = pb.TournamentEntry(number=entry.number, at=timestamp(entry.at_ms))
    if isinstance(entry.event, TournamentMade):
        told.made.CopyFrom(tournament_of(step.state, customs, with_openings=with_openings))
    else:
        standings = standings_of(table, step.state.tournament.tie_breaks)
        name, message = TOLD[type(entry.event)](entry.event, step, standings)
        getattr(told, name).CopyFrom(message)
    return told


def _entered(event: contest.Entered, *_: Any) -> Told:
    return "joined", contest_pb2.EntrantJoined(entrant=entrant_of(event.entrant.name, event.entrant.bots))


def _withdrew(event: contest.Withdrew, *_: Any) -> Told:
    return "left", contest_pb2.EntrantLeft(entrant=event.name, message=event.message)


def _started(*_: Any) -> Told:
    return "round_began", pb.RoundBegan(round=1)


def _paired(event: contest.Paired, step: Step[Held], standings: Standings) -> Told:
    pairings = [pairing_of(step.state.tournament.courses[pairing.id]) for pairing in event.pairings]
    if not _begins_round(event, step):
        return "planned", pb.PairingsPlanned(pairings=pairings)
    number = min(pairing.round for pairing in event.pairings)
    return "round_began", pb.RoundBegan(round=number, standings=standings, pairings=pairings)


def _begins_round(event: contest.Paired, step: Step[Held]) -> bool:
    """The first pairings belong to the start; later ones may begin a round, but not in a test or a schedule."""
    assert step.before
    before = step.before.tournament
    number = min(pairing.round for pairing in event.pairings)
    return 0 < before.round < number and not isinstance(before.terms.format, Trial | Scheduled)


def _went_on(event: Began | Voided, step: Step[Held], _: Standings) -> Told:
    return "pairing", pairing_of(step.state.tournament.courses[event.pairing])


def _scored(event: Scored, step: Step[Held], _: Standings) -> Told:
    tournament = step.state.tournament
    test = tournament.test
    return ("sprt", sprt_state_of(test)) if test else ("pairing", pairing_of(tournament.courses[event.pairing]))


def _ended(event: contest.Ended, step: Step[Held], standings: Standings) -> Told:
    phase = word(PHASES, step.state.tournament.phase)
    return "ended", pb.TournamentEnded(phase=phase, standings=standings, message=event.message)


TOLD: dict[type, Callable[[Any, Step[Held], Standings], Told]] = {
    contest.Entered: _entered,
    contest.Withdrew: _withdrew,
    contest.Started: _started,
    contest.Paired: _paired,
    Began: _went_on,
    Voided: _went_on,
    Scored: _scored,
    contest.Ended: _ended,
}
