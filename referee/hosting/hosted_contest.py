"""What the states of ladders and tournaments have in common: who created the contest, and its matches by due match."""

from collections.abc import Mapping
from typing import ClassVar, Generic, TypeVar

from msgspec import Struct, field

from referee.contests.contest_entrant import ContestEntrant
from referee.contests.ladder.state import Ladder
from referee.contests.pairing import DueMatch, SetStart
from referee.contests.tournament.state import Tournament
from referee.hosting.contest_log import LadderCreated, TournamentCreated, contest_id
from referee.match.setup import Player

Created = TypeVar("Created", LadderCreated, TournamentCreated)


class HostedContest(Struct, Generic[Created], frozen=True, gc=False, kw_only=True):
    kind: ClassVar[str]
    """The word `ladder` or `tournament`."""
    created: Created
    created_ms: int
    number: int = 1
    """Number of the last entry that the state includes."""
    planned_ms: Mapping[str, int] = field(default_factory=dict)
    """When each pairing was planned or, if that is later, when its first match may start, by its id."""

    @property
    def play(self) -> Ladder | Tournament:
        """The pure contest."""
        raise NotImplementedError

    @property
    def all_entrants(self) -> Mapping[str, ContestEntrant]:
        """Entrants by name, including those that have left."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        return self.created.name

    @property
    def title(self) -> str:
        """Title for people."""
        return self.created.title

    @property
    def organiser(self) -> str:
        """Holder of the token with which it was created."""
        return self.created.organiser

    @property
    def contest(self) -> str:
        """Id in the contest log, and the `maker` label of its matches."""
        return contest_id(self.kind, self.name)

    @property
    def playing(self) -> list[DueMatch]:
        """Matches that have started and have no result yet."""
        return self.play.matches_in_play

    @property
    def full(self) -> bool:
        """Whether the limit of matches in play at the same time is reached."""
        at_once = self.play.terms.max_concurrent_matches
        return at_once is not None and len(self.playing) >= at_once

    def start_of(self, due: DueMatch) -> SetStart | None:
        """Return what a match shares with the others of its set. None: it is not of duplicate play."""
        return self.play.set_start(due)

    def match_id(self, due: DueMatch) -> str | None:
        """Return the id of the match that was started for `due`. None: there is none, or its pairing is done."""
        progress = self.play.pairings.get(due.pairing.id)
        return progress.match_ids.get((due.number, due.attempt)) if progress else None

    def bots(self) -> dict[str, tuple[Player, ...]]:
        """Return the bots of all entrants, including those that have left."""
        return {name: entrant.bots for name, entrant in self.all_entrants.items()}
