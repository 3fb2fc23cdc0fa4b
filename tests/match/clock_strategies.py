"""Hypothesis strategies for time controls, for tests that must hold for all of them."""

from hypothesis import strategies as st

from referee.match import clock

some = st.integers(1, 1000)
perhaps = st.integers(0, 1000)
few = st.integers(1, 4)
periods = st.builds(clock.Period, few, some, perhaps)


@st.composite
def several_periods(draw: st.DrawFn) -> clock.MovesPerPeriod:
    last = st.builds(clock.Period, st.integers(0, 3), some, perhaps)
    return clock.MovesPerPeriod((*draw(st.lists(periods, max_size=2)), draw(last)))


@st.composite
def correspondences(draw: st.DrawFn) -> clock.Correspondence:
    move = draw(some)
    return clock.Correspondence(move, move + draw(perhaps))


def controls(timed: bool = False, hourglass: bool = True) -> st.SearchStrategy[clock.TimeControl]:
    """Return a strategy for controls with times of some microseconds; all kinds are about equally likely."""
    kinds: list[st.SearchStrategy[clock.TimeControl]] = [
        st.builds(clock.SuddenDeath, some),
        st.builds(clock.Fischer, some, perhaps),
        st.builds(clock.Bronstein, some, perhaps),
        st.builds(clock.UsDelay, some, perhaps),
        st.builds(clock.PerMove, some),
        st.builds(clock.Bank, some, perhaps),
        st.builds(clock.JapaneseByoYomi, perhaps, some, few),
        st.builds(clock.CanadianByoYomi, perhaps, some, few),
        correspondences(),
        several_periods(),
    ]
    kinds += [st.builds(clock.Hourglass, some)] if hourglass else []
    kinds += [] if timed else [st.just(clock.Untimed())]
    return st.one_of(kinds)
