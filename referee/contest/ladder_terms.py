"""What a ladder is played by."""

from dataclasses import dataclass

from engines.chance import Chance
from referee.contest import rated
from referee.contest.duplicate import Duplicate
from referee.contest.pairing import Places


@dataclass(frozen=True, slots=True)
class Terms:
    name: str
    seed: bytes
    """All chance of the ladder: what the matches of a set begin with."""
    at_a_table: int = 2
    """Entrants."""
    sides: Places = ()
    """Which places at a table stand together. Nothing: everybody alone."""
    bots: int = 1
    """Of an entrant. Several are partners for good, and have one rating between them."""
    duplicate: Duplicate | None = None
    """None: single matches."""
    kinds: int = 1
    """Of matches, taken in turn."""
    matches_at_once: int | None = None
    rematch_after: int = 1
    """How many other opponents come before the same one again, where there are enough."""
    provisional_matches: int = 20
    """How many it takes until a rating is one to be ranked by."""

    @property
    def chance(self) -> Chance:
        return Chance(self.seed)

    def provisional(self, rating: rated.Rated) -> bool:
        return rating.matches < self.provisional_matches
