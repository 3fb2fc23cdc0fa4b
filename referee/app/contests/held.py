"""A tournament as it is held here: the pure value, who made it, and when what happened."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from referee.app.contests.events import TournamentMade
from referee.app.contests.log import TOURNAMENT, ContestEntry, contest_id
from referee.app.contests.refusals import ContestDamaged
from referee.app.contests.terms import MatchTerms, TournamentTerms
from referee.contest.pairing import Due
from referee.contest.tournament import Phase, Tournament, evolve
from referee.contest.tournament_events import Ended, Paired, Started
from referee.core.setup import Player


@dataclass(frozen=True, slots=True)
class Held:
    made: TournamentMade
    made_ms: int
    tournament: Tournament
    number: int = 1
    """Of the last entry that this includes."""
    started_ms: int | None = None
    ended_ms: int | None = None
    planned_ms: Mapping[str, int] = field(default_factory=dict)
    """When each pairing was planned, by its id."""

    @property
    def name(self) -> str:
        return self.made.name

    @property
    def contest(self) -> str:
        """Its id in the log of contests; so its matches name their maker."""
        return contest_id(TOURNAMENT, self.name)

    @property
    def title(self) -> str:
        """For people."""
        return self.made.title

    @property
    def organiser(self) -> str:
        """The holder of the token that made it."""
        return self.made.organiser

    @property
    def terms(self) -> TournamentTerms:
        return self.made.terms

    @property
    def over(self) -> bool:
        return self.tournament.phase in {Phase.FINISHED, Phase.CANCELLED}

    @property
    def waiting(self) -> list[Due]:
        """Matches that may begin now and have not, in the order of planning, however many may be in play."""
        return [due for some in self.waiting_in_parts for due in some]

    @property
    def waiting_in_parts(self) -> Iterator[Sequence[Due]]:
        """The same, in groups of some hundred matches."""
        parts = self.tournament.courses.parts if self.tournament.phase is Phase.PLAYING else ()
        return (part.waiting for part in parts)

    @property
    def full(self) -> bool:
        """Are as many matches in play as may be at once?"""
        at_once = self.tournament.terms.matches_at_once
        return at_once is not None and len(self.tournament.playing) >= at_once

    def match_id(self, due: Due) -> str | None:
        """Of the match that is played for it. None: it has not begun."""
        return self.tournament.courses[due.pairing.id].match_ids.get((due.number, due.attempt))

    def match_terms(self, due: Due) -> MatchTerms:
        """Taken in turn, and the same for a whole set."""
        return self.terms.match_terms[(due.set - 1) % len(self.terms.match_terms)]

    def set_open(self, set_id: str, but: str) -> bool:
        """Is anything left to play of that set of duplicate play, `but` for the match that was due by that id?"""
        pairing, _, number = set_id.rpartition("/")
        return not (self.over or self.tournament.courses[pairing].set_over(int(number), but))

    def bots(self) -> dict[str, tuple[Player, ...]]:
        """Of each entrant."""
        return {name: entrant.bots for name, entrant in self.tournament.entrants.items()}


def fold(held: Held | None, entry: ContestEntry) -> Held:
    """As the entry made it. None: it is the first."""
    event = entry.event
    if held is None:
        if not isinstance(event, TournamentMade):
            raise ContestDamaged(entry.contest)
        return Held(event, entry.at_ms, Tournament(event.terms.tournament))
    after = replace(held, tournament=evolve(held.tournament, event), number=entry.number)  # type: ignore[arg-type]
    if isinstance(event, Started):
        return replace(after, started_ms=entry.at_ms)
    if isinstance(event, Paired):
        planned = dict.fromkeys((pairing.id for pairing in event.pairings), entry.at_ms)
        return replace(after, planned_ms={**held.planned_ms, **planned})
    return replace(after, ended_ms=entry.at_ms) if isinstance(event, Ended) else after
