"""The real server is killed repeatedly during matches, ladders and tournaments: nothing accepted is lost.

That contests continue after a kill at any write as if there had been none is shown in `tests/hosting`.
"""

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest
from referee_api.v1 import contest_pb2, game_pb2, ladder_pb2, tournament_pb2

from tests.e2e.contests import entrants_of, ladder_request, match_terms, tournament_request
from tests.e2e.honest_bots import entries
from tests.e2e.organiser import Organiser, call_method, call_with_timeout, entries_of, server_with_organiser
from tests.e2e.reconnecting_bots import BotThreads, Observations, ReconnectingBot, TurnKey
from tests.e2e.server import TIMEOUT_S, run_server
from tests.e2e.server_metrics import error_log_lines
from tests.e2e.stopwatch import Stopwatch

pytestmark = pytest.mark.slow

SEATS_BY_GAME = {"toc": 4, "alquerque": 2, "troke": 2, "trox": 2}
"""Number of seats by game."""
SHORT_GAMES = {"toc": {"max_turns": "400"}, "trox": {"max_plies": "250"}}
"""Options that shorten games between random players."""
BOTS = 5
MOVES_BETWEEN_KILLS = (60, 400)
"""Range of the number of moves, in all matches together, between two kills."""
MIN_RESULTS = 3
"""Number of pairings with results that are seen before the last kill, at least."""
DOWN_S = 1
PLAY_TIMEOUT_S = 900
"""Timeout for the matches of a contest that suffices on a busy machine."""


def short_rules(game: str) -> game_pb2.Rules:
    return game_pb2.Rules(game=game, options={"max_plies": "100"})


LADDERS: dict[str, dict[str, Any]] = {
    "main": {"match_terms": [match_terms(short_rules("troke"))], "provisional_matches": 3},
    "pairs": {"match_terms": [match_terms(short_rules("trox"))], "duplicate_play": {}, "max_concurrent_matches": 4},
}
TROKE = match_terms(game_pb2.Rules(game="troke"))
TOURNAMENTS: dict[str, dict[str, Any]] = {
    "everybody": {"round_robin": {}, "max_concurrent_matches": 4},
    "swiss": {"swiss": {"rounds": 3}},
    "cup": {"elimination": {"third_place_match": True}},
    "sets": {"round_robin": {}, "duplicate_play": {}, "match_terms": TROKE, "max_concurrent_matches": 6},
}


@dataclass
class Aftermath:
    """What was seen of matches and contests that the server was killed in several times."""

    kills: int
    observations: Observations
    matches: list[str] = field(default_factory=list)
    """Matches outside of contests."""
    records: dict[str, list[str]] = field(default_factory=dict)
    up_us: int = 0
    """Time for which a server was running."""
    ladders: dict[str, list[ladder_pb2.LadderEntry]] = field(default_factory=lambda: {name: [] for name in LADDERS})
    standings: dict[str, list[ladder_pb2.LadderStanding]] = field(default_factory=dict)
    pairings_before: dict[tuple[str, str], contest_pb2.Pairing] = field(default_factory=dict)
    """Pairings of tournaments with results that were seen before a kill, by tournament and id."""
    pairings: dict[tuple[str, str], contest_pb2.Pairing] = field(default_factory=dict)
    tournaments: dict[str, tournament_pb2.Tournament] = field(default_factory=dict)
    points: dict[str, float] = field(default_factory=dict)
    """Points of all entrants together, by tournament."""
    live: list[Any] = field(default_factory=list)
    """Matches in play at the end."""
    errors: list[str] = field(default_factory=list)


