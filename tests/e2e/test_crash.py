"""The real server is killed repeatedly while many matches are played: no match and no accepted move is lost."""

import json
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest
from referee_api.v1 import game_pb2

from tests.e2e.organiser import Organiser, call_method, new_organiser
from tests.e2e.reconnecting_bots import BotThreads, Observations, ReconnectingBot, TurnKey
from tests.e2e.server import TIMEOUT_S, run_server
from tests.e2e.stopwatch import Stopwatch

pytestmark = pytest.mark.slow

SEATS_BY_GAME = {"toc": 4, "alquerque": 2, "troke": 2, "trox": 2}
"""Number of seats by game."""
SHORT_GAMES = {"toc": {"max_turns": "400"}, "trox": {"max_plies": "250"}}
"""Options that shorten games between random players."""
MOVES_BETWEEN_KILLS = (40, 200)
"""Range of the number of moves, in all matches together, between two kills."""
DOWN_S = 1


@pytest.mark.parametrize(("kills", "matches_per_game"), [(2, 1), pytest.param(6, 2, marks=pytest.mark.soak)])
def test_matches_survive_kills_without_losing_an_accepted_move(
    tmp_path: Path, rng: random.Random, kills: int, matches_per_game: int
) -> None:
    observations, watch = Observations(), Stopwatch()
    with (
        run_server(tmp_path) as server,
        server.channel() as channel,
        new_organiser(server, channel, seats=4) as organiser,
    ):
        owner, bots = organiser.token, [ReconnectingBot(secret, observations) for secret in organiser.secrets]
        matches = create_matches(organiser, rng, matches_per_game)
    for _ in range(kills):
        with run_server(tmp_path) as server:
            bot_threads = BotThreads(bots, server.address)
            observations.wait_for_moves(rng.randint(*MOVES_BETWEEN_KILLS))
            server.kill()
            bot_threads.stop()
        with watch.paused():
            time.sleep(DOWN_S)
    with run_server(tmp_path) as server, server.channel() as channel:
        bot_threads = BotThreads(bots, server.address)
        observations.wait_for_match_ends(len(matches))
        up_us = watch.running_us
        records = {match_id: fetch_record(channel, owner, match_id) for match_id in matches}
        bot_threads.stop()

    assert not observations.rejections
    assert {len(tokens) for tokens in observations.tokens.values()} == {1}
    verify_records(tmp_path, records)
    events_by_match = {match_id: parse_events(lines) for match_id, lines in records.items()}
    assert observations.accepted.items() <= played_moves(events_by_match).items()
    restarts = []
    for events in events_by_match.values():
        assert events[-1]["result"]["kind"] == "played"
        assert events[-1]["at_us"] <= up_us
        restarts.append([event["downtime_ms"] for event in events if event["kind"] == "referee_recovered"])
    assert len(max(restarts, key=len)) == 1 + kills
    assert min(down_ms for downs_ms in restarts for down_ms in downs_ms[1:]) >= DOWN_S * 1000


def create_matches(organiser: Organiser, rng: random.Random, matches_per_game: int) -> list[str]:
    """Create many matches, each with random bots of the organiser, and return their ids."""
    matches = []
    for game in list(SEATS_BY_GAME) * matches_per_game:
        seating = rng.sample(range(len(organiser.bots)), SEATS_BY_GAME[game])
        matches.append(
            organiser.create_match(rules=game_pb2.Rules(game=game, options=SHORT_GAMES.get(game)), seating=seating)
        )
    return matches


def fetch_record(channel: grpc.Channel, secret: str, match_id: str) -> list[str]:
    parts = call_method(channel, "MatchService/GetRecord", secret, match_id=match_id)
    return [line for part in parts for line in part.lines]


def parse_events(lines: Sequence[str]) -> list[dict[str, Any]]:
    return [json.loads(line)["event"] for line in lines[1:-1]]


def played_moves(events_by_match: dict[str, list[dict[str, Any]]]) -> dict[TurnKey, str]:
    return {
        TurnKey(match_id, event["token"]): event["move"]
        for match_id, events in events_by_match.items()
        for event in events
        if event["kind"] == "move_played"
    }


def verify_records(folder: Path, records: dict[str, list[str]]) -> None:
    """Assert that `referee verify` accepts the records, which replays their rules, seeds and clocks."""
    files = []
    for match_id, lines in records.items():
        files.append(folder / f"{match_id}.jsonl")
        files[-1].write_text("".join(f"{line}\n" for line in lines))
    command = [sys.executable, "-m", "referee", "verify", *map(str, files)]
    verified = subprocess.run(command, capture_output=True, text=True, timeout=5 * TIMEOUT_S, check=False)
    assert verified.returncode == 0, verified.stdout + verified.stderr
