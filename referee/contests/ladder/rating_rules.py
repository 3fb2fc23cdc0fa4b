"""Rules that keep ratings on a ladder honest: absence, new versions, and repeated matches against few opponents.

- The deviation of a rating grows while it is not in use, so that nobody keeps a lucky rating by staying away.
- A new version starts from the rating of the bot's last version, with a larger deviation.
- Matches against an opponent whom a bot has met much more often than others count less, so that a bot gains little if
  another one loses to it on purpose.

All of this follows from the log alone.
"""

from collections.abc import Iterable, Mapping
from itertools import combinations

from msgspec import Struct, field
from msgspec.structs import replace

from referee.contests.contest_entrant import ContestEntrant
from referee.contests.strength.rating import (
    NO_RATING,
    FinishOrder,
    RatingRecord,
    RatingUpdate,
    compute_rating_updates,
)
from referee.match.setup import Player

WINDOW = 40
"""Number of the latest opponents of a bot among which repetitions count."""

FREE_SHARES = 3
"""Matches against an opponent count in full up to this many times its even share of the window."""

DAY_MS = 24 * 3600 * 1000

ACTIVE_MS = 30 * DAY_MS
"""An opponent is active for this long after a match."""

SETTLED_MATCHES = 20
"""Number of matches of a version from which its successor gets the whole additional deviation."""


class RatingHistory(Struct, frozen=True, gc=False):
    """What the rules need to know about former matches, also of earlier seasons. Times are Unix milliseconds."""

    rated_ms: Mapping[Player, int] = field(default_factory=dict)
    """When each player was rated last. 0: not known."""
    versions: Mapping[str, Player] = field(default_factory=dict)
    """The version of each bot that was rated last."""
    opponents: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The holders of the latest opponents of each bot, the latest last."""
    active_ms: Mapping[str, int] = field(default_factory=dict)
    """When each holder was rated last."""

    @property
    def last_ms(self) -> int:
        """When the last match was rated."""
        return max(self.rated_ms.values(), default=0)

    def with_match(self, finish: FinishOrder[Player], holders: Mapping[Player, str], at_ms: int) -> "RatingHistory":
        """Return the history with one more match; `holders` has the holder of each player."""
        return replace(
            self.with_players(finish, at_ms),
            opponents={
                **self.opponents,
                **{player.bot: self._met(player, finish, holders) for player in finish.players},
            },
            active_ms={**self.active_ms, **dict.fromkeys(holders.values(), at_ms)},
        )

    def with_players(self, finish: FinishOrder[Player], at_ms: int) -> "RatingHistory":
        """Return the history after a match, without its opponents, which affect only the weights of later matches."""
        return replace(
            self,
            rated_ms={**self.rated_ms, **dict.fromkeys(finish.players, at_ms)},
            versions={**self.versions, **{player.bot: player for player in finish.players}},
        )

    def corrected(self, rated_ms: Mapping[Player, int], versions: Iterable[Player]) -> "RatingHistory":
        """Return the history after a correction. Matches that are struck were played: they still count as repeated."""
        return replace(self, rated_ms=rated_ms, versions={player.bot: player for player in versions})

    def _met(self, player: Player, finish: FinishOrder[Player], holders: Mapping[Player, str]) -> tuple[str, ...]:
        against = [holders[opponent] for side in finish.sides if player not in side for opponent in side]
        return (*self.opponents.get(player.bot, ()), *against)[-WINDOW:]

    def weight(self, finish: FinishOrder[Player], holders: Mapping[Player, str], at_ms: int) -> float:
        """Return how much a match counts: 1, or less if two opponents have met much more often than others meet.

        It falls with the third power, because a helper may lose on purpose in half of all matches.
        """
        active = sum(at_ms - last <= ACTIVE_MS for holder, last in self.active_ms.items())
        free = WINDOW * FREE_SHARES / max(1, active - 1)
        counts = [
            self._met(player, finish, holders).count(holders[opponent])
            for side, other in combinations(finish.sides, 2)
            for players, opponents in ((side, other), (other, side))
            for player in players
            for opponent in opponents
        ]
        return min(1.0, (free / max(counts)) ** 3)

    def rating(self, ratings: Mapping[Player, RatingRecord], player: Player, now_ms: int) -> RatingRecord:
        """Return the rating of a player at a time; for a new version, the one with which it starts."""
        known = ratings.get(player)
        if known:
            return self._after_absence(known, player, now_ms)
        last = self.versions.get(player.bot)
        if last is None or last not in ratings:
            return NO_RATING
        former = self._after_absence(ratings[last], last, now_ms)
        return RatingRecord(former.rating.for_new_version(min(1.0, former.matches / SETTLED_MATCHES)))

    def _after_absence(self, record: RatingRecord, player: Player, now_ms: int) -> RatingRecord:
        since_ms = self.rated_ms.get(player, 0)
        days = max(0, now_ms // DAY_MS - since_ms // DAY_MS) if since_ms else 0
        return RatingRecord(record.rating.after_absence(days), record.matches)

    def updates(
        self, ratings: Mapping[Player, RatingRecord], finish: FinishOrder[Player], weight: float, at_ms: int
    ) -> tuple[RatingUpdate[Player], ...]:
        """Return the effect of a match on the ratings of its players."""
        before = {player: self.rating(ratings, player, at_ms) for player in finish.players}
        return compute_rating_updates(before, finish, weight)


def holders_of(entrants: Mapping[str, ContestEntrant], finish: FinishOrder[Player]) -> dict[Player, str]:
    """Return the name under which each player counts as an opponent: its owners, or else the bot itself.

    The entrant of a player may have left.
    """
    return {player: "+".join(_owners(entrants, player.bot)) or player.bot for player in finish.players}


def _owners(entrants: Mapping[str, ContestEntrant], name: str) -> tuple[str, ...]:
    """Return the owners of fixed partners, or of a bot."""
    namesake = entrants.get(name)
    if namesake:
        return namesake.owners
    return next((holder.owners for holder in entrants.values() if name in {player.bot for player in holder.bots}), ())


def find_same_owner(entrants: Iterable[ContestEntrant]) -> tuple[str, str] | None:
    """Return the names of two entrants that have an owner in common. None: there are no such entrants."""
    shared = ((entrant, other) for entrant, other in combinations(entrants, 2) if {*entrant.owners} & {*other.owners})
    return next(((entrant.name, other.name) for entrant, other in shared), None)
