from referee.hosting.tournament_worker import MAX_STEP_US, AbsenceTimer

ONE, OTHER = ("1.1", 0, "ada"), ("1.2", 0, "bob")


def test_the_time_of_an_absence_adds_up() -> None:
    timer = AbsenceTimer()
    timer.update({ONE}, 100)
    timer.update({ONE, OTHER}, 103)
    timer.update(set(), 105)
    timer.update({ONE}, 110)
    timer.update({ONE}, 111)
    assert (timer.waited_us(ONE), timer.waited_us(OTHER)) == (4, 0)


def test_a_step_counts_only_up_to_its_limit_however_long_the_process_was_stopped() -> None:
    timer = AbsenceTimer()
    timer.update({ONE}, 0)
    timer.update({ONE}, 1_000 * MAX_STEP_US)
    assert timer.waited_us(ONE) == MAX_STEP_US


def test_a_restart_lets_every_wait_begin_anew() -> None:
    timer = AbsenceTimer()
    timer.update({ONE}, 0)
    timer.update({ONE}, 5)
    timer.restart()
    timer.update({ONE}, 9)
    assert timer.waited_us(ONE) == 0
    timer.update({ONE}, 10)
    timer.forget("1.1")
    assert timer.waited_us(ONE) == 0


def test_a_pairing_ends_when_the_first_of_its_waits_does() -> None:
    timer, other = AbsenceTimer(), ("1.1", 0, "bob")
    timer.update({ONE}, 100)
    timer.update({ONE, other, OTHER}, 103)
    timer.update({ONE, other, OTHER}, 104)
    assert timer.ends_us(60) == {"1.1": 160, "1.2": 163}
    timer.forget("1.1")
    assert timer.ends_us(60) == {"1.2": 163}
    timer.restart()
    assert timer.ends_us(60) == {}


def test_a_board_that_has_ended_leaves_the_waits_of_the_other_boards() -> None:
    timer, first, second = AbsenceTimer(), ("1.1", 1, "ada"), ("1.1", 2, "ada")
    timer.update({first, second}, 0)
    timer.update({first, second}, 5)
    timer.forget("1.1", 1)
    assert (timer.waited_us(first), timer.waited_us(second)) == (0, 5)
