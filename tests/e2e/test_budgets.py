"""Quotas: the unfinished contests of an organiser are limited, and quotas are listed."""

import pytest

from tests.e2e.call_errors import reason_of
from tests.e2e.contests import call_for_ladder, create_ladder, create_tournament
from tests.e2e.organiser import Organiser

pytestmark = pytest.mark.slow


def test_the_unfinished_contests_of_an_organiser_are_limited(organiser: Organiser) -> None:
    organiser.set_quota(max_contests=1)
    create_ladder(organiser)
    assert create_ladder(organiser).name == organiser.name, "a repeated request gets its first answer"
    assert reason_of(create_tournament, organiser) == "TOO_MANY_NAMES"
    assert organiser.call_as_admin("AdminService/GetQuota", holder=organiser.name).usage.contests == 1
    call_for_ladder(organiser, "CloseLadder")
    create_tournament(organiser)


def test_quotas_are_listed_in_pages(organiser: Organiser) -> None:
    organiser.set_quota(max_bots=50)
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
