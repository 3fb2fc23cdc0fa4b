"""Where the time of a move went, as the pages of a bot's owner show it."""

from referee_api.v1 import clock_pb2, entry_pb2, game_pb2, match_pb2

from referee.site.account.clock_charges import (
    WIDTH,
    ChargedMove,
    charge_picture,
    charge_table,
    charged_moves,
    explanation,
)

SECOND = 1_000_000


def charge(
    elapsed_us: int, left_us: int | None = 10 * SECOND, network_us: int = 0, credit_us: int = 0, stall_us: int = 0
) -> clock_pb2.ClockCharge:
    charged = elapsed_us - credit_us - stall_us
    return clock_pb2.ClockCharge(
        asked_us=SECOND,
        arrived_us=SECOND + elapsed_us,
        network_us=network_us,
        network_credit_us=credit_us,
        stall_us=stall_us,
        charged_us=charged,
        before=clock_pb2.Clock(time_left_us=left_us),
        late=left_us is not None and charged > left_us,
    )


def played(seat: int, move: str, ply: int, cost: clock_pb2.ClockCharge | None) -> entry_pb2.Entry:
    """Return the entry of a move after which the match has `ply` moves."""
    event = entry_pb2.MovePlayed(
        played=game_pb2.SeatMove(seat=seat, move=move), clock_charge=cost, state=match_pb2.MatchState(ply=ply)
    )
    return entry_pb2.Entry(move_played=event)


def rejected(seat: int, move: str) -> entry_pb2.Entry:
    return entry_pb2.Entry(move_rejected=entry_pb2.MoveRejected(seat=seat, move=move, message="not legal"))


def test_moves_are_found_with_their_ply_and_what_was_rejected_before() -> None:
    entries = [
        entry_pb2.Entry(play_started=entry_pb2.PlayStarted(state=match_pb2.MatchState(ply=2))),
        rejected(0, "a"),
        rejected(1, "b"),
        played(0, "c", 3, charge(SECOND)),
        played(1, "d", 4, charge(SECOND)),
        played(0, "by the referee", 5, None),
        entry_pb2.Entry(flag_fell=entry_pb2.FlagFell(seat=0, clock_charge=charge(11 * SECOND), move="late")),
    ]
    moves = charged_moves(entries, 0)
    assert [(move.ply, move.move, move.rejected) for move in moves] == [(2, "c", ("a: not legal",)), (5, "late", ())]


def test_a_hidden_choice_is_named_when_it_is_revealed() -> None:
    sealed = entry_pb2.ChoiceSealed(seat=0, clock_charge=charge(SECOND), state=match_pb2.MatchState(ply=0))
    revealing = played(1, "b", 2, charge(SECOND))
    revealing.move_played.revealed.add(seat=0, move="a")
    assert [move.move for move in charged_moves([entry_pb2.Entry(choice_sealed=sealed)], 0)] == ["hidden choice"]
    assert [move.move for move in charged_moves([entry_pb2.Entry(choice_sealed=sealed), revealing], 0)] == ["a"]
    assert [move.move for move in charged_moves([entry_pb2.Entry(choice_sealed=sealed), revealing], 1)] == ["b"]


def test_the_parts_of_a_move_add_up_to_the_time_from_the_question_to_the_answer() -> None:
    move = ChargedMove(0, "a", charge(1_000, network_us=300, credit_us=200, stall_us=100))
    assert (move.elapsed_us, move.own_us, move.uncredited_us) == (1_000, 600, 100)
    picture = charge_picture(move, 2_000)
    widths = [float(part.split('"')[0]) for part in picture.split('width="')[1:]]
    assert widths == [0.3 * WIDTH, 0.05 * WIDTH, 0.1 * WIDTH, 0.05 * WIDTH]
    assert 'aria-label="the bot 0.6 ms, network, charged 0.1 ms, network, not charged 0.2 ms' in picture


def test_the_limit_is_drawn_where_it_is_on_the_scale() -> None:
    late = charge_picture(ChargedMove(0, "", charge(2 * SECOND, left_us=SECOND)), 2 * SECOND)
    assert f'x="{WIDTH / 2}"' in late
    assert 'class="charge late"' in late
    for untouched in (charge(SECOND, left_us=None), charge(SECOND, left_us=5 * SECOND)):
        picture = charge_picture(ChargedMove(0, "a", untouched), 2 * SECOND)
        assert 'class="limit"' not in picture
        assert "late" not in picture


def test_a_loss_on_time_is_explained_in_sentences() -> None:
    moves = [
        ChargedMove(0, "a", charge(3 * SECOND)),
        ChargedMove(2, "b", charge(4 * SECOND)),
        ChargedMove(4, "", charge(4 * SECOND, left_us=3 * SECOND, network_us=50_000, credit_us=20_000, stall_us=5_000)),
    ]
    assert explanation(moves) == [
        "At move 5 the bot had 3 s left. No answer had arrived when the flag fell, 4 s after it was asked.",
        "Of these, 25 ms were not charged: 20 ms of the measured round trip of 50 ms, and 5 ms of the referee's own. "
        "3.98 s were charged, 975 ms more than it had.",
        "Its 2 moves before took 7 s together; the longest, move 3, took 4 s.",
    ]
    answered = explanation([ChargedMove(0, "a", charge(4 * SECOND, left_us=SECOND))])
    assert "It answered a, 4 s after it was asked." in answered[0]
    assert len(answered) == 2
    assert explanation(moves[:2]) == []


def test_texts_of_bots_are_escaped_and_long_matches_are_cut() -> None:
    hostile = "<script>alert(1)</script>"
    table = charge_table([ChargedMove(0, hostile, charge(SECOND), (hostile,))])
    assert hostile not in table
    assert table.count("&lt;script&gt;") == 2
    many = charge_table([ChargedMove(ply, "a", charge(SECOND)) for ply in range(500)])
    assert (many.count("<svg"), ">500</td>" in many, ">400</td>" in many) == (100, True, False)


def test_a_match_without_time_has_a_picture_too() -> None:
    assert "<svg" in charge_table([ChargedMove(0, "a", charge(0, left_us=None))])
