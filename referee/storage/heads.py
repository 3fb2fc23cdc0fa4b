"""Where the logs of matches end, as far as the one thread that writes knows.

It is asked of the file once, and kept while the match goes on: to ask with every move costs as much as to write it.
Somebody else may have written to the same file meanwhile. Then a number is taken that was thought to be free, the
file refuses it, and everything is asked anew (see `SqliteEventLog`).
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

FIND = """
    SELECT match_id, match, coalesce((SELECT max(number) FROM entries WHERE entries.match = matches.match), -1)
    FROM matches
    WHERE match_id IN (SELECT value FROM json_each(?))
"""


@dataclass(slots=True)
class Head:
    """Where a match's log ends by now."""

    match: int | None = None
    """The match's key; None: nothing has been written to its log."""
    last: int = 0
    """-1: its entries have been archived, and nothing can follow them."""


class Heads:
    def __init__(self) -> None:
        self._known: dict[str, Head] = {}

    def __getitem__(self, match_id: str) -> Head:
        return self._known[match_id]

    def find(self, connection: sqlite3.Connection, wanted: Mapping[str, int]) -> None:
        """Know where these end, within a transaction. What is known to end where it is thought to is not asked for."""
        unsure = [match_id for match_id, after in wanted.items() if not self._ends_at(match_id, after)]
        if not unsure:
            return
        for match_id in unsure:
            self._known[match_id] = Head()
        for match_id, match, last in connection.execute(FIND, (json.dumps(unsure),)):
            self._known[match_id] = Head(match, last)

    def forget(self, over: Iterable[str]) -> None:
        """To these, nothing follows any more."""
        for match_id in over:
            self._known.pop(match_id, None)

    def forget_all(self) -> None:
        """What was thought to be written was not, or others have written."""
        self._known.clear()

    def _ends_at(self, match_id: str, after: int) -> bool:
        head = self._known.get(match_id)
        return head is not None and head.last == after
