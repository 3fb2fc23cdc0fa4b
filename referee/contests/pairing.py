"""Pairings, their matches and sets, the events of these matches, and the history of pairings that matchmaking uses.

A pairing has a stable id from the moment it is planned. It consists of one or more matches, numbered from 1; seats
rotate from one match to the next. Consecutive matches may form a set, which counts as a whole. A void match is played
again as its next attempt.

In duplicate play, all matches of a set start alike: from the same seed, derived from the contest's seed, and the same
opening. So neither luck nor the first move decides. What one match of a set would reveal about the next must stay
hidden until the set is over.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from msgspec import Struct, field
from msgspec.structs import replace

from engines.chance import Chance

Sides = tuple[tuple[int, ...], ...]
"""Sides of a table, each as positions in `Pairing.entrants`."""


class Pairing(Struct, frozen=True, gc=False):
    id: str
    round: int
    board: int
    entrants: tuple[str, ...]
    """Entrants in seat order of the first match; one with several seats is listed for each. A single one has a bye."""
    matches: int = 1
    extra: int = 0
    """Maximum number of further matches while two entrants are level."""
    sides: Sides = ()
    """Partners. Empty: each entrant plays alone."""
    arrangements: int = 1
    """Matches in each set. 1: no duplicate play."""

    @property
    def is_bye(self) -> bool:
        return len(self.entrants) == 1

    @property
    def participants(self) -> tuple[str, ...]:
        """The entrants without repetition."""
        return tuple(dict.fromkeys(self.entrants))

    def seats_of_match(self, number: int) -> tuple[str, ...]:
        """Return the entrants in the order of seats of a match."""
        turn = (number - 1) % len(self.entrants)
        return self.entrants[turn:] + self.entrants[:turn]

    def positions_of(self, name: str) -> list[int]:
        """Return the positions at which an entrant plays."""
        return [place for place, entrant in enumerate(self.entrants) if entrant == name]

    @property
    def teams(self) -> Sides:
        """All sides, as positions. A position without partners is a side of its own."""
        return self.sides or tuple((place,) for place in range(len(self.entrants)))

    def teams_of_match(self, number: int) -> Sides:
        """Return all sides, with the one that has the first seat of that match first."""
        turn = (number - 1) % len(self.entrants)
        return tuple(sorted(self.teams, key=lambda side: turn not in side))

    def opposing_teams(self, place: int) -> Sides:
        """Return the other sides, except for those that the same entrant holds."""
        name = self.entrants[place]
        return tuple(side for side in self.teams if place not in side and self.entrants[side[0]] != name)


class DueMatch(Struct, frozen=True, gc=False):
    """An attempt at one match of a pairing."""

    pairing: Pairing
    number: int
    attempt: int

    @property
    def id(self) -> str:
        return f"{self.pairing.id}/{self.number}.{self.attempt}"

    @property
    def seats(self) -> tuple[str, ...]:
        return self.pairing.seats_of_match(self.number)

    @property
    def set_number(self) -> int:
        """The number of its set, from 1."""
        return (self.number - 1) // self.pairing.arrangements + 1

    @property
    def set_id(self) -> str:
        return f"{self.pairing.id}/{self.set_number}"


class MatchScore(Struct, frozen=True, gc=False):
    """The result of one match, in the order of the pairing's entrants rather than of seats."""

    ranks: tuple[int, ...]
    """Ranks from 1; equal ranks are shared."""
    forfeited: tuple[str, ...] = ()
    """Entrants that lost by a fault of their own."""
    moves: str = ""
    """Digest of the moves, by which repeated games are found. Empty: none was played, or it is not known."""


GameKey = tuple[tuple[str, ...], str]
"""Entrants in the order of seats (with the board of teams), and the digest of the moves.

Games with the same key are one piece of evidence.
"""


class ContestMatchStarted(Struct, frozen=True, gc=False, tag_field="kind", tag="match_started"):
    """A match was created."""

    pairing: str
    number: int
    attempt: int
    match_id: str


class ContestMatchScored(Struct, frozen=True, gc=False, tag_field="kind", tag="match_scored"):
    """A match has a result."""

    pairing: str
    number: int
    score: MatchScore


class ContestMatchVoided(Struct, frozen=True, gc=False, tag_field="kind", tag="match_voided"):
    """A match became void. It will be played again."""

    pairing: str
    number: int


class DuplicateSets(Struct, frozen=True, gc=False):
    """How sets are played."""

    arrangements: int = 2
    """Matches in each set. Seats rotate from one to the next."""
    openings: int = 0
    """Number of openings, which are used in turn. 0: the standard start, with another seed for each set."""


class SetStart(Struct, frozen=True, gc=False):
    """What the matches of a set have in common."""

    set_id: str
    seed: bytes
    opening: int | None
    """Index in the list of openings. None: the standard start."""


def derive_set_start(due: DueMatch, duplicate: DuplicateSets, chance: Chance, turn: int) -> SetStart:
    """Return the common start of the match's set, which is the same for each of its matches and attempts.

    `turn` is how many pairings have used openings before this one.
    """
    sets = due.pairing.matches // duplicate.arrangements
    opening = (turn * sets + due.set_number - 1) % duplicate.openings if duplicate.openings else None
    return SetStart(due.set_id, chance.fork(due.set_id).seed, opening)


Meeting = tuple[str, ...]
"""Opponents that an entrant met at one table."""


class PairingHistory(Struct, frozen=True, gc=False):
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
        met = {
            name: _met(self.recent.get(name, ()), tuple(other for other in names if other != name), keep)
            for name in names
        }
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
        (min(name, other), max(name, other))
        for side in sides
        for name, other in combinations([names[place] for place in side], 2)
    ]


def _met(earlier: Sequence[Meeting], meeting: Meeting, keep: int) -> tuple[Meeting, ...]:
    older = [tuple(name for name in old if name not in meeting) for old in earlier]
    meetings = [old for old in older if old] + [meeting]
    while sum(map(len, meetings[1:])) >= keep and len(meetings) > 1:
        meetings.pop(0)
    return tuple(meetings)
