"""Tournaments: creating, entering and watching them."""

from typing import Literal

from referee_values.contest import Pairing
from referee_values.tournament import Tournament, TournamentEntry, TournamentStanding
from referee_values.value import Count64, Value

ExportFormat = Literal["", "csv", "json", "trf"]
"""File formats of tournaments.

- `""`: Invalid.
- `"csv"`: The standings as comma-separated values (RFC 4180) with a header.
- `"json"`: The whole tournament as a JSON object.
- `"trf"`: FIDE's tournament report file, for formats and games of two sides.
"""


class HandPairing(Value, frozen=True, kw_only=True):
    """Entrants that staff pairs."""

    entrants: tuple[str, ...] = ()
    """Names of two entrants in the order of seats, or of one that has a bye."""


class TournamentSnapshot(Value, frozen=True, kw_only=True):
    """State of a tournament at the time of the call.

    When a watcher continues after an earlier number, all entries since then follow.
    """

    entry_number: Count64 = 0
    """Number of the last entry that is included."""
    tournament: Tournament = Tournament()
    """The tournament."""
    standings: tuple[TournamentStanding, ...] = ()
    """The current standings."""
    pairings: tuple[Pairing, ...] = ()
    """Pairings that are planned or in play."""


class WatchTournamentItem(Value, frozen=True, kw_only=True):
    """An item of a watched tournament."""

    snapshot: TournamentSnapshot | None = None
    """The current state. Always the first item."""
    entry: TournamentEntry | None = None
    """The next entry."""

    @property
    def item(self) -> TournamentSnapshot | TournamentEntry | None:
        """The item."""
        return self.snapshot or self.entry
