"""Hypothesis strategies for time controls, for tests that must hold for all of them."""

from hypothesis import strategies as st

from referee.match.clock import (
    Bank,
    Bronstein,
    CanadianByoYomi,
    Correspondence,
    Fischer,
    Hourglass,
    JapaneseByoYomi,
    MovesPerPeriod,
    Period,
    PerMove,
    SuddenDeath,
    TimeControl,
    Untimed,
    UsDelay,
)

some = st.integers(1, 1000)
perhaps = st.integers(0, 1000)
few = st.integers(1, 4)
periods = st.builds(Period, few, some, perhaps)


@st.composite
def several_periods(draw: st.DrawFn) -> MovesPerPeriod:
    last = st.builds(Period, st.integers(0, 3), some, perhaps)
    return MovesPerPeriod((*draw(st.lists(periods, max_size=2)), draw(last)))


@st.composite
def correspondences(draw: st.DrawFn) -> Correspondence:
    move = draw(some)
    return Correspondence(move, move + draw(perhaps))


def controls(timed: bool = False, hourglass: bool = True) -> st.SearchStrategy[TimeControl]:
    """Return a strategy for controls with times of some microseconds; all kinds are about equally likely."""
    kinds: list[st.SearchStrategy[TimeControl]] = [
        st.builds(SuddenDeath, some),
        st.builds(Fischer, some, perhaps),
        st.builds(Bronstein, some, perhaps),
        st.builds(UsDelay, some, perhaps),
        st.builds(PerMove, some),
        st.builds(Bank, some, perhaps),
        st.builds(JapaneseByoYomi, perhaps, some, few),
        st.builds(CanadianByoYomi, perhaps, some, few),
        correspondences(),
        several_periods(),
    ]
    kinds += [st.builds(Hourglass, some)] if hourglass else []
    kinds += [] if timed else [st.just(Untimed())]
    return st.one_of(kinds)
