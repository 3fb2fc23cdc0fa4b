"""Budgets are counted for each bot: one that uses up its own takes nothing from the others of its holder."""

from functools import partial
from typing import Any

import pytest

from tests.e2e.organiser import Organiser
from tests.e2e.test_authors import LADDER_TERMS, TOURNAMENT_TERMS, reason_of

pytestmark = pytest.mark.slow


def set_quota(organiser: Organiser, **limits: int) -> None:
    organiser.call_as_admin("AdminService/SetQuota", holder=organiser.name, quota=limits)


def usage(organiser: Organiser) -> Any:
    return organiser.call_as_admin("AdminService/GetQuota", holder=organiser.name).usage


def test_the_unfinished_contests_of_an_organiser_are_limited(organiser: Organiser) -> None:
    set_quota(organiser, max_contests=1)
    ladder, cup = f"ladder-of-{organiser.name}", f"cup-of-{organiser.name}"
    create_ladder = partial(
        organiser.call, "LadderService/CreateLadder", request_id="l", name=ladder, terms=LADDER_TERMS
    )
    create_cup = partial(
        organiser.call, "TournamentService/CreateTournament", request_id="c", name=cup, terms=TOURNAMENT_TERMS
    )
    create_ladder()
    assert create_ladder().ladder.name == ladder, "a repeated request gets its first answer"
    assert reason_of(create_cup) == "TOO_MANY_NAMES"
    assert usage(organiser).contests == 1
    organiser.call("LadderService/CloseLadder", ladder=ladder)
    create_cup()


def test_quotas_are_listed_in_pages(organiser: Organiser) -> None:
    set_quota(organiser, max_bots=50)
    listed, token = [], ""
    while True:
        page = organiser.call_as_admin("AdminService/ListQuotas", page_size=1, page_token=token)
        listed += page.quotas
        token = page.next_page_token
        if not token:
            break
    by_holder = {quota.holder: quota for quota in listed}
    own = by_holder[organiser.name]
    assert (own.quota.max_bots, own.own_quota.max_bots, own.own_quota.max_matches) == (50, 50, 0)
    assert (own.usage.bots, by_holder["admin"].HasField("own_quota")) == (2, False)
    assert list(by_holder) == sorted(by_holder)
