"""Scales of charts and their ticks."""

from hypothesis import given
from hypothesis import strategies as st

from referee.show.markup import DAY, HOUR, SECOND, Scale, fit_scale, tick_values, time_ticks


@given(st.floats(-3000, 3000, allow_subnormal=False), st.floats(1, 4000), st.integers(2, 8))
def test_ticks_are_limited_evenly_spaced_and_on_the_scale(low: float, length: float, max_count: int) -> None:
    scale = Scale(low, low + length)
    ticks = tick_values(scale, max_count)
    assert len(ticks) <= max_count
    assert all(scale.low <= mark <= scale.high for mark in ticks)
    assert len({ticks[number + 1] - ticks[number] for number in range(len(ticks) - 1)}) <= 1


@given(st.integers(0, 2_000_000_000_000), st.integers(SECOND, 400 * DAY))
def test_time_ticks_are_limited_and_have_distinct_labels(low: int, length: int) -> None:
    ticks = time_ticks(Scale(low, low + length), 5)
    assert len(ticks) <= 5
    assert len({text for _, text in ticks}) == len(ticks)


def test_labels_of_time_ticks_have_the_necessary_precision() -> None:
    assert [text for _, text in time_ticks(Scale(0, 20 * SECOND), 5)] == [
        "00:00:00",
        "00:00:05",
        "00:00:10",
        "00:00:15",
        "00:00:20",
    ]
    assert [text for _, text in time_ticks(Scale(0, 4 * HOUR), 5)] == ["00:00", "01:00", "02:00", "03:00", "04:00"]
    assert [text for _, text in time_ticks(Scale(0, DAY), 3)] == ["01 Jan 00:00", "01 Jan 12:00", "02 Jan 00:00"]
    assert time_ticks(Scale(0, 3 * DAY), 5)[0][1] == "01 Jan"


def test_a_scale_contains_all_values_and_has_a_minimum_length() -> None:
    assert fit_scale([1500.0], 100.0) == Scale(1450.0, 1550.0)
    assert fit_scale([], 100.0) == Scale(-50.0, 50.0)
    assert fit_scale([0.0, 200.0], 100.0, margin=0.1) == Scale(-20.0, 220.0)


def test_values_outside_the_scale_are_clamped() -> None:
    assert [Scale(0, 10).at(value) for value in (-5, 2.5, 99)] == [0, 25, 100]
