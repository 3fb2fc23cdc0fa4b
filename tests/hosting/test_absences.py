from referee.hosting.absences import MAX_STEP_US, AbsenceTimer

ONE, OTHER = ("1.1", "ada"), ("1.2", "bob")


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
