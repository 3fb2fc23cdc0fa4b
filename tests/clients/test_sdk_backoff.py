"""Backoff of a bot between its connections."""

import pytest
from referee_client.backoff import Backoff


def test_each_failure_doubles_the_longest_pause_up_to_ten_seconds() -> None:
    backoff = Backoff(random_number=lambda: 1.0)
    assert [backoff.after_failure() for _ in range(6)] == [0.75, 1.5, 3, 6, 10, 10]


@pytest.mark.parametrize(("lasted_s", "pauses_s"), [(9.9, [0.75, 1.5, 3, 6]), (10.0, [0.75, 0.75, 0.75, 0.75])])
def test_only_a_session_that_has_lasted_ten_seconds_resets_the_backoff(lasted_s: float, pauses_s: list[float]) -> None:
    clock = [0.0]
    backoff = Backoff(random_number=lambda: 1.0, now=lambda: clock[0])
    measured = []
    for _ in pauses_s:
        backoff.on_welcome()
        clock[0] += lasted_s
        measured.append(backoff.after_failure())
    assert measured == pauses_s


def test_failures_to_connect_after_a_long_session_double_the_pause() -> None:
    clock = [0.0]
    backoff = Backoff(random_number=lambda: 1.0, now=lambda: clock[0])
    backoff.on_welcome()
    clock[0] += 3600
    assert [backoff.after_failure() for _ in range(3)] == [0.75, 1.5, 3]


def test_a_pause_is_between_a_third_of_its_limit_and_all_of_it() -> None:
    assert Backoff(random_number=lambda: 0.0).after_failure() == 0.25
    assert Backoff(random_number=lambda: 1.0).after_failure() == 0.75


def test_the_delay_after_draining_is_at_least_the_requested_one() -> None:
    assert Backoff(random_number=lambda: 0.0).after_draining(2.0) == 2.0
    assert Backoff(random_number=lambda: 1.0).after_draining(2.0) > 2.0
