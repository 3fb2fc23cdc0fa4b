"""The real server is killed repeatedly during tournaments: they end as if it had never been killed."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
from referee_api.v1 import contest_pb2, game_pb2

from referee.contests.contest_entrant import EntrantJoined
from referee.contests.pairing import ContestMatchScored, Pairing
from referee.contests.tournament.commands import RecordTournamentScore, StartTournament, StartTournamentMatch
from referee.contests.tournament.decide import decide
from referee.contests.tournament.events import TournamentEnded
from referee.contests.tournament.state import Tournament, evolve
from referee.hosting.contest_log import TOURNAMENT, ContestEntry, contest_id
from referee.hosting.tournament_state import TournamentState, fold_tournament
from referee.live.log_history import replay
from referee.storage.sqlite.event_log import SqliteEventLog
from tests.e2e.contests import entrants_of, match_terms, tournament_request
from tests.e2e.organiser import call_method, new_organiser
from tests.e2e.reconnecting_bots import BotThreads, Observations, ReconnectingBot
from tests.e2e.server import run_server
from tests.e2e.server_metrics import error_log_lines

pytestmark = pytest.mark.slow

TROKE = game_pb2.Rules(game="troke")
TOURNAMENTS: dict[str, dict[str, Any]] = {
    "everybody": {"round_robin": {}, "max_concurrent_matches": 4},
    "swiss": {"swiss": {"rounds": 3}},
    "cup": {"elimination": {"third_place_match": True}},
    "sets": {"round_robin": {}, "duplicate_play": {}, "match_terms": match_terms(TROKE), "max_concurrent_matches": 6},
}
SEATS = 5
MOVES_BETWEEN_KILLS = (30, 250)
"""Range of the number of moves, in all matches together, between two kills."""


@pytest.mark.parametrize("kills", [2, pytest.param(6, marks=pytest.mark.soak)])
def test_tournaments_survive_kills_with_the_same_result(tmp_path: Path, rng: random.Random, kills: int) -> None:
    observations = Observations()
    with (
        run_server(tmp_path) as server,
        server.channel() as channel,
        new_organiser(server, channel, seats=SEATS) as organiser,
    ):
        owner, bots = organiser.token, [ReconnectingBot(secret, observations) for secret in organiser.secrets]
        for name, asked in TOURNAMENTS.items():
            request = tournament_request(
                organiser, name=name, request_id=name, entrants=entrants_of(organiser), **asked
            )
            organiser.call("TournamentService/CreateTournament", **request)
            organiser.call("TournamentService/StartTournament", name=name)
    done: dict[tuple[str, str], Any] = {}
    for _ in range(kills):
        with run_server(tmp_path) as server, server.channel() as channel:
            bot_threads = BotThreads(bots, server.address)
            observations.wait_for_moves(rng.randint(*MOVES_BETWEEN_KILLS))
            for name in TOURNAMENTS:
                done |= {(name, ended.id): ended for ended in list_pairings(channel, owner, name) if ended.points}
            server.kill()
            bot_threads.stop()
    with run_server(tmp_path) as server, server.channel() as channel:
        bot_threads = BotThreads(bots, server.address)
        for name in TOURNAMENTS:
            list(call_method(channel, "TournamentService/WatchTournament", owner, tournament=name))
        tables = {
            name: call_method(channel, "TournamentService/GetTournamentStandings", owner, tournament=name).standings
            for name in TOURNAMENTS
        }
        after = {(name, pairing.id): pairing for name in TOURNAMENTS for pairing in list_pairings(channel, owner, name)}
        live = call_method(channel, "MatchService/ListMatches", owner, phase="MATCH_PHASE_PLAYING").matches
        bot_threads.stop()
        assert not list(error_log_lines(server))

    assert not observations.rejections
    assert list(live) == []
    assert 3 <= len(done) < len(after)
    assert {pairing_id: after[pairing_id] for pairing_id in done} == done
    for name, entries in asyncio.run(read_logs(tmp_path, list(TOURNAMENTS))).items():
        state = list(replay(fold_tournament, entries))[-1].state
        expected = replay_uninterrupted(state, entries)
        assert pairings_by_id(expected) == pairings_by_id(state.tournament)
        assert expected.standings() == state.tournament.standings()
        assert [row.points for row in tables[name]] == [row.points for row in expected.standings()]
        match_ids = [
            match_id for course in state.tournament.pairings.values() for match_id in course.match_ids.values()
        ]
        assert len(match_ids) == len(set(match_ids))


def list_pairings(channel: Any, secret: str, name: str) -> list[contest_pb2.Pairing]:
    return list(
        call_method(channel, "TournamentService/ListPairings", secret, tournament=name, page_size=1000).pairings
    )


def pairings_by_id(tournament: Tournament) -> dict[str, Pairing]:
    return {pairing_id: course.pairing for pairing_id, course in tournament.pairings.items()}


async def read_logs(folder: Path, names: list[str]) -> dict[str, list[ContestEntry]]:
    log = SqliteEventLog(folder / "data" / "referee.db", lambda: 0)
    found = {name: await log.contests.read(contest_id(TOURNAMENT, name)) for name in names}
    await log.close()
    return found


def replay_uninterrupted(state: TournamentState, entries: list[ContestEntry]) -> Tournament:
    """Return the tournament as it results when it is decided without interruption from the same results."""
    results = {
        (entry.event.pairing, entry.event.number): entry.event.score
        for entry in entries
        if isinstance(entry.event, ContestMatchScored)
    }
    tournament = Tournament(state.terms.tournament)
    for entry in entries:
        if isinstance(entry.event, EntrantJoined):
            tournament = evolve(tournament, entry.event)
    for event in decide(tournament, StartTournament()):
        tournament = evolve(tournament, event)
    while matches := tournament.due_matches():
        for due in matches:
            for command in (
                StartTournamentMatch(due.pairing.id, due.number, due.attempt, due.id),
                RecordTournamentScore(due.pairing.id, due.number, due.attempt, results[due.pairing.id, due.number]),
            ):
                for event in decide(tournament, command):
                    tournament = evolve(tournament, event)
    assert isinstance(entries[-1].event, TournamentEnded)
    return tournament
