"""Requests of clients: which contest to create, and which contests and pairings to list."""

from dataclasses import dataclass, replace
from typing import Protocol

from referee.contests.pairing_progress import PairingProgress
from referee.contests.tournament.events import TournamentEntrant
from referee.contests.tournament.state import TournamentPhase
from referee.hosting.contest_log import LadderCreated, TournamentCreated
from referee.hosting.contest_state import ContestState
from referee.hosting.contest_terms import LadderTerms, TournamentTerms
from referee.hosting.ladder_state import LadderState
from referee.hosting.tournament_state import TournamentState
from referee.hosting.tournament_tables import PairingPhase, phase_of


class ContestRequest(Protocol):
    """A request to create a contest."""

    @property
    def name(self) -> str: ...

    @property
    def organiser(self) -> str:
        """Holder of the token with which it is created."""

    @property
    def request_id(self) -> str:
        """Chosen by the organiser; a second request with the same id creates nothing."""

    @property
    def terms(self) -> LadderTerms | TournamentTerms: ...

    @property
    def title(self) -> str:
        """Title for people. Empty: the name."""


@dataclass(frozen=True, slots=True)
class LadderRequest:
    name: str
    organiser: str
    request_id: str
    terms: LadderTerms
    title: str = ""

    def created(self, seed: bytes) -> LadderCreated:
        """Return the first event of the ladder."""
        return LadderCreated(self.name, self.title or self.name, self.organiser, self.request_id, seed, self.terms)


@dataclass(frozen=True, slots=True)
class TournamentRequest:
    name: str
    organiser: str
    request_id: str
    terms: TournamentTerms
    """Without a seed, which the referee draws."""
    title: str = ""
    entrants: tuple[TournamentEntrant, ...] = ()

    def created(self, seed: bytes) -> TournamentCreated:
        """Return the first event of the tournament."""
        terms = replace(self.terms, tournament=replace(self.terms.tournament, seed=seed))
        title = self.title or self.name
        return TournamentCreated(self.name, title, self.organiser, self.request_id, terms, len(self.entrants))


@dataclass(frozen=True, slots=True)
class ContestFilter:
    """Which contests to list; all conditions must hold."""

    game: str = ""
    bot: str = ""

    def matches(self, state: ContestState) -> bool:
        games = {terms.game for terms in state.terms.match_terms}
        return self.game in {"", *games} and (not self.bot or state.has_bot(self.bot))


@dataclass(frozen=True, slots=True)
class LadderFilter(ContestFilter):
    with_closed: bool = False

    def matches(self, state: ContestState) -> bool:
        assert isinstance(state, LadderState)
        return ContestFilter.matches(self, state) and (self.with_closed or not state.closed)


@dataclass(frozen=True, slots=True)
class TournamentFilter(ContestFilter):
    phase: TournamentPhase | None = None

    def matches(self, state: ContestState) -> bool:
        assert isinstance(state, TournamentState)
        return ContestFilter.matches(self, state) and self.phase in (None, state.tournament.phase)


@dataclass(frozen=True, slots=True)
class PairingFilter:
    """Which pairings of a tournament to list; all conditions must hold."""

    round: int = 0
    entrant: str = ""
    phase: PairingPhase | None = None

    def matches(self, progress: PairingProgress) -> bool:
        pairing = progress.pairing
        return (
            self.round in (0, pairing.round)
            and (not self.entrant or self.entrant in pairing.entrants)
            and self.phase in (None, phase_of(progress))
        )
