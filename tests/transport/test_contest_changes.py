"""The changes of contests in a day are limited for each bot, and for all other tokens of a holder together."""

import pytest

from referee.accounts.account_errors import TooManyNames
from referee.accounts.tokens import BudgetOwner
from referee.transport.guards.contest_changes import DAY_MS, ContestChanges
from tests.live.fake_time import FakeTime

ADA, BOT = BudgetOwner("ada"), BudgetOwner("ada", "bot")


def test_changes_beyond_the_limit_of_a_day_are_refused_and_not_counted() -> None:
    changes = ContestChanges(3, FakeTime())
    changes.count(ADA, 2)
    with pytest.raises(TooManyNames, match="the limit is 3"):
        changes.count(ADA, 2)
    changes.count(ADA)
    with pytest.raises(TooManyNames):
        changes.count(ADA)


def test_a_bot_and_its_holder_are_counted_by_themselves() -> None:
    changes = ContestChanges(1, FakeTime())
    for owner in (ADA, BOT, BudgetOwner("bob")):
        changes.count(owner)
        with pytest.raises(TooManyNames):
            changes.count(owner)


def test_the_count_begins_again_at_midnight() -> None:
    time = FakeTime()
    changes = ContestChanges(1, time)
    changes.count(ADA)
    time.wall_offset_ms += DAY_MS - 1 - time.wall_ms() % DAY_MS
    with pytest.raises(TooManyNames):
        changes.count(ADA)
    time.wall_offset_ms += 1
    changes.count(ADA)
