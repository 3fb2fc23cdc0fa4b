"""What the real server keeps when it is killed: request ids, ends of matches and bot logs."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from referee_api.v1 import bot_pb2

from tests.e2e.bot_connection import connect_bot
from tests.e2e.call_errors import reason_of
from tests.e2e.organiser import Organiser, killable_server, server_with_organiser

pytestmark = pytest.mark.slow

FREQUENT_PINGS = ("--ping-interval-ms", "100")
"""Flags for frequent pings, so that no test waits long for one."""
MAX_CALLS = 3_000


def test_a_repeated_request_gets_its_first_answer_even_after_a_kill(tmp_path: Path) -> None:
    with killable_server(tmp_path) as (organiser, kill_and_restart):
        tied, resigned, aborted, won = (organiser.start_match() for _ in range(4))
        anna, bert = (partial(organiser.call_as_bot, seat) for seat in (0, 1))
        admin, owner = organiser.call_as_admin, organiser.call
        decision: dict[str, Any] = {"request_id": "j", "match_id": won, "message": "seen"}
        # Requests of every kind in an order in which each is accepted, and different ones with the same ids.
        requests: list[Any] = [
            (anna, "MatchService/OfferDraw", {"request_id": "o", "match_id": tied}),
            (bert, "MatchService/AnswerDraw", {"request_id": "d", "match_id": tied}),
            (bert, "MatchService/OfferDraw", {"request_id": "o", "match_id": tied}),
            (anna, "MatchService/AnswerDraw", {"request_id": "a", "match_id": tied, "accept": True}),
            (bert, "MatchService/Resign", {"request_id": "r", "match_id": resigned}),
            (owner, "MatchService/AbortMatch", {"request_id": "x", "match_id": aborted}),
            (admin, "AdminService/AdjudicateMatch", decision | {"side_scores": [1, 0]}),
        ]
        different: list[Any] = [
            (anna, "MatchService/Resign", {"request_id": "o", "match_id": tied}),
            (anna, "MatchService/AnswerDraw", {"request_id": "a", "match_id": tied}),
            (bert, "MatchService/ClaimDraw", {"request_id": "r", "match_id": resigned}),
            (owner, "MatchService/AbortMatch", {"request_id": "x", "match_id": aborted, "message": "rain"}),
            (admin, "AdminService/AdjudicateMatch", decision | {"side_scores": [0, 1]}),
            (admin, "AdminService/VoidMatch", decision),
        ]
        first = [call(method, **fields) for call, method, fields in requests]
        assert {answer.result.WhichOneof("kind") for answer in first} == {None, "played", "voided"}
        again = [call(method, **fields) for call, method, fields in requests]
        kill_and_restart()
        later = [call(method, **fields) for call, method, fields in requests]
        assert later == again == first
        for call, method, fields in different:
            assert reason_of(call, method, **fields) == "REQUEST_ID_REUSED", method


def test_a_missed_match_end_is_delivered_after_a_kill_and_then_not_again(tmp_path: Path) -> None:
    with killable_server(tmp_path, *FREQUENT_PINGS) as (organiser, kill_and_restart):
        match_id = organiser.start_match()
        organiser.connection(1).close()
        organiser.connection(0).send(resignation={"match_id": match_id})
        organiser.connection(0).receive("match_ended")
        kill_and_restart()
        with connect_bot(organiser.channel, organiser.secrets[1]) as bert:
            ended = bert.receive("match_ended")
            assert (ended.match_id, ended.seat, ended.result.seats[1].score) == (match_id, 1, 1.0)
            # Its pong to the first ping has arrived before the third ping is sent, which confirms the end.
            bert.receive_until_ping(3)
            bert.close()
        kill_and_restart()
        with connect_bot(organiser.channel, organiser.secrets[1]) as bert:
            assert set(bert.receive_until_ping(3)) == {"ping"}
            bert.close()


def test_only_cancelled_sessions_are_logged_as_lost(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path) as organiser:
        cancelled = set()
        for number in range(120):
            with connect_bot(organiser.channel, organiser.secrets[0], version=str(number)) as anna:
                if number % 4:
                    cancelled.add(anna.session_id)
                    anna.cancel()
                else:
                    anna.close()
        lost: set[str] = set()
        for _ in range(MAX_CALLS):  # The number of calls limits the wait, since each takes time.
            lost = lost_sessions(organiser)
            if cancelled <= lost:
                break
        assert lost == cancelled


def lost_sessions(organiser: Organiser) -> set[str]:
    listed = organiser.call("BotService/ListBotLogEntries", bot=organiser.bots[0], page_size=1000)
    lines: list[bot_pb2.BotLogEntry] = list(listed.entries)
    return {line.session_lost.session_id for line in lines if line.HasField("session_lost")}
