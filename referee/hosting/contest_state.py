"""The state of a contest as hosting needs it, for ladders and tournaments alike."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from referee.contests.pairing import DueMatch, SetStart
from referee.hosting.contest_terms import LadderTerms, MatchTerms, TournamentTerms
from referee.match.setup import Player


class ContestState(Protocol):
    """State of one contest after an entry of its log: `LadderState` or `TournamentState`."""

    @property
    def number(self) -> int:
        """Number of the last entry that the state includes."""

    @property
    def contest(self) -> str:
        """Id in the contest log, which is also the `maker` label of its matches."""

    @property
    def over(self) -> bool:
        """Whether the contest has ended; its state no longer changes."""

    @property
    def labels(self) -> Mapping[str, str]:
        """Labels `ladder` and `tournament` of its matches, as far as they have them."""

    @property
    def terms(self) -> LadderTerms | TournamentTerms: ...

    @property
    def planned_ms(self) -> Mapping[str, int]:
        """When each pairing that is not done was planned (Unix milliseconds), by its id."""

    @property
    def playing(self) -> Sequence[DueMatch]:
        """Matches that have started and have no result yet."""

    @property
    def waiting(self) -> Sequence[DueMatch]:
        """Matches that may start as far as the contest is concerned, in order of planning."""

    @property
    def unstarted(self) -> Sequence[DueMatch]:
        """Matches that were planned and have not started, including those that must not start now."""

    @property
    def full(self) -> bool:
        """Whether the limit of matches in play at the same time is reached."""

    def bots(self) -> Mapping[str, tuple[Player, ...]]:
        """Return the bots of each entrant, in the order in which they sit."""

    def has_bot(self, bot: str) -> bool:
        """Return whether an entrant plays with that bot."""

    def match_id(self, due: DueMatch) -> str | None:
        """Return the id of the match that was started for `due`. None: there is none, or it is done."""

    def match_terms(self, due: DueMatch) -> MatchTerms:
        """Return the terms of a match; those of one set are the same."""

    def start_of(self, due: DueMatch) -> SetStart | None:
        """Return what a match shares with the others of its set. None: it is not of duplicate play."""

    def is_set_open(self, set_id: str, but: str) -> bool:
        """Return whether a set of duplicate play has matches left to play, without the due match with the id `but`."""
