"""Backoff of a bot between its connections."""

import pytest
from referee_client.backoff import Backoff


def test_each_failure_doubles_the_pause_up_to_ten_seconds() -> None:
    backoff = Backoff(random_number=lambda: 0.5)
    assert [backoff.after_failure() for _ in range(7)] == [0.5, 1, 2, 4, 8, 10, 10]


@pytest.mark.parametrize(("lasted_s", "pauses_s"), [(9.9, [0.5, 1, 2, 4]), (10.0, [0.5, 0.5, 0.5, 0.5])])
def test_only_a_session_that_has_lasted_ten_seconds_resets_the_backoff(lasted_s: float, pauses_s: list[float]) -> None:
    clock = [0.0]
    backoff = Backoff(random_number=lambda: 0.5, now=lambda: clock[0])
    measured = []
    for _ in pauses_s:
        backoff.on_welcome()
        clock[0] += lasted_s
        measured.append(backoff.after_failure())
    assert measured == pauses_s


def test_failures_to_connect_after_a_long_session_double_the_pause() -> None:
    clock = [0.0]
    backoff = Backoff(random_number=lambda: 0.5, now=lambda: clock[0])
    backoff.on_welcome()
    clock[0] += 3600
    assert [backoff.after_failure() for _ in range(3)] == [0.5, 1, 2]


def test_jitter_scales_the_pause_between_half_and_one_and_a_half() -> None:
    assert Backoff(random_number=lambda: 0.0).after_failure() == 0.25
    assert Backoff(random_number=lambda: 1.0).after_failure() == 0.75


def test_the_delay_after_draining_is_at_least_the_requested_one() -> None:
    assert Backoff(random_number=lambda: 0.0).after_draining(2.0) == 2.0
    assert Backoff(random_number=lambda: 1.0).after_draining(2.0) > 2.0
