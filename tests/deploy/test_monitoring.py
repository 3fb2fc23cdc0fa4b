"""A real Prometheus scrapes a real server with a ladder: every documented metric exists, and alerts fire on faults."""

import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
from referee_api.v1 import clock_pb2, game_pb2

from tests.deploy.prometheus import Prometheus, run_prometheus
from tests.deploy.queries import known_series
from tests.deploy.test_dashboards import queries
from tests.e2e.bot_connection import connect_bot
from tests.e2e.contests import match_terms
from tests.e2e.honest_bots import run_honest_bots
from tests.e2e.organiser import Organiser, call_method, entries_of, new_organiser
from tests.e2e.server import ServerProcess, create_organiser_token, register_bots, run_server
from tests.e2e.stopwatch import Stopwatch
from tests.e2e.test_tls import Certificate

pytestmark = pytest.mark.slow

LADDER = "weekly"
BOTS = [f"honest-{number}" for number in range(6)]
MATCHES = 3
"""Concurrent matches of the ladder."""
FREEZE_S = 15
"""Seconds of a freeze; long enough to matter although few moves are affected by it."""
MOVES_UNTIL_THE_LOG_IS_READ = 35
"""Moves of each of two seats. The latest entries are in memory, so a shorter match would not be read from the log."""
REMOVE = """
    DELETE FROM entries
    WHERE entry = (
        SELECT min(entry) FROM entries JOIN matches USING (match) WHERE match_id = ? AND line LIKE '%seat_disconnected%'
    )
    RETURNING number
"""
MAY_BE_EMPTY = ("ALERTS",)
"""Series that a query may name although they are empty."""
ONLY_ELSEWHERE = (
    "referee_bus_",
    "referee_cluster_",
    "referee_coordinator",
    "referee_edge_",
    "referee_forwarded_calls",
    "referee_lease_renewals",
    "referee_node_stream",
)
"""Prefixes of metrics that only the nodes of a cluster have, or servers with a front door."""


@dataclass(frozen=True)
class MonitoredServer:
    folder: Path
    server: ServerProcess
    channel: grpc.Channel
    prometheus: Prometheus

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def wait_for_moves(self, moves: int) -> None:
        """Wait until `moves` more moves have been counted."""
        seen = self.prometheus.value("sum(referee_moves_total)") or 0
        self.prometheus.wait_until(
            lambda: (self.prometheus.value("sum(referee_moves_total)") or 0) >= seen + moves, f"{moves} moves more"
        )


@pytest.fixture(scope="module")
def monitored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MonitoredServer]:
    """A server with a ladder of honest bots that think for one second, and no faults."""
    folder = tmp_path_factory.mktemp("watched")
    certificate = Certificate("watched")
    credentials = grpc.ssl_channel_credentials(certificate.cert)
    with ExitStack() as stack:
        server = stack.enter_context(run_server(folder, *certificate.write_files(folder)))
        channel = stack.enter_context(grpc.secure_channel(server.address, credentials))
        token = create_organiser_token(channel, server.admin_token, "honest")
        secrets = register_bots(channel, token, *BOTS)
        flags = ("--think-ms", "1000", "--ca", str(folder / "cert.pem"))
        stack.enter_context(run_honest_bots(server, folder, secrets, *flags))
        create_running_ladder(channel, token)
        prometheus = stack.enter_context(run_prometheus(folder, server.http))
        prometheus.wait_until(lambda: prometheus.value('up{job="referee"}') == 1, "the referee is seen")
        yield MonitoredServer(folder, server, channel, prometheus)


def create_running_ladder(channel: grpc.Channel, token: str) -> None:
    """Create a ladder that continues by itself."""
    games = [match_terms(game_pb2.Rules(game="troke"))]
    terms = {"match_terms": games, "max_concurrent_matches": MATCHES, "max_matches_per_hour": 0}
    call_method(channel, "LadderService/CreateLadder", token, request_id="a ladder", name=LADDER, terms=terms)
    for bot in BOTS:
        call_method(channel, "LadderService/JoinLadder", token, ladder=LADDER, entrant={"bots": [{"bot": bot}]})


@pytest.fixture
def organiser(monitored: MonitoredServer, request: pytest.FixtureRequest) -> Iterator[Organiser]:
    """A separate organiser for each test."""
    name = f"organiser-{zlib.crc32(request.node.name.encode())}"
    with new_organiser(monitored.server, monitored.channel, name) as organiser:
        yield organiser


