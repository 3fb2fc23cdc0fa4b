"""What a contest is played by: all of it, as a value that its log can hold.

Every default is filled in that a game could fill in otherwise later: a contest that is read again is the same
contest.
"""

from dataclasses import dataclass
from enum import Enum

from engines.options import Settings
from referee.app.wish import OWN_BEGINNING, MatchWish, Opening
from referee.contest.terms import Terms
from referee.core.clock import Micros, TimeControl
from referee.core.policy import Policies
from referee.core.row import NetworkCredit
from referee.core.setup import DEFAULT_POLICIES, NO_CREDIT, SHOWN_LIVE, Player, Visibility


class Partners(Enum):
    """Who stands together, in games whose sides have several seats."""

    INDIVIDUAL = "individual"
    """Every seat is an entrant of its own, with partners that change."""
    FIXED = "fixed"
    """An entrant brings a bot for every seat of its side."""


HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class MatchTerms:
    """The terms of a contest's matches. Who sits where, the seed and the opening are the pairing's."""

    game: str
    settings: Settings
    controls: tuple[TimeControl, ...] = ()
    """One for all seats, or one a seat."""
    credit: NetworkCredit = NO_CREDIT
    policies: Policies = DEFAULT_POLICIES
    visibility: Visibility = SHOWN_LIVE
    by_lot: bool = False
    nonce_within_us: Micros = 0
    start_within_us: Micros = 0
    """0: as long as the referee is set to wait."""

    def wish(
        self,
        players: tuple[Player, ...],
        labels: dict[str, str],
        seed: bytes | None = None,
        opening: Opening = OWN_BEGINNING,
    ) -> MatchWish:
        """One match by these terms."""
        return MatchWish(
            self.game,
            dict(self.settings.values),
            None,
            players,
            self.controls,
            self.credit,
            self.policies,
            self.visibility,
            seed,
            self.by_lot,
            self.nonce_within_us,
            self.start_within_us,
            opening,
            labels,
        )


@dataclass(frozen=True, slots=True)
class DuplicatePlay:
    """The same start, with the same seed, played again with the seats exchanged."""

    arrangements: int = 0
    """Of seats, in which each start is played. 0: as many as there are sides."""
    openings: tuple[Opening, ...] = ()
    """Taken in turn. None: the game's own beginning, with another seed for each set."""


@dataclass(frozen=True, slots=True)
class LadderTerms:
    match_terms: tuple[MatchTerms, ...]
    """Taken in turn; all with the same seats and sides."""
    duplicate: DuplicatePlay | None = None
    """None: single matches."""
    partners: Partners = Partners.INDIVIDUAL
    matches_at_once: int = 0
    """0: as many as there is room for."""
    rematch_after: int = 1
    """How many other opponents come before the same one again."""
    provisional_matches: int = 20
    pause_after_faults: int = 3
    """Faults in a row."""
    matches_per_hour: int = 0
    """At most so many begin, evenly spread. 0: as many as can."""

    @property
    def gap_ms(self) -> int:
        """How long after a match began the next one may."""
        return -(-HOUR_MS // self.matches_per_hour) if self.matches_per_hour else 0


@dataclass(frozen=True, slots=True)
class TournamentTerms:
    match_terms: tuple[MatchTerms, ...]
    """Taken in turn; all with the same seats and sides."""
    tournament: Terms
    """Who meets whom, and what parts them; also all its chance, of which nobody is told before the end."""
    openings: tuple[Opening, ...] = ()
    """Of duplicate play, taken in turn. None: the game's own beginning, with another seed for each set."""
    ladder: str = ""
    """Whose ratings seed the entrants and follow the results. Empty: none."""
    partners: Partners = Partners.INDIVIDUAL
