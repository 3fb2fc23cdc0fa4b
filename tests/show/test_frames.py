"""What a page shows of each entry of a match."""

from dataclasses import replace

import pytest
from referee_api.v1 import clock_pb2, entry_pb2, game_pb2, match_pb2, result_pb2

from engines.registry import games
from referee.show.frames import BEFORE_PLAY, BoardPainter, Frame, next_frame
from tests.site.samples import BEGAN_S, Story, match, won


def frames_of(story: Story) -> list[Frame]:
    frames = [BEFORE_PLAY]
    for entry in story.entries:
        frames.append(next_frame(match(), frames[-1], entry))
    return frames


def test_an_entry_that_the_viewer_must_not_see_changes_only_the_number() -> None:
    story = Story.started()
    story.move()
    story.add()
    shown, hidden = frames_of(story)[-2:]
    assert hidden == replace(
        shown, number=3, at_ms=1000 * (BEGAN_S + 3) + 5, kind="", text="", seat=None, charged_ms=None
    )


def test_play_starts_with_the_first_board_and_the_clocks() -> None:
    frame = frames_of(Story.started())[-1]
    assert (frame.kind, frame.text, frame.ply, frame.to_move) == ("play_started", "Play started", 0, (0,))
    assert [(clock.seat, clock.left_ms, clock.running) for clock in frame.clocks] == [
        (0, 60_000, True),
        (1, 60_000, False),
    ]
    assert frame.view


def test_a_move_has_its_text_its_seat_and_its_charge() -> None:
    story = Story.started()
    played = story.move().move_played
    frame = frames_of(story)[-1]
    assert (frame.text, frame.seat, frame.ply, frame.charged_ms) == (played.played.move, 0, 1, 1500.0)
    assert frame.note == ""
    assert frame.to_move == (1,)


def test_a_move_that_the_bot_did_not_choose_says_so() -> None:
    story = Story.started()
    story.move(entry_pb2.MOVE_SOURCE_RANDOM)
    story.move(entry_pb2.MOVE_SOURCE_DEFAULT)
    notes = [frame.note for frame in frames_of(story)]
    assert notes[-2:] == [
        "drawn at random, because the bot gave no move",
        "the game's default, because the bot gave no move",
    ]


def test_a_move_names_the_hidden_choices_that_it_reveals() -> None:
    story = Story.started()
    story.move().move_played.revealed.append(game_pb2.SeatMove(seat=1, move="secret"))
    assert frames_of(story)[-1].note == "black (bert) had chosen secret"


def test_a_sealed_choice_has_a_seat_and_a_charge_and_no_move() -> None:
    story = Story.started()
    charge = clock_pb2.ClockCharge(charged_us=250_000)
    story.add(choice_sealed=entry_pb2.ChoiceSealed(seat=1, clock_charge=charge, state=story.state()))
    frame = frames_of(story)[-1]
    assert (frame.kind, frame.seat, frame.charged_ms) == ("choice_sealed", 1, 250.0)
    assert frame.text == "black (bert) has chosen; the choice is still hidden"


def test_a_move_without_a_charge_is_not_a_move_in_no_time() -> None:
    story = Story.started()
    story.move().move_played.ClearField("clock_charge")
    assert frames_of(story)[-1].charged_ms is None


def test_a_seat_without_a_limit_has_no_time_left() -> None:
    story = Story()
    clock = story.start().play_started.state.clocks[0]
    clock.ClearField("time_left_us")
    assert frames_of(story)[-1].clocks[0].left_ms is None


def test_the_end_stops_all_clocks_and_keeps_the_board() -> None:
    story = Story.started()
    story.move()
    story.end()
    before, end = frames_of(story)[-2:]
    assert end.text == "The match ended: anna wins, no men"
    assert end.view == before.view
    assert end.ply == before.ply
    assert end.to_move == ()
    assert not any(clock.running for clock in end.clocks)


