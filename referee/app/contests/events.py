"""What has happened in a contest: first what was made, then the events of the ladder or the tournament itself."""

from dataclasses import dataclass

from referee.app.contests.terms import LadderTerms, TournamentTerms
from referee.contest import ladder_events as ladder
from referee.contest import tournament_events as tournament


@dataclass(frozen=True, slots=True)
class LadderMade:
    """Always the first event of a ladder."""

    name: str
    title: str
    organiser: str
    """The holder of the token that made it."""
    request_id: str
    seed: bytes
    """All chance of the ladder comes from it. Nobody is told of it before the ladder is closed."""
    terms: LadderTerms


@dataclass(frozen=True, slots=True)
class TournamentMade:
    """Always the first event of a tournament."""

    name: str
    title: str
    organiser: str
    """The holder of the token that made it."""
    request_id: str
    terms: TournamentTerms
    entrants: int = 0
    """How many came in with it: the entries right behind."""


ContestEvent = LadderMade | TournamentMade | ladder.Event | tournament.Event
