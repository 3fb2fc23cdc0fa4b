"""Match time advances with the machine's clock, except while the match cannot continue."""

from referee.live.match_timing import MatchTime
from referee.match.clock import SECOND
from tests.live.fake_time import StoppedTime


def test_it_goes_on_from_where_it_was() -> None:
    time = StoppedTime()
    match_time = MatchTime(time, 7 * SECOND)
    time.us += 2 * SECOND
    assert match_time.now_us() == 9 * SECOND
    assert not match_time.stopped


def test_it_stands_still_while_it_is_stopped_and_says_for_how_long() -> None:
    time = StoppedTime()
    match_time = MatchTime(time, 0)
    time.us += SECOND
    match_time.stop()
    time.us += 3 * SECOND
    assert match_time.stopped
    assert match_time.now_us() == SECOND
    assert match_time.stopped_ms() == 3000
    match_time.stop()
    assert match_time.now_us() == SECOND


def test_it_goes_on_from_where_it_was_stopped() -> None:
    time = StoppedTime()
    match_time = MatchTime(time, 0)
    time.us += SECOND
    match_time.stop()
    time.us += 3 * SECOND
    match_time.resume()
    time.us += SECOND
    assert match_time.now_us() == 2 * SECOND
    assert match_time.monotonic_us(2 * SECOND) == time.us
    assert not match_time.stopped
