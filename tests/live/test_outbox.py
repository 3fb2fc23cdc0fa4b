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


def test_a_newer_turn_of_a_seat_replaces_the_older_one() -> None:
    outbox = Outbox()
    for match in ("m", "n", "m"):
        outbox.put(("turn", match, 0), TurnNotice(match, 0))

    assert outbox.drain(9) == [TurnNotice("n", 0), TurnNotice("m", 0)]
