"""The order in which the outgoing queue of a bot is sent."""

from referee.live.outbox import MatchStarted, Outbox, TurnNotice, VerdictNotice
from referee.match.match_errors import StaleTurn

VERDICT = VerdictNotice(1, "m", "0.0.1", StaleTurn("m", ""))


def test_a_verdict_is_sent_before_the_turn_that_follows_it() -> None:
    outbox = Outbox()
    outbox.put(("turn", "m", 0), TurnNotice("m", 0))
    outbox.put(("turn", "n", 0), TurnNotice("n", 0))
    outbox.put(("began", "o", 0), MatchStarted("o", 0))
    outbox.put(None, VERDICT)

    assert len(outbox) == 4
    assert outbox.drain(3) == [MatchStarted("o", 0), VERDICT, TurnNotice("m", 0)]
    assert outbox.drain(3) == [TurnNotice("n", 0)]
    assert outbox.drain(3) == []


def test_an_item_that_waits_is_sent_before_everything_that_is_queued_after_it() -> None:
    outbox = Outbox()
    outbox.put(("began", "n", 0), MatchStarted("n", 0))
    outbox.put_waiting(VERDICT)
    outbox.put(("began", "o", 0), MatchStarted("o", 0))
    outbox.put(("turn", "m", 0), TurnNotice("m", 0))

    assert len(outbox) == 4
    assert outbox.drain(2) == [MatchStarted("n", 0), VERDICT]
    assert outbox.drain(9) == [MatchStarted("o", 0), TurnNotice("m", 0)]


def test_an_item_that_waits_is_sent_with_a_turn() -> None:
    outbox = Outbox()
    outbox.put_waiting(VERDICT)
    outbox.put(("turn", "m", 0), TurnNotice("m", 0))
    assert outbox.drain(9) == [VERDICT, TurnNotice("m", 0)]


def test_a_newer_turn_of_a_seat_replaces_the_older_one() -> None:
    outbox = Outbox()
    for match in ("m", "n", "m"):
        outbox.put(("turn", match, 0), TurnNotice(match, 0))

    assert outbox.drain(9) == [TurnNotice("n", 0), TurnNotice("m", 0)]
