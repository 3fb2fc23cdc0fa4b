"""The real server is killed repeatedly during ladders: they continue, and every match is rated once."""

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from referee_api.v1 import game_pb2, ladder_pb2

from engines.registry import games
from referee.contests.ladder.events import LadderClosureFinished, LadderEvent, MatchRated, PairingPlanned
from referee.contests.ladder.result_counts import estimate_seasons
from referee.contests.pairing import ContestMatchScored, ContestMatchStarted
from referee.hosting.contest_log import LADDER, ContestEntry, contest_id
from referee.hosting.ladder_state import LadderFold, LadderState
from referee.live.log_history import replay
from referee.match.events import PlayEnded
from referee.match.setup import Player
from referee.storage.sqlite.event_log import SqliteEventLog
from tests.contests.recomputed_ratings import recompute_ratings
from tests.e2e.contests import ladder_request, match_terms
from tests.e2e.organiser import call_method, call_with_timeout, new_organiser
from tests.e2e.reconnecting_bots import BotThreads, Observations, ReconnectingBot
from tests.e2e.server import run_server
from tests.e2e.server_metrics import error_log_lines

pytestmark = pytest.mark.slow


def short_rules(game: str) -> game_pb2.Rules:
    return game_pb2.Rules(game=game, options={"max_plies": "100"})


LADDERS: dict[str, dict[str, Any]] = {
    "main": {"match_terms": [match_terms(short_rules("troke"))], "provisional_matches": 3},
    "sets": {
        "match_terms": [match_terms(short_rules("trox"))],
        "duplicate_play": {},
        "max_concurrent_matches": 4,
    },
}
SEATS = 5
MOVES_BETWEEN_KILLS = (30, 250)
"""Range of the number of moves, in all matches together, between two kills."""
LADDER_TIMEOUT_S = 900
"""Timeout for the matches of a ladder that suffices on a busy machine."""


@pytest.mark.parametrize("kills", [2, pytest.param(6, marks=pytest.mark.soak)])
def test_ladders_survive_kills_and_rate_every_match_once(tmp_path: Path, rng: random.Random, kills: int) -> None:
    observations = Observations()
    with (
        run_server(tmp_path) as server,
        server.channel() as channel,
        new_organiser(server, channel, seats=SEATS) as organiser,
    ):
        owner, bots = organiser.token, [ReconnectingBot(secret, observations) for secret in organiser.secrets]
        for name, terms in LADDERS.items():
            organiser.call(
                "LadderService/CreateLadder", **ladder_request(organiser, name=name, request_id=name, **terms)
            )
            for seat in range(SEATS):
                organiser.call_as_bot(seat, "LadderService/JoinLadder", ladder=name)
    entries_by_ladder: dict[str, list[ladder_pb2.LadderEntry]] = {name: [] for name in LADDERS}
    for life in range(kills):
        with run_server(tmp_path) as server, server.channel() as channel:
            bot_threads = BotThreads(bots, server.address)
            observations.wait_for_moves(rng.randint(*MOVES_BETWEEN_KILLS))
            if life == kills // 2:
                call_method(channel, "LadderService/StartSeason", owner, request_id="a season", ladder="main")
            entries_by_ladder = {name: read_entries(channel, owner, name, entries_by_ladder[name]) for name in LADDERS}
            server.kill()
            bot_threads.stop()
    with run_server(tmp_path) as server, server.channel() as channel:
        bot_threads = BotThreads(bots, server.address)
        for name in LADDERS:
            wait_until_rated(channel, owner, name, SEATS + 1)
        for name in LADDERS:
            call_method(channel, "LadderService/CloseLadder", owner, ladder=name)
        for name in LADDERS:
            list(call_with_timeout(channel, "LadderService/WatchLadder", owner, LADDER_TIMEOUT_S, {"ladder": name}))
        entries_by_ladder = {name: read_entries(channel, owner, name, entries_by_ladder[name]) for name in LADDERS}
        tables = {name: list_standings(channel, owner, name) for name in LADDERS}
        live = call_method(channel, "MatchService/ListMatches", owner, phase="MATCH_PHASE_PLAYING").matches
        bot_threads.stop()
        assert not list(error_log_lines(server))

    assert not observations.rejections
    assert list(live) == []
    for name, (state, entries, ends) in asyncio.run(read_ladders(tmp_path)).items():
        assert [entry.number for entry in entries] == [*range(1, len(entries) + 1)]
        assert [entry.number for entry in entries_by_ladder[name]] == [entry.number for entry in entries]
        assert_consistent(state, [entry.event for entry in entries[1:]], ends)  # type: ignore[misc]
        assert [(row.entrant.name, row.rating.value) for row in tables[name]] == expected_ranking(
            state, [entry.event for entry in entries[1:]]
        )


