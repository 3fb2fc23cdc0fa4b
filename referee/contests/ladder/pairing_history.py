"""Previous opponents, seats and partners of each entrant, as far as pairing uses them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

Meeting = tuple[str, ...]
"""Opponents that an entrant met at one table."""


@dataclass(frozen=True, slots=True)
class PairingHistory:
    """History of all entrants that were ever paired."""

    recent: Mapping[str, tuple[Meeting, ...]] = field(default_factory=dict)
    """Meetings of each entrant, oldest first. An opponent is only in its last meeting. Old meetings are dropped."""
    seat_counts: Mapping[tuple[str, int], int] = field(default_factory=dict)
    """How often an entrant had a seat."""
    partner_counts: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """How often two entrants, in alphabetical order, were partners."""

    def opponents_since(self, name: str) -> dict[str, int]:
        """Return the recent opponents of an entrant, each with the number of opponents met since."""
        opponents: dict[str, int] = {}
        since = 0
        for meeting in reversed(self.recent.get(name, ())):
            opponents |= dict.fromkeys(meeting, since)
            since += len(meeting)
        return opponents

    def with_pairing(self, names: Sequence[str], sides: Iterable[Sequence[int]], keep: int) -> "PairingHistory":
        """Return the history after a pairing. A meeting is dropped after `keep` later opponents."""
        met = {name: _met(self.recent.get(name, ()), tuple(it for it in names if it != name), keep) for name in names}
        seats = {place: self.seat_counts.get(place, 0) + 1 for place in zip(names, range(len(names)), strict=True)}
        partners = {pair: self.partner_counts.get(pair, 0) + 1 for pair in partner_pairs(names, sides)}
        return replace(
            self,
            recent={**self.recent, **met},
            seat_counts={**self.seat_counts, **seats},
            partner_counts={**self.partner_counts, **partners} if partners else self.partner_counts,
        )


def partner_pairs(names: Sequence[str], sides: Iterable[Sequence[int]]) -> list[tuple[str, str]]:
    """Return all pairs of partners, each in alphabetical order."""
    return [
        (min(one, other), max(one, other))
        for side in sides
        for one, other in combinations([names[place] for place in side], 2)
    ]


def _met(earlier: Sequence[Meeting], meeting: Meeting, keep: int) -> tuple[Meeting, ...]:
    older = [tuple(it for it in old if it not in meeting) for old in earlier]
    meetings = [old for old in older if old] + [meeting]
    while sum(map(len, meetings[1:])) >= keep and len(meetings) > 1:
        meetings.pop(0)
    return tuple(meetings)