@pytest.fixture(scope="module", params=[(2, 1), pytest.param((6, 2), marks=pytest.mark.soak)])
def aftermath(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Aftermath:
    kills, matches_per_game = request.param
    seed, folder = request.config.getoption("--soak-seed"), tmp_path_factory.mktemp("killed")
    rng = random.Random(f"crash {seed}")
    after, watch = Aftermath(kills, Observations()), Stopwatch()
    with server_with_organiser(folder, seats=BOTS) as organiser:
        token, bots = organiser.token, [ReconnectingBot(secret, after.observations) for secret in organiser.secrets]
        after.matches = create_matches(organiser, rng, matches_per_game)
        create_contests(organiser)
    for life in range(kills):
        with run_server(folder) as server, server.channel() as channel:
            bot_threads = BotThreads(bots, server.address)
            after.observations.wait_for_moves(rng.randint(*MOVES_BETWEEN_KILLS))
            if life == kills // 2:
                call_method(channel, "LadderService/StartSeason", token, request_id="a season", ladder="main")
            read_ladders(after, channel, token)
            after.pairings_before |= read_results(channel, token)
            while life == kills - 1 and len(after.pairings_before) < MIN_RESULTS:
                after.observations.wait_for_moves(MOVES_BETWEEN_KILLS[0])
                after.pairings_before |= read_results(channel, token)
            server.kill()
            bot_threads.stop()
        with watch.paused():
            time.sleep(DOWN_S)
    with run_server(folder) as server, server.channel() as channel:
        bot_threads = BotThreads(bots, server.address)
        for match_id in after.matches:
            entries(channel, token, match_id, PLAY_TIMEOUT_S)
        after.up_us = watch.running_us
        end_contests(channel, token)
        after.records = {match_id: fetch_record(channel, token, match_id) for match_id in after.matches}
        read_ladders(after, channel, token)
        after.pairings = read_pairings(channel, token)
        for name in LADDERS:
            listed = call_method(channel, "LadderService/ListLadderStandings", token, ladder=name)
            after.standings[name] = list(listed.standings)
        for name in TOURNAMENTS:
            after.tournaments[name] = call_method(
                channel, "TournamentService/GetTournament", token, name=name
            ).tournament
            table = call_method(channel, "TournamentService/GetTournamentStandings", token, tournament=name).standings
            after.points[name] = sum(row.points for row in table)
        after.live = list(call_method(channel, "MatchService/ListMatches", token, phase="MATCH_PHASE_PLAYING").matches)
        bot_threads.stop()
        after.errors = list(error_log_lines(server))
    return after


def create_matches(organiser: Organiser, rng: random.Random, matches_per_game: int) -> list[str]:
    """Create matches of each game, each with random bots of the organiser, and return their ids."""
    return [
        organiser.create_match(
            rules=game_pb2.Rules(game=game, options=SHORT_GAMES.get(game)),
            seating=rng.sample(range(len(organiser.bots)), SEATS_BY_GAME[game]),
        )
        for game in list(SEATS_BY_GAME) * matches_per_game
    ]


def create_contests(organiser: Organiser) -> None:
    for name, terms in LADDERS.items():
        organiser.call("LadderService/CreateLadder", **ladder_request(organiser, name=name, request_id=name, **terms))
        for seat in range(BOTS):
            organiser.call_as_bot(seat, "LadderService/JoinLadder", ladder=name)
    for name, terms in TOURNAMENTS.items():
        request = tournament_request(organiser, name=name, request_id=name, entrants=entrants_of(organiser), **terms)
        organiser.call("TournamentService/CreateTournament", **request)
        organiser.call("TournamentService/StartTournament", name=name)


def end_contests(channel: grpc.Channel, token: str) -> None:
    """Wait until each entrant of a ladder has been rated and the tournaments are over, and close the ladders."""

    def watch(service: str, **fields: Any) -> Any:
        return call_with_timeout(channel, f"{service}Service/Watch{service}", token, PLAY_TIMEOUT_S, fields)

    for name in LADDERS:
        watched, rated = watch("Ladder", ladder=name, after_number=0), 0
        while rated <= BOTS:
            rated += sum(entry.HasField("match_rated") for entry in entries_of(next(watched)))
        watched.cancel()
    for name in LADDERS:
        call_method(channel, "LadderService/CloseLadder", token, ladder=name)
        list(watch("Ladder", ladder=name))
    for name in TOURNAMENTS:
        list(watch("Tournament", tournament=name))


def read_ladders(after: Aftermath, channel: grpc.Channel, token: str) -> None:
    """Read all entries so far. Assert that they begin with those that an earlier server process sent."""
    for name, before in after.ladders.items():
        now, found = 0, list[ladder_pb2.LadderEntry]()
        for response in call_method(channel, "LadderService/WatchLadder", token, ladder=name, after_number=0):
            now = max([now, *(item.snapshot.entry_number for item in response.items)])
            found += entries_of(response)
            if found and found[-1].number >= now:
                break
        assert found[: len(before)] == before
        after.ladders[name] = found


def read_pairings(channel: grpc.Channel, token: str) -> dict[tuple[str, str], contest_pb2.Pairing]:
    return {
        (name, pairing.id): pairing
        for name in TOURNAMENTS
        for pairing in call_method(
            channel, "TournamentService/ListPairings", token, tournament=name, page_size=1000
        ).pairings
    }


def read_results(channel: grpc.Channel, token: str) -> dict[tuple[str, str], contest_pb2.Pairing]:
    return {of: pairing for of, pairing in read_pairings(channel, token).items() if pairing.points}


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


def test_every_turn_keeps_its_token_and_no_answer_is_rejected(aftermath: Aftermath) -> None:
    assert not aftermath.observations.rejections
    assert {len(tokens) for tokens in aftermath.observations.tokens.values()} == {1}
    assert aftermath.live == []
    assert aftermath.errors == []


def test_matches_survive_kills_without_losing_an_accepted_move(aftermath: Aftermath, tmp_path: Path) -> None:
    verify_records(tmp_path, aftermath.records)
    events_by_match = {match_id: parse_events(lines) for match_id, lines in aftermath.records.items()}
    accepted = {key: move for key, move in aftermath.observations.accepted.items() if key.match_id in events_by_match}
    assert accepted
    assert accepted.items() <= played_moves(events_by_match).items()
    restarts = []
    for events in events_by_match.values():
        assert events[-1]["result"]["kind"] == "played"
        assert events[-1]["at_us"] <= aftermath.up_us
        restarts.append([event["downtime_ms"] for event in events if event["kind"] == "referee_recovered"])
    assert len(max(restarts, key=len)) == 1 + aftermath.kills
    assert min(down_ms for downs_ms in restarts for down_ms in downs_ms[1:]) >= DOWN_S * 1000


@pytest.mark.parametrize("name", LADDERS)
def test_a_ladder_survives_kills_and_rates_every_match_once(aftermath: Aftermath, name: str) -> None:
    log = aftermath.ladders[name]
    assert [entry.number for entry in log] == [*range(1, len(log) + 1)]
    assert log[-1].HasField("closed")
    rated = [entry.match_rated for entry in log if entry.HasField("match_rated")]
    paired = {match_id for entry in log for match_id in entry.pairing.match_ids}
    assert Counter(event.match_id for event in rated) == Counter(paired)
    for standing in aftermath.standings[name]:
        bot = standing.entrant.name
        changes = [change for event in rated for change in event.ratings if change.bot == bot]
        assert [change.before.value for change in changes[1:]] == [change.after.value for change in changes[:-1]]
        assert standing.rating.matches == changes[-1].after.matches


@pytest.mark.parametrize("name", TOURNAMENTS)
def test_a_tournament_survives_kills_with_the_results_that_it_had(aftermath: Aftermath, name: str) -> None:
    assert aftermath.tournaments[name].phase == tournament_pb2.TOURNAMENT_PHASE_FINISHED
    pairings = {key: pairing for key, pairing in aftermath.pairings.items() if key[0] == name}
    before = {key: pairing for key, pairing in aftermath.pairings_before.items() if key[0] == name}
    assert len(aftermath.pairings_before) >= MIN_RESULTS
    assert {key: pairings[key] for key in before} == before
    match_ids = [match_id for pairing in pairings.values() for match_id in pairing.match_ids]
    assert len(match_ids) == len(set(match_ids))
    assert {pairing.phase for pairing in pairings.values()} == {contest_pb2.PAIRING_PHASE_DONE}
    assert aftermath.points[name] == sum(sum(pairing.points) for pairing in pairings.values())
