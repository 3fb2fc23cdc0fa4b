"""Records of matches from which owners have withdrawn their bots can be verified."""

from pathlib import Path

from referee.match.commands import AddNonce, Resign, StartPlay, TakeSeat, WithdrawBot
from referee.match.events import SeatForfeited, SeatVacated
from referee.match.setup import Player
from referee.records.describe_event import describe
from referee.records.record_reader import RecordStatus
from tests.records.forgery import first_mismatch, record_of, verdict_on
from tests.records.matches import decided_events, nim_setup

CARL = Player("carl", "1")


def test_a_record_with_a_withdrawal_before_play_and_one_in_play_is_verified(tmp_path: Path) -> None:
    setup = nim_setup(nonce_timeout_us=1_000)
    first, second = setup.players
    events = decided_events(
        setup,
        (1, AddNonce(0, b"salt")),
        (2, WithdrawBot(first.bot)),
        (3, TakeSeat(0, CARL)),
        (4, AddNonce(0, b"sugar")),
        (5, StartPlay()),
        (6, WithdrawBot(second.bot)),
    )
    assert {SeatVacated, SeatForfeited} <= {type(event) for event in events}
    assert verdict_on(record_of(events), tmp_path).status is RecordStatus.FINE
    assert describe(events[2]) == "the bot of seat 0 was withdrawn"
    assert describe(events[-2]) == "seat 1 forfeited (withdrawn)"


def test_withdrawals_of_seats_that_no_bot_held_are_found(tmp_path: Path) -> None:
    setup = nim_setup(players=(Player(), CARL))
    events = decided_events(setup, (1, TakeSeat(0, Player("anna", "1"))), (2, StartPlay()), (3, Resign(0)))
    for seat in (0, 7):
        message = first_mismatch([events[0], SeatVacated(1, seat), *events[1:]], tmp_path)
        assert "it holds no seat in this match" in message
    forfeit = SeatForfeited(3, 9, "withdrawn")
    assert "it holds no seat" in first_mismatch([*events[:-2], forfeit, events[-1]], tmp_path)
