"""Large rules are sent once: a turn omits them if the stream has already sent them to that seat."""

import json

from referee_api.v1 import game_pb2

from tests.e2e.bot_connection import connect_bot
from tests.e2e.organiser import Organiser
from tests.engines.troke.test_boards import largest

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
        anna.send(move={"match_id": match_id, "turn_token": back.turn_token, "move": "nonsense"})
        later = anna.receive("turn")
        assert (later.HasField("rules"), later.rules_hash) == (False, turn.rules_hash)

    (listed,) = organiser.call_as_bot(0, "MatchService/ListTurns", match_id=match_id).turns
    assert listed.rules == started.match.terms.rules


def test_small_rules_are_sent_with_every_turn(organiser: Organiser) -> None:
    organiser.start_match()
    turn = organiser.next_turn()
    assert turn.rules.game == "alquerque"
    assert turn.rules_hash == ""
