"""What a server answers while it restores matches: everything but the calls that need all of them, which wait."""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from referee.live.ports import StoreUnavailable
from referee.local.embedded_server import settings
from referee.storage.sqlite.event_log import SqliteEventLog
from referee.transport.guards.open_calls import OpenCall, OpenCalls
from tests.e2e.bot_connection import BotConnection
from tests.e2e.organiser import Organiser
from tests.e2e.server import TIMEOUT_S, create_organiser_token
from tests.e2e.server_thread import ServerThread


class GatedRecovery:
    """Holds all reading of logs for the recovery until it is released; it can then fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._released = threading.Event()
        self._read = SqliteEventLog.read_matches
        self.fails = False
        gate = self

        async def read_matches(log: SqliteEventLog, match_ids: Sequence[str], max_entries: int) -> Any:
            await asyncio.to_thread(gate._released.wait, TIMEOUT_S)
            if gate.fails:
                raise StoreUnavailable("the disk is gone")
            return await gate._read(log, match_ids, max_entries)

        monkeypatch.setattr(SqliteEventLog, "read_matches", read_matches)

    def release(self) -> None:
        self._released.set()


def on_call(monkeypatch: pytest.MonkeyPatch, method: str) -> threading.Event:
    """Return an event that is set when the server has received a call of this method."""
    received = threading.Event()
    begin = OpenCalls.begin

    def begin_call(calls: OpenCalls, context: Any, name: str) -> OpenCall:
        if name == method:
            received.set()
        return begin(calls, context, name)

    monkeypatch.setattr(OpenCalls, "begin", begin_call)
    return received


@contextmanager
def serving(data_dir: Path) -> Iterator[tuple[ServerThread, grpc.Channel]]:
    with (
        ServerThread.serving(settings(start_within_s=60, patient=True, data=data_dir)) as server,
        grpc.insecure_channel(server.info.grpc) as channel,
    ):
        yield server, channel


@pytest.fixture
def organiser(tmp_path: Path) -> Organiser:
    """The organiser of a match in play on a server that is down."""
    with serving(tmp_path) as (server, channel):
        token = create_organiser_token(channel, server.info.admin_token)
        organiser = Organiser(server.info, channel, "organiser", 2, token)
        organiser.start_match()
        organiser.next_turn()
        organiser.disconnect_bots()
    return organiser


def test_while_matches_are_restored_bots_connect_and_calls_that_need_all_matches_wait(
    tmp_path: Path, organiser: Organiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    recovery = GatedRecovery(monkeypatch)
    with serving(tmp_path) as (server, channel), ThreadPoolExecutor() as threads:
        organiser.move_to(server.info, channel)
        bots = [BotConnection(channel, secret) for secret in organiser.secrets]
        created = threads.submit(organiser.create_match)
        listed = threads.submit(organiser.call_as_bot, 0, "MatchService/ListTurns")
        assert organiser.call("GameService/ListGames").games
        assert organiser.call("BotService/GetBot", name=organiser.bots[0]).bot.presence.matches_in_play == 1
        assert not created.done()
        assert not listed.done()
        recovery.release()
        turn = bots[0].receive("turn")
        assert (turn.repeated, turn.ply) == (True, 0)
        assert created.result(TIMEOUT_S) != turn.match_id
        assert [waiting.match_id for waiting in listed.result(TIMEOUT_S).turns] == [turn.match_id]
        for bot in bots:
            bot.abort()


def test_a_server_that_stops_while_it_restores_matches_answers_the_calls_that_wait(
    tmp_path: Path, organiser: Organiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    recovery, received = GatedRecovery(monkeypatch), on_call(monkeypatch, "CreateMatch")
    server = ServerThread(settings(start_within_s=60, patient=True, data=tmp_path))
    with ThreadPoolExecutor() as threads, grpc.insecure_channel(server.info.grpc) as channel:
        organiser.move_to(server.info, channel)
        bot = BotConnection(channel, organiser.secrets[0])
        created = threads.submit(organiser.create_match)
        assert received.wait(TIMEOUT_S)
        closed = threads.submit(server.close)
        bot.receive("draining")
        with pytest.raises(grpc.RpcError) as refused:
            created.result(TIMEOUT_S)
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        closed.result(TIMEOUT_S)
        bot.abort()
    recovery.release()
    with serving(tmp_path) as (server, channel):
        organiser.move_to(server.info, channel)
        assert len(organiser.call("MatchService/ListMatches").matches) == 1


@pytest.mark.usefixtures("organiser")
def test_a_server_that_cannot_restore_matches_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recovery = GatedRecovery(monkeypatch)
    recovery.fails = True
    with serving(tmp_path) as (server, _channel):
        recovery.release()
        assert server.wait_for_failure() == "the matches and contests cannot be restored: the disk is gone"
