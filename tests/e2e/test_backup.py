"""Backup under load: matches and bots continue from a backup on another server and play to the end."""

import subprocess
import sys
from pathlib import Path

import pytest
from referee_api.v1 import game_pb2

from tests.e2e.call_errors import assert_refused
from tests.e2e.organiser import server_with_organiser
from tests.e2e.reconnecting_bots import BotThreads, Observations, ReconnectingBot
from tests.e2e.server import TIMEOUT_S, run_server
from tests.e2e.test_crash import SEATS_BY_GAME, SHORT_GAMES, fetch_record, parse_events, played_moves, verify_records

pytestmark = pytest.mark.slow

MATCHES_PER_GAME = 3
"""Concurrent matches of each game."""


def run_referee(*arguments: str | Path) -> str:
    """Run a `referee` command, and return its standard output."""
    command = [sys.executable, "-m", "referee", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=5 * TIMEOUT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_matches_continue_from_a_backup_made_under_load(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    observations = Observations()
    with server_with_organiser(tmp_path / "first", seats=4) as organiser:
        bots = [ReconnectingBot(secret, observations) for secret in organiser.secrets]
        games = list(SEATS_BY_GAME) * MATCHES_PER_GAME
        matches = [
            organiser.create_match(
                rules=game_pb2.Rules(game=game, options=SHORT_GAMES.get(game)), seating=range(SEATS_BY_GAME[game])
            )
            for game in games
        ]
        bot_threads = BotThreads(bots, organiser.server.address)
        observations.wait_for_moves(200)
        accepted = dict(observations.accepted)
        output = run_referee("backup", tmp_path / "copy", "--data-dir", tmp_path / "first" / "data")
        observations.wait_for_moves(100)
        organiser.server.kill()
        bot_threads.stop()
    assert f"{len(matches)} matches" in output

    output = run_referee("restore", tmp_path / "copy", "--data-dir", tmp_path / "second" / "data")
    assert f"{len(matches)} of {len(matches)} matches verified" in output
    with run_server(tmp_path / "second") as server, server.channel() as channel:
        assert not server.admin_token, "tokens are restored, too"
        bot_threads = BotThreads(bots, server.address)
        observations.wait_for_match_ends(len(matches))
        records = {match_id: fetch_record(channel, organiser.token, match_id) for match_id in matches}
        bot_threads.stop()

    assert not observations.rejections
    assert {len(tokens) for tokens in observations.tokens.values()} == {1}
    verify_records(tmp_path, records)
    events_by_match = {match_id: parse_events(lines) for match_id, lines in records.items()}
    assert accepted.items() <= played_moves(events_by_match).items(), "moves accepted before the backup are in it"
    assert {events[-1]["result"]["kind"] for events in events_by_match.values()} == {"played"}
    assert any(event["kind"] == "referee_recovered" for events in events_by_match.values() for event in events)


def test_requests_for_an_archived_match_are_rejected_as_archived(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path) as organiser:
        match_id = organiser.start_match()
        organiser.call_as_bot(0, "MatchService/Resign", match_id=match_id, request_id="the end")
        organiser.disconnect_bots()
        other_match_id = organiser.create_match()
        output = run_referee(
            "data", "archive", "--before", "2100-01-01", "--to", tmp_path / "old", "--data-dir", tmp_path / "data"
        )
        assert "1 match archived" in output
        assert "fine: " in run_referee("verify", tmp_path / "old" / f"{match_id}.jsonl")

        late = {"match_id": match_id, "request_id": "late", "message": "too late"}
        for request in (
            lambda: organiser.call("MatchService/GetRecord", match_id=match_id),
            lambda: organiser.call("MatchService/WatchMatch", match_id=match_id, after_number=0),
            lambda: organiser.call_as_admin("AdminService/VoidMatch", **late),
        ):
            assert_refused("MATCH_ARCHIVED", request)
        listed = organiser.call("MatchService/ListMatches").matches
        assert other_match_id in [match.id for match in listed]