WORDS = {
    "seat_taken": (entry_pb2.SeatTaken(seat=1), "black (bert): the seat was taken"),
    "seat_vacated": (entry_pb2.SeatVacated(seat=1), "black (bert): the seat is open again"),
    "nonce_added": (entry_pb2.NonceAdded(seat=1), "black (bert) added a nonce to the seed"),
    "move_rejected": (
        entry_pb2.MoveRejected(seat=1, move="a9", message="there is no a9"),
        "black (bert) tried a9: there is no a9",
    ),
    "flag_fell": (entry_pb2.FlagFell(seat=1), "black (bert) ran out of time"),
    "draw_offered": (entry_pb2.DrawOffered(seat=1), "black (bert) offered a draw"),
    "draw_declined": (entry_pb2.DrawDeclined(seat=1), "black (bert) declined a draw"),
    "seat_resigned": (entry_pb2.SeatResigned(seat=1), "black (bert) resigned"),
    "seat_forfeited": (
        result_pb2.Forfeit(seat=1, cause=result_pb2.FORFEIT_CAUSE_DISCONNECTED),
        "black (bert) was absent for too long",
    ),
    "seat_disconnected": (entry_pb2.SeatDisconnected(seat=1), "black (bert) is offline"),
    "seat_reconnected": (entry_pb2.SeatReconnected(seat=1), "black (bert) is online again"),
    "referee_recovered": (
        entry_pb2.RefereeRecovered(downtime_ms=1_234),
        "The referee was unavailable for 1.2 s; clocks stopped",
    ),
    "match_created": (match(), ""),
}


@pytest.mark.parametrize("kind", WORDS)
def test_an_event_without_a_board_is_told_in_words(kind: str) -> None:
    event, words = WORDS[kind]
    story = Story.started()
    story.add(**{kind: event})
    before, frame = frames_of(story)[-2:]
    assert (frame.kind, frame.text) == (kind, words)
    assert (frame.view, frame.clocks, frame.to_move, frame.ply) == (
        before.view,
        before.clocks,
        before.to_move,
        before.ply,
    )


def test_every_event_of_the_contract_is_covered_here() -> None:
    events = {field.name for field in entry_pb2.Entry.DESCRIPTOR.oneofs_by_name["event"].fields}
    assert events == {*WORDS, "play_started", "move_played", "choice_sealed", "play_ended"}


def test_a_result_is_a_sentence_for_every_way_to_end() -> None:
    story = Story.started()
    story.end(won(voided=result_pb2.VoidResult(cause=result_pb2.VOID_CAUSE_ENGINE_FAULT)))
    assert frames_of(story)[-1].text == "The match ended: void: a fault of the game's implementation"


def test_the_last_move_is_marked_on_the_board_only_after_a_move() -> None:
    story = Story.started()
    story.move()
    story.add(draw_offered=entry_pb2.DrawOffered(seat=1))
    _, start, moved, offered = frames_of(story)
    painter = BoardPainter(match().terms.rules, games())
    assert painter.svg(BEFORE_PLAY) == ""
    assert len({painter.svg(start), painter.svg(moved), painter.svg(offered)}) == 3


@pytest.mark.parametrize("rules", [("shogi", {}), ("alquerque", {"no_such_option": "1"})])
def test_a_game_that_is_not_known_here_is_drawn_as_a_table(rules: tuple[str, dict[str, str]]) -> None:
    game, options = rules
    painter = BoardPainter(game_pb2.Rules(game=game, options=options), games())
    svg = painter.svg(replace(BEFORE_PLAY, view='{"<b>": "<script>"}'))
    assert svg.startswith("<svg")
    assert "<script>" not in svg


def test_a_bot_without_a_seat_in_the_match_does_not_break_the_page() -> None:
    story = Story.started()
    story.add(seat_taken=entry_pb2.SeatTaken(seat=7, bot=match_pb2.BotRef(bot="x")))
    assert frames_of(story)[-1].text == "seat 7: the seat was taken"