def cause_rare_events(organiser: Organiser) -> None:
    """Cause what honest play does not: an answer sent twice, a rejected answer and a flag fall."""
    match_id = organiser.start_match()
    turn = organiser.next_turn()
    organiser.submit_move(turn, turn.legal_moves[0])
    assert organiser.submit_move(turn, turn.legal_moves[0]).repeated
    with pytest.raises(grpc.RpcError):
        organiser.submit_move(organiser.next_turn(1), "nonsense")
    organiser.call_as_bot(1, "MatchService/Resign", match_id=match_id, request_id="resigns")
    organiser.start_match(rule=clock_pb2.ClockRule(per_move=clock_pb2.PerMove(move_ms=1)))
    organiser.connection(0).receive("match_ended")


def test_every_documented_metric_exists_and_is_shown_by_the_dashboards(
    monitored: MonitoredServer, organiser: Organiser
) -> None:
    prometheus = monitored.prometheus
    cause_rare_events(organiser)
    wanted = {name for name in known_series() if name.startswith("referee") and not name.startswith(ONLY_ELSEWHERE)}

    def seen() -> set[str]:
        return {name for name in prometheus.get("label/__name__/values") if name.startswith("referee")}

    prometheus.wait_until(lambda: seen() >= wanted, f"{sorted(wanted - seen())} are seen")
    assert seen() == wanted
    monitored.wait_for_moves(5)
    shown = [query for query in queries() if not query.startswith(MAY_BE_EMPTY) and "referee_edge_" not in query]

    def missing() -> list[str]:  # All are after a scrape that a busy machine did not answer in time.
        return [query for query in shown if not prometheus.values(query)]

    prometheus.wait_until(lambda: not missing(), f"{missing()} have values")


ALERTS_OF_A_BUSY_MACHINE = {"RefereeStalls", "RefereeOverloaded", "RefereeLoopHeld", "RefereeStoreSlow"}
"""Alerts that other tests on this machine can cause by the load that they are."""


def test_rules_are_loaded_and_no_alert_fires_without_a_fault(monitored: MonitoredServer) -> None:
    monitored.wait_for_moves(5)
    rules = [rule for group in monitored.prometheus.get("rules")["groups"] for rule in group["rules"]]
    assert len(rules) > 20
    assert [rule["name"] for rule in rules if rule["health"] == "err"] == []
    assert monitored.prometheus.firing() <= ALERTS_OF_A_BUSY_MACHINE


def test_a_frozen_server_fires_an_alert(monitored: MonitoredServer) -> None:
    monitored.wait_for_moves(5)
    with Stopwatch().freeze(monitored.server):
        time.sleep(FREEZE_S)
    monitored.prometheus.wait_until(lambda: "RefereeStalls" in monitored.prometheus.firing(), "the alert fires")


def test_a_removed_log_entry_fires_an_alert(monitored: MonitoredServer, organiser: Organiser) -> None:
    match_id = organiser.start_match(rules=game_pb2.Rules(game="troke"))
    organiser.connection(0).close()
    watched = organiser.call("MatchService/WatchMatch", match_id=match_id, after_number=0)
    next(entry for response in watched for entry in entries_of(response) if entry.HasField("seat_disconnected"))
    watched.cancel()
    with connect_bot(monitored.channel, organiser.secrets[0]) as reconnected:
        for _ in range(MOVES_UNTIL_THE_LOG_IS_READ):
            for seat in (reconnected, organiser.connection(1)):
                turn = seat.receive("turn")
                organiser.submit_move(turn, turn.legal_moves[0])
    removed = remove_entry(monitored.data, match_id)
    watched = organiser.call("MatchService/WatchMatch", match_id=match_id, after_number=0)
    numbers = (entry.number for response in watched for entry in entries_of(response))
    assert next(number for number in numbers if number >= removed) == removed + 1
    watched.cancel()
    monitored.prometheus.wait_until(lambda: "RefereeResumeGap" in monitored.prometheus.firing(), "the alert fires")


def remove_entry(data: Path, match_id: str) -> int:
    """Delete an entry directly from the database, and return its number."""
    with closing(sqlite3.connect(data / "referee.db", timeout=60)) as database, database:
        removed = database.execute(REMOVE, (match_id,)).fetchall()
    [(number,)] = removed
    return int(number)
