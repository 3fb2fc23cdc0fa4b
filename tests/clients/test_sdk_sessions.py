"""Consecutive sessions of a bot of the Python SDK, with a server that only welcomes it."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from referee_api.v1 import play_pb2
from referee_api.v1.play_service_pb2 import PlayRequest, PlayResponse
from referee_api.v1.play_service_pb2_grpc import PlayServiceServicer, add_PlayServiceServicer_to_server
from referee_client import local
from referee_client.address import Address
from referee_client.backoff import Backoff
from referee_client.bot import Players
from referee_client.runners import SeatRunner
from referee_client.seats import Seats
from referee_client.session import Session, SessionOptions


class WelcomingReferee(PlayServiceServicer):
    """Ends each stream after its Welcome, or before it if the version of the referee is None."""

    def __init__(self, versions: list[str | None]) -> None:
        self._versions = iter(versions)
        self.hellos: list[play_pb2.Hello] = []

    def Play(  # noqa: N802  # The contract names it.
        self, request_iterator: Iterator[PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[PlayResponse]:
        self.hellos.append(next(request_iterator).items[0].hello)
        if version := next(self._versions):
            welcome = play_pb2.Welcome(version="1", referee_version=version)
            yield PlayResponse(items=[play_pb2.RefereeItem(welcome=welcome)])


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record each time that a referee is asked for its games; they are those that are installed."""
    asked: list[str] = []

    def has_same_games(*_: object) -> bool:
        asked.append("games")
        return True

    monkeypatch.setattr(local, "has_same_games", has_same_games)
    return asked


def questions_after_each_session(questions: list[str], versions: list[str | None]) -> list[int]:
    referee = WelcomingReferee(versions)
    server = grpc.server(ThreadPoolExecutor(2))
    add_PlayServiceServicer_to_server(referee, server)
    address = Address(f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}", "secret")
    server.start()

    async def scenario() -> list[int]:
        counts, options = [], SessionOptions()
        for _ in versions:
            session = Session(options, Seats(SeatRunner(Players(lambda turn: turn.legal_moves[0]))), Backoff())
            await session.run(address)
            options = session.options
            counts.append(len(questions))
        return counts

    try:
        return asyncio.run(scenario())
    finally:
        server.stop(None)


def test_the_referee_is_asked_for_its_games_until_the_first_welcome(questions: list[str]) -> None:
    assert questions_after_each_session(questions, [None, None, "1", "1", None, "1"]) == [1, 2, 3, 3, 3, 3]


def test_a_referee_of_another_version_is_asked_for_its_games_again(questions: list[str]) -> None:
    assert questions_after_each_session(questions, ["1", "2", "2", "2"]) == [1, 1, 2, 2]
