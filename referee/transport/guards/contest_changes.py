"""Limit of the changes of contests in a day: their logs are kept for good, and read again at each start.

Changes that are bounded by others are not counted, and never refused: leaving, withdrawing, closing, cancelling, and
everything that follows from play. So an owner can always take its bot out.
"""

from collections import Counter

from referee.accounts.account_errors import TooManyNames
from referee.accounts.tokens import BudgetOwner
from referee.live.ports import Time

DAY_MS = 86_400_000


class ContestChanges:
    """Changes since midnight (UTC), for each bot by itself, and for all other tokens of a holder together."""

    def __init__(self, max_per_day: int, time: Time) -> None:
        self._max_per_day = max_per_day
        self._time = time
        self._day = 0
        self._counts: Counter[BudgetOwner] = Counter()

    def count(self, owner: BudgetOwner, number: int = 1) -> None:
        """Count changes that the owner is about to make. Raises TooManyNames, and then none is counted."""
        today = self._time.wall_ms() // DAY_MS
        if today != self._day:
            self._day = today
            self._counts.clear()
        if self._counts[owner] + number > self._max_per_day:
            raise TooManyNames("changes of contests today (UTC)", self._max_per_day)
        self._counts[owner] += number