def wait_until_rated(channel: Any, secret: str, name: str, count: int) -> None:
    """Wait until `many` matches of the ladder have been rated."""
    rated = 0
    for response in call_with_timeout(
        channel, "LadderService/WatchLadder", secret, LADDER_TIMEOUT_S, {"ladder": name, "after_number": 0}
    ):
        rated += sum(item.entry.HasField("match_rated") for item in response.items)
        if rated >= count:
            return


def read_entries(
    channel: Any, secret: str, name: str, before: list[ladder_pb2.LadderEntry]
) -> list[ladder_pb2.LadderEntry]:
    """Return all entries so far. Assert that they begin with `before`, which an earlier server process sent."""
    now, found = 0, list[ladder_pb2.LadderEntry]()
    for response in call_method(channel, "LadderService/WatchLadder", secret, ladder=name, after_number=0):
        now = max([now, *(item.snapshot.entry_number for item in response.items)])
        found += [item.entry for item in response.items if item.HasField("entry")]
        if found and found[-1].number >= now:
            break
    assert found[: len(before)] == before
    return found


def list_standings(channel: Any, secret: str, name: str) -> list[ladder_pb2.LadderStanding]:
    return list(call_method(channel, "LadderService/ListLadderStandings", secret, ladder=name).standings)


def expected_ranking(state: LadderState, events: Sequence[object]) -> list[tuple[str, float]]:
    """Return the ranking that follows from the log: provisional ratings last, then by lower bound, rating and name."""
    ladder = state.ladder
    last_ms = ladder.rating_history.last_ms
    estimates = estimate_seasons([event for event in events if isinstance(event, MatchRated)], {})[-1]
    ratings = ladder.current_season.with_estimates(estimates).ratings
    rows = {name: ladder.rating_history.rating(ratings, Player(name, "1"), last_ms) for name in ladder.entrants}

    def place(name: str) -> tuple[bool, float, float, str]:
        rating = rows[name].rating
        return ladder.terms.is_provisional(rows[name]), -rating.lower_bound, -rating.value, name

    order = sorted(rows, key=place)
    return [(name, rows[name].rating.value) for name in order]


def assert_consistent(state: LadderState, events: list[LadderEvent], ends: dict[str, PlayEnded]) -> None:
    """Assert that every paired match started, ended and was rated once, and that ratings follow from the results."""
    assert events[-1] == LadderClosureFinished()
    assert recompute_ratings(events) == state.ladder.current_season.ratings
    paired = [event.pairing.id for event in events if isinstance(event, PairingPlanned)]
    assert paired == [str(number) for number in range(1, len(paired) + 1)]
    began = [event.match_id for event in events if isinstance(event, ContestMatchStarted)]
    rated = [event.match_id for event in events if isinstance(event, MatchRated)]
    assert len(rated) > len(state.ladder.entrants)
    assert sorted(began) == sorted(rated) == sorted(ends)
    assert sum(isinstance(event, ContestMatchScored) for event in events) == len(rated)
    for event in events:
        if isinstance(event, MatchRated):
            assert state.by_seat(event) == ends[event.match_id].ratings


async def read_ladders(folder: Path) -> dict[str, tuple[LadderState, list[ContestEntry], dict[str, PlayEnded]]]:
    """Read from the database each ladder, its log and the ends of its matches."""
    log = SqliteEventLog(folder / "data" / "referee.db", lambda: 0)
    found = {}
    for name in LADDERS:
        entries = await log.contests.read(contest_id(LADDER, name))
        state = list(replay(LadderFold(games()), entries))[-1].state
        ids = [entry.event.match_id for entry in entries if isinstance(entry.event, ContestMatchStarted)]
        ends = {match_id: (await log.read(match_id))[-1].event for match_id in ids}
        found[name] = state, entries, {match_id: end for match_id, end in ends.items() if isinstance(end, PlayEnded)}
    await log.close()
    return found
