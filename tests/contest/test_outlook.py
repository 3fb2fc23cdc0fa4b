from referee.contest.directing import Cancel
from referee.contest.formats import Elimination, Format, Gauntlet, Pools, RoundRobin, Swiss, Trial
from referee.contest.outlook import Outlook, outlook
from referee.contest.sprt import Sprt
from tests.contest.plays import entered, started

NOTHING_KNOWN = Outlook()


def begun(form: Format, names: str = "abcde") -> Outlook:
    return outlook(started(form, names).tournament)


def test_what_is_planned_at_the_start_is_known_from_then_on() -> None:
    assert outlook(entered(RoundRobin(), "abcd").tournament) == NOTHING_KNOWN
    assert begun(RoundRobin(), "abcd") == Outlook(3, 6)
    assert begun(Gauntlet(("a",))) == Outlook(4, 4)


def test_where_rounds_are_counted_they_are_known_before_the_start() -> None:
    assert outlook(entered(Swiss(3), "abcde").tournament) == Outlook(3)
    assert begun(Pools(4, 3)) == Outlook(4)


def test_in_a_knock_out_everybody_but_one_loses_once() -> None:
    for names in ("ab", "abc", "abcde", "abcdefgh"):
        play = started(Elimination(third_place=True), names)
        ahead = outlook(play.tournament)
        assert outlook(play.play_out().tournament) == ahead


def test_how_long_others_go_on_nobody_knows_before_the_end() -> None:
    assert begun(Elimination(twice=True)) == NOTHING_KNOWN
    assert begun(Trial(Sprt(10)), "ab") == NOTHING_KNOWN
    play = started(Elimination(twice=True), "abc").play_out()
    assert outlook(play.tournament) == Outlook(play.tournament.round, len(play.tournament.courses))


def test_what_was_called_off_has_no_more_to_come() -> None:
    play = started(Swiss(3), "abcde")
    play.do(Cancel())
    assert outlook(play.tournament).rounds == 1
