"""In which order a bot hears what waits for it."""

from referee.app.outbox import Asked, Began, Judged, Outbox
from referee.core.errors import StaleTurn

VERDICT = Judged(1, "m", "0.0.1", StaleTurn("m", ""))


def test_a_verdict_goes_before_the_turn_that_follows_from_it() -> None:
    outbox = Outbox()
    outbox.put(("turn", "m", 0), Asked("m", 0))
    outbox.put(("turn", "n", 0), Asked("n", 0))
    outbox.put(("began", "o", 0), Began("o", 0))
    outbox.put(None, VERDICT)

    assert len(outbox) == 4
    assert outbox.drain(3) == [Began("o", 0), VERDICT, Asked("m", 0)]
    assert outbox.drain(3) == [Asked("n", 0)]
    assert outbox.drain(3) == []


def test_of_two_turns_of_a_seat_only_the_newer_waits() -> None:
    outbox = Outbox()
    for match in ("m", "n", "m"):
        outbox.put(("turn", match, 0), Asked(match, 0))

    assert outbox.drain(9) == [Asked("n", 0), Asked("m", 0)]
