"""Creation of matches on the real server: repeated requests, watching from the first entry, and adjudication."""

import json
from math import inf, nan

import pytest
from referee_api.v1 import error_pb2, game_pb2, play_pb2, policy_pb2, result_pb2

from tests.e2e.bot_connection import connect_bot
from tests.e2e.call_errors import reason_of
from tests.e2e.organiser import Organiser, entries_of
from tests.engines.troke.test_boards import largest

pytestmark = pytest.mark.slow

HIDDEN_UNTIL_END = policy_pb2.Visibility(kind=policy_pb2.VISIBILITY_KIND_AFTER_END)


def test_a_repeated_create_request_returns_the_match_even_if_no_other_can_be_created(organiser: Organiser) -> None:
    request = organiser.match_request()
    first = organiser.call("MatchService/CreateMatch", **request)
    organiser.set_quota(max_matches=1)
    organiser.call_as_admin("AdminService/PauseBot", bot=organiser.bots[0], message="for a while")
    again = organiser.call("MatchService/CreateMatch", **request)
    assert (first.repeated, again.repeated) == (False, True)
    assert (again.match, again.entry_number) == (first.match, first.entry_number)
    assert reason_of(organiser.create_match) == "TOO_MANY_MATCHES"


def test_a_hidden_match_can_be_watched_from_the_entry_number_returned_at_creation(organiser: Organiser) -> None:
    request = organiser.match_request(visibility=HIDDEN_UNTIL_END) | {"seats": []}
    created = organiser.call("MatchService/CreateMatch", **request)
    match_id = created.match.id
    joined = organiser.call("MatchService/JoinMatch", match_id=match_id, bot={"bot": organiser.bots[0]})
    assert (created.entry_number, joined.entry_number) == (0, 0)
    own = organiser.call_as_bot(1, "MatchService/JoinMatch", match_id=match_id)
    assert own.entry_number == 3
    watched = organiser.call("MatchService/WatchMatch", match_id=match_id, after_number=joined.entry_number)
    assert not next(watched).items[0].snapshot.HasField("state")
    organiser.call("MatchService/AbortMatch", request_id="abort", match_id=match_id)
    assert [entry.number for response in watched for entry in entries_of(response)] == [1, 2, 3, 4]


@pytest.mark.parametrize("score", [nan, inf])
def test_an_adjudicated_score_must_be_a_finite_number(organiser: Organiser, score: float) -> None:
    match_id = organiser.create_match()
    decision = {"request_id": "a", "match_id": match_id, "side_scores": [0, score], "message": "so"}
    assert reason_of(organiser.call_as_admin, "AdminService/AdjudicateMatch", **decision) == "BAD_FIELD"


def test_items_of_one_message_are_handled_in_order(organiser: Organiser) -> None:
    match_id = organiser.start_match()
    organiser.connection(0).send_move(organiser.next_turn(), offer_draw=True)
    turn, bert = organiser.next_turn(1), organiser.connection(1)
    assert list(turn.draw_offer_seats) == [0]
    move = play_pb2.Move(match_id=match_id, turn_token=turn.turn_token, move=turn.legal_moves[0])
    # A move declines the offer, but the acceptance comes first in the same message.
    bert.send_together(
        play_pb2.BotItem(item_id=1, draw_answer=play_pb2.DrawAnswer(match_id=match_id, accept=True)),
        play_pb2.BotItem(item_id=2, move=move),
    )
    verdicts = [bert.receive("verdict") for _ in range(2)]
    assert [(item.item_id, item.WhichOneof("outcome")) for item in verdicts] == [(1, "accepted"), (2, "rejected")]
    assert organiser.connection(0).receive("match_ended").result.played.ending == result_pb2.ENDING_DRAW_AGREED


def test_a_move_of_any_length_is_one_rejected_attempt_and_the_stream_stays_open(organiser: Organiser) -> None:
    organiser.start_match()
    anna = organiser.connection(0)
    for characters, left in ((1_001, 2), (2_000_000, 1)):
        turn = organiser.next_turn()
        anna.send_move(turn, "x" * characters)
        verdict = anna.receive("verdict", "turn")
        assert verdict.turn_token == turn.turn_token
        assert verdict.rejected.error.reason == error_pb2.ERROR_REASON_MALFORMED_MOVE
        assert verdict.rejected.attempts_left == left
    anna.send_move(organiser.next_turn())
    assert anna.receive("verdict").WhichOneof("outcome") == "accepted"


LARGE = game_pb2.Rules(game="troke", options={"own_board": json.dumps(largest())})


def test_large_rules_are_sent_at_the_start_and_after_a_reconnect(organiser: Organiser) -> None:
    match_id = organiser.create_match(rules=LARGE)
    organiser.connection(1)
    with connect_bot(organiser.channel, organiser.secrets[0]) as anna:
        started = anna.receive("match_started")
        turn = anna.receive("turn")
    assert len(started.rules_hash) == 64
    assert len(started.match.terms.rules.options["own_board"]) > 9_000
    assert (turn.HasField("rules"), turn.rules_hash) == (False, started.rules_hash)
    assert turn.ByteSize() < 4_096

    with connect_bot(organiser.channel, organiser.secrets[0]) as anna:
        back = anna.receive("turn")
        assert (back.turn_token, back.rules, back.rules_hash) == (
            turn.turn_token,
            started.match.terms.rules,
            turn.rules_hash,
        )
        anna.send_move(back, "nonsense")
        later = anna.receive("turn")
        assert (later.HasField("rules"), later.rules_hash) == (False, turn.rules_hash)

    (listed,) = organiser.call_as_bot(0, "MatchService/ListTurns", match_id=match_id).turns
    assert listed.rules == started.match.terms.rules


def test_small_rules_are_sent_with_every_turn(organiser: Organiser) -> None:
    organiser.start_match()
    turn = organiser.next_turn()
    assert turn.rules.game == "alquerque"
    assert turn.rules_hash == ""
