"""Places of a bot that are kept free for the contests that it joined.

A bot declares how many matches it plays at a time. While it takes part in a contest, matches of others may take at most
half of these places, rounded down. So they cannot keep it from its contest. Matches of others are those that another
holder has made outside of contests, and those of contests to which an organiser has invited the bot, unless the bot has
joined another contest of that organiser: then it may be a rehearsal, and many bots have one place only.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from referee.live.match_request import LADDER, MAKER, PAIRING, TOURNAMENT
from referee.live.sessions import Session, Sessions
from referee.match.setup import Setup

Labels = Mapping[str, str]
KINDS = (TOURNAMENT, LADDER)
"""Labels that name a contest. A tournament that a ladder rates is entered as a tournament."""
OF_CONTESTS = frozenset({TOURNAMENT, LADDER, PAIRING})
ORIGIN = OF_CONTESTS | {MAKER}
"""Labels that tell where a match comes from."""


class JoinedContests(Protocol):
    """Port: the contests in which bots take part by the will of their owners."""

    def in_contest(self, bot: str) -> bool:
        """Return whether a bot takes part in a contest that is not over."""

    def has_joined(self, bot: str, kind: str, name: str) -> bool:
        """Return whether a bot has entered that contest, and was not invited."""

    def knows_organiser(self, bot: str, kind: str, name: str) -> bool:
        """Return whether a bot takes part in a contest of the organiser of that one."""


class NoContests:
    """There are no contests: a JoinedContests."""

    def in_contest(self, bot: str) -> bool:
        return False

    def has_joined(self, bot: str, kind: str, name: str) -> bool:
        return True

    def knows_organiser(self, bot: str, kind: str, name: str) -> bool:
        return False


NO_CONTESTS = NoContests()


class ReservedPlaces:
    def __init__(self, sessions: Sessions, joined: JoinedContests, on_freed: Callable[[Collection[str]], None]) -> None:
        self._sessions = sessions
        self._joined = joined
        self.on_freed = on_freed
        """To be called with bots that may have left their last contest: places are no longer kept for them."""

    def room(self, labels: Labels | None, session: Session, playing: Collection[Setup]) -> int:
        """Return how many more matches with these labels the bot can start besides those that it plays.

        None: matches that may take all places.
        """
        free = max(0, session.hello.max_matches - len(playing))
        if not free or labels is None or not self._is_of_others(labels, session):
            return free
        if not self._joined.in_contest(session.player.bot):
            return free
        alike = Counter(tuple((label, value) for label, value in setup.labels if label in ORIGIN) for setup in playing)
        taken = sum(many for origin, many in alike.items() if self._is_of_others(dict(origin), session))
        return max(0, min(free, session.hello.max_matches // 2 - taken))

    def was_invited(self, bot: str, labels: Labels) -> bool:
        """Return whether a match with these labels belongs to a contest to which an organiser has invited the bot."""
        contest = _contest_of(labels)
        return contest is not None and not self._joined.has_joined(bot, *contest)

    def _is_of_others(self, labels: Labels, session: Session) -> bool:
        _, owner = self._sessions.path_and_holder(session.player)
        if labels.get(MAKER) == owner:
            return False
        if OF_CONTESTS.isdisjoint(labels):
            return True
        bot, contest, joined = session.player.bot, _contest_of(labels), self._joined
        return contest is not None and not (joined.has_joined(bot, *contest) or joined.knows_organiser(bot, *contest))


def _contest_of(labels: Labels) -> tuple[str, str] | None:
    """Return kind and name of the contest to which a match with these labels belongs."""
    return next(((kind, labels[kind]) for kind in KINDS if kind in labels), None)
