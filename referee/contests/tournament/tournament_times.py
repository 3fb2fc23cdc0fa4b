"""Times of a tournament: its start, the close of entries, breaks between rounds, and how long absent entrants count.

Moments are Unix milliseconds. Whoever executes a command passes the current time, and events record what follows from
it, so a tournament that is read again has the same times.
"""

from msgspec import Struct

from referee.contests.contest_errors import BadTerms

MAX_WAIT_MS = 30 * 24 * 3_600_000
"""Limit of a wait or a break: 30 days."""
MAX_MOMENT_MS = 253_402_300_799_999
"""The last millisecond of the year 9999."""
MAX_NO_SHOWS = 1_000


class TournamentTimes(Struct, frozen=True, gc=False):
    """The constructor raises BadTerms."""

    no_show_ms: int = 0
    """How long a pairing waits for an absent entrant, which then loses it. 0: for ever."""
    max_no_shows: int = 2
    """Number of pairings, lost in succession by absence, after which an entrant is withdrawn."""
    starts_at_ms: int = 0
    """When the tournament starts by itself. 0: when the organiser starts it."""
    entries_close_at_ms: int = 0
    """When entries close. 0: at the start, or later if the terms allow late entry."""
    round_break_ms: int = 0
    """Least time between the end of a round and the start of the next one."""

    def __post_init__(self) -> None:
        _check("no_show_ms", self.no_show_ms, 0, MAX_WAIT_MS)
        _check("max_no_shows", self.max_no_shows, 1, MAX_NO_SHOWS)
        _check("starts_at", self.starts_at_ms, 0, MAX_MOMENT_MS)
        _check("entries_close_at", self.entries_close_at_ms, 0, MAX_MOMENT_MS)
        _check("round_break_ms", self.round_break_ms, 0, MAX_WAIT_MS)


def _check(field: str, number: int, lower: int, upper: int) -> None:
    if lower <= number <= upper:
        return
    if upper == MAX_MOMENT_MS:
        raise BadTerms(field, "must be a time between the years 1970 and 9999")
    raise BadTerms(field, f"must be from {lower} to {upper}")


NO_TIMES = TournamentTimes()
"""No automatic start, no breaks, and pairings wait for ever."""
