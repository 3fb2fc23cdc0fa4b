"""Places of a bot that are kept free for contests.

A bot declares how many matches it plays at a time. While it takes part in a contest, matches that others have made
outside of contests may take at most half of these places, rounded down. So they cannot keep it from its contest.
"""

from collections.abc import Callable, Iterable

from referee.live.match_request import LADDER, MAKER, PAIRING, TOURNAMENT
from referee.live.sessions import Session, Sessions
from referee.match.state import Match


class ReservedPlaces:
    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self.in_contest: Callable[[str], bool] = lambda _: False
        """Returns whether a bot takes part in a contest that is not over, by the will of its owner."""

    def has_room(self, match: Match, session: Session, playing: Iterable[Match]) -> bool:
        """Return whether the match may take one of the places that the bot has left besides those that it plays."""
        if not self._is_of_others(match, session):
            return True
        taken = sum(self._is_of_others(other, session) for other in playing)
        return taken < session.hello.max_matches // 2 or not self.in_contest(session.player.bot)

    def _is_of_others(self, match: Match, session: Session) -> bool:
        """Return whether another holder has made the match outside of contests."""
        labels = dict(match.setup.labels)
        if not {LADDER, TOURNAMENT, PAIRING}.isdisjoint(labels):
            return False
        _, owner = self._sessions.path_and_holder(session.player)
        return labels.get(MAKER) != owner
