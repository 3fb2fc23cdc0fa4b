"""What is asked of tournaments: which to make, and which of them, and of their pairings, to list."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from referee.app.contests.entering import entered
from referee.app.contests.events import ContestEvent, TournamentMade
from referee.app.contests.held import Held
from referee.app.contests.terms import TournamentTerms
from referee.app.contests.tournament_tables import PairingPhase, phase_of
from referee.contest.pairing import Course
from referee.contest.tournament import Phase, Tournament, evolve
from referee.contest.tournament_events import Entrant


class ExportFormat(Enum):
    CSV = "csv"
    JSON = "json"
    TRF = "trf"


@dataclass(frozen=True, slots=True)
class TournamentWish:
    """A tournament that is to be made."""

    name: str
    organiser: str
    request_id: str
    terms: TournamentTerms
    """Without a seed: the referee draws it."""
    title: str = ""
    """Empty: the name."""
    entrants: tuple[Entrant, ...] = ()

    def made(self, terms: TournamentTerms) -> TournamentMade:
        """As its log tells it, with these terms."""
        title = self.title or self.name
        return TournamentMade(self.name, title, self.organiser, self.request_id, terms, len(self.entrants))


@dataclass(frozen=True, slots=True)
class TournamentFilter:
    """Which tournaments to list. What is given must all hold."""

    game: str = ""
    bot: str = ""
    phase: Phase | None = None


@dataclass(frozen=True, slots=True)
class PairingFilter:
    """Which pairings to list. What is given must all hold."""

    round: int = 0
    entrant: str = ""
    phase: PairingPhase | None = None


EVERY_TOURNAMENT = TournamentFilter()
EVERY_PAIRING = PairingFilter()


def first_events(wish: TournamentWish, seed: bytes, entrants: Sequence[Entrant]) -> list[ContestEvent]:
    """That it was made, and who is in from the beginning. Raises what `entered` raises."""
    terms = replace(wish.terms, tournament=replace(wish.terms.tournament, seed=seed))
    made = wish.made(terms)
    events: list[ContestEvent] = [made]
    held = Held(made, 0, Tournament(terms.tournament))
    for entrant in entrants:
        more = entered(held, entrant)
        held = replace(held, tournament=evolve(held.tournament, more[0]))
        events += more
    return events


def is_wanted(held: Held, wanted: TournamentFilter) -> bool:
    bots = {player.bot for mine in held.bots().values() for player in mine}
    return (
        wanted.game in ("", *(terms.game for terms in held.terms.match_terms))
        and (not wanted.bot or wanted.bot in bots)
        and wanted.phase in (None, held.tournament.phase)
    )


def pairing_is_wanted(course: Course, wanted: PairingFilter) -> bool:
    return (
        wanted.round in (0, course.pairing.round)
        and (not wanted.entrant or wanted.entrant in course.pairing.entrants)
        and wanted.phase in (None, phase_of(course))
    )
