"""Terms that cannot be are refused, and the refusal names the field and what would be right."""

import pytest

from referee.contest.duplicate import Duplicate
from referee.contest.formats import Elimination, Format, Gauntlet, Model, Pools, RoundRobin, Swiss, Trial
from referee.contest.refusals import BadTerms
from referee.contest.sprt import Sprt
from referee.contest.terms import Seeding, Terms
from referee.contest.tiebreak import TieBreak

SPRT = Sprt(elo1=10)


@pytest.mark.parametrize(
    ("form", "field", "why"),
    [
        (RoundRobin(0), "cycles", "from 1 to 1000"),
        (RoundRobin(1001), "cycles", "from 1 to 1000"),
        (Swiss(0), "rounds", "from 1 to"),
        (Elimination(matches=0), "matches_per_pairing", "from 1 to"),
        (Elimination(extra=-1), "extra_matches_at_most", "from 0 to"),
        (Gauntlet(()), "challengers", "at least one"),
        (Gauntlet(("a", "a")), "challengers", "twice"),
        (Gauntlet(("a",), 0), "cycles", "from 1 to"),
        (Pools(0, 3), "rounds", "from 1 to"),
        (Pools(1, 1), "seats at a table", "from 2 to 8"),
        (Pools(1, 9), "seats at a table", "from 2 to 8"),
        (Pools(1, 4, ((0, 1), (1, 3))), "sides", "every place"),
        (Pools(1, 4, ((0, 1), (2, 3))), "sides", "partners stay partners"),
        (Trial(SPRT, at_a_table=1), "seats at a table", "from 2 to 8"),
        (Trial(SPRT, at_a_table=3), "matches_at_most", "must be given"),
        (Trial(Sprt(1, matches_at_most=1)), "matches_at_most", "at least 2"),
        (Trial(Sprt(1, matches_at_most=2), at_a_table=3), "matches_at_most", "at least 3"),
    ],
)
def test_a_format_that_cannot_be_is_refused(form: Format, field: str, why: str) -> None:
    with pytest.raises(BadTerms, match=why) as refused:
        Terms(form, b"")
    assert refused.value.details["field"] == field


@pytest.mark.parametrize(
    ("form", "duplicate", "why"),
    [
        (RoundRobin(), Duplicate(1), "must be 2"),
        (RoundRobin(), Duplicate(3), "must be 2"),
        (Pools(1, 3), Duplicate(4), "from 2 to 3"),
        (Trial(SPRT, at_a_table=4, sides=((0, 2), (1, 3))), Duplicate(4), "pentanomial"),
        (RoundRobin(), Duplicate(openings=-1), "from 0 to"),
    ],
)
def test_sets_that_cannot_be_are_refused(form: Format, duplicate: Duplicate, why: str) -> None:
    with pytest.raises(BadTerms, match=why):
        Terms(form, b"", duplicate=duplicate)


def test_numbers_of_any_format_are_checked_too() -> None:
    with pytest.raises(BadTerms, match="matches_at_once must be from 1 to 1000"):
        Terms(RoundRobin(), b"", matches_at_once=0)
    with pytest.raises(BadTerms, match="tie_breaks name one twice"):
        Terms(RoundRobin(), b"", tie_breaks=(TieBreak.WINS, TieBreak.WINS))
    with pytest.raises(BadTerms, match="late_entry_rounds must be from 0 to 2"):
        Terms(Swiss(3), b"", late_entry_rounds=3)
    with pytest.raises(BadTerms, match="late_entry_rounds must be 0"):
        Terms(RoundRobin(), b"", late_entry_rounds=1)
    with pytest.raises(BadTerms, match="seeding must be the order of entry"):
        Terms(Trial(SPRT), b"", seeding=Seeding.LOT)


def test_what_counts_sets_is_played_in_sets_without_being_told() -> None:
    assert Terms(Trial(SPRT), b"").sets == Duplicate(2)
    assert Terms(Trial(Sprt(1, matches_at_most=9), at_a_table=3), b"").sets == Duplicate(3)
    assert Terms(Trial(SPRT, Model.TRINOMIAL), b"").sets is None
    assert Terms(RoundRobin(), b"").sets is None
    assert Terms(Trial(SPRT), b"", duplicate=Duplicate(openings=5)).sets == Duplicate(openings=5)
