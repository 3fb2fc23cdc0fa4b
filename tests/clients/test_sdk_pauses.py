"""How long a bot stays away."""

from referee_client.pauses import Pauses


def test_each_failure_doubles_the_pause_up_to_ten_seconds() -> None:
    pauses = Pauses(chance=lambda: 0.5)
    assert [pauses.after_break() for _ in range(7)] == [0.5, 1, 2, 4, 8, 10, 10]


def test_after_a_welcome_it_begins_anew() -> None:
    pauses = Pauses(chance=lambda: 0.5)
    pauses.after_break()
    pauses.after_break()
    pauses.welcomed()
    assert pauses.after_break() == 0.5


def test_chance_halves_the_pause_or_makes_it_half_as_long_again() -> None:
    assert Pauses(chance=lambda: 0.0).after_break() == 0.25
    assert Pauses(chance=lambda: 1.0).after_break() == 0.75


def test_after_draining_nobody_comes_earlier_than_asked_for() -> None:
    assert Pauses(chance=lambda: 0.0).after_draining(2.0) == 2.0
    assert Pauses(chance=lambda: 1.0).after_draining(2.0) > 2.0
