"""What duplicate play keeps to itself: what one match of a set would tell about the next.

Until all matches of a set are over, those included that are to be played again, the seed, the record and the
hidden cards of each stay hidden from everybody.
"""

from collections.abc import Mapping
from typing import Protocol

from referee.app.wish import MAKER, REQUEST_ID, SET
from referee.core.match import Match
from referee.core.result import Kind


class SetKeeper(Protocol):
    """Who knows how far the sets of its contests are."""

    def set_open(self, name: str, set_id: str, but: str) -> bool:
        """Is a match of that set still to be played, or being played, `but` for the one that was due by that id?"""


class Sealed:
    def __init__(self, keepers: Mapping[str, SetKeeper]) -> None:
        """By the kind of contest: `log.LADDER`, `log.TOURNAMENT`."""
        self._keepers = keepers

    def __call__(self, match: Match) -> bool:
        """Must what this match would tell stay hidden, though it may be over?"""
        labels = dict(match.setup.labels)
        kind, _, name = labels.get(MAKER, "").partition("/")
        keeper = self._keepers.get(kind)
        # A match that counts is over before its contest hears of it.
        counts = match.result is not None and match.result.kind is not Kind.VOID
        but = labels.get(REQUEST_ID, "") if counts else ""
        return bool(keeper and SET in labels and keeper.set_open(name, labels[SET], but))
