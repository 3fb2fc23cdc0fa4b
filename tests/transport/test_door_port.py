"""The port for doors on other machines: who gets in, and what strangers can do."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest

from referee.live.door_lag import BEAT_US, RETURN_US, UNKNOWN_US, DoorLag
from referee.live.loop_lag import HOLDER, LoopLag
from referee.match.clock import SECOND
from referee.transport import door_link, door_port
from referee.transport.door_link import BEAT, DOOR_HANGS_US, NS_PER_US, STAMP, DoorLinks, LinkedMethod
from referee.transport.door_port import MAX_STRANGERS, PREFACE, DoorPort
from referee.transport.tls import DoorContexts, TlsFiles
from tests.e2e.test_tls import Certificate
from tests.live.fake_time import FakeTime
from tests.transport.test_door_link import Door

SERVER, DOOR, ANOTHER = Certificate("server"), Certificate("north"), Certificate("north")


@dataclass
class OpenPort:
    """A server that listens for doors; its streams tell when messages have arrived."""

    folder: Path
    port: DoorPort
    address: tuple[str, int]
    links: DoorLinks
    lag: DoorLag
    time: FakeTime
    writers: list[asyncio.StreamWriter]
    """Those of all connections to the port."""

    async def open_connection(self, context: ssl.SSLContext | None = None) -> Door:
        reader, writer = await asyncio.open_connection(*self.address, ssl=context)
        self.writers.append(writer)
        return Door(reader, writer)

    async def connect(self, own: Certificate | None = DOOR) -> Door:
        context = ssl.create_default_context(cadata=SERVER.cert.decode())
        if own:
            own.write_files(self.folder)
            context.load_cert_chain(self.folder / "cert.pem", self.folder / "key.pem")
        return await self.open_connection(context)

    async def link(self) -> Door:
        """Return a door that has beaten."""
        door = await self.connect()
        beat(door, self.time.us)
        assert await door.receive() == (0, BEAT, b"")
        return door


def beat(door: Door, sent_us: int) -> None:
    door.send(0, BEAT, STAMP.pack(sent_us * NS_PER_US) + b"{}")


async def tell_arrivals(_: Any, context: Any) -> None:
    HOLDER.set("ada")
    while await context.read() is not grpc.aio.EOF:
        await context.write(str(context.arrived_us))


@asynccontextmanager
async def opened(folder: Path, authority: Certificate = DOOR) -> AsyncIterator[OpenPort]:
    (folder / "server").mkdir()
    SERVER.write_files(folder / "server")
    cert, key, ca = (folder / "server" / f"{name}.pem" for name in ("cert", "key", "ca"))
    ca.write_bytes(authority.cert)
    time = FakeTime()
    handler = grpc.stream_stream_rpc_method_handler(tell_arrivals, bytes.decode, str.encode)
    lag = LoopLag(time).door
    links = DoorLinks(LinkedMethod("/service/method", handler, ()), lag)
    listening = socket.create_server(("127.0.0.1", 0))
    port = DoorPort(links, DoorContexts(TlsFiles(cert, key, ca), 1, time.monotonic_us), listening)
    await port.open()
    writers = list[asyncio.StreamWriter]()
    try:
        yield OpenPort(folder, port, listening.getsockname(), links, lag, time, writers)
    finally:
        for writer in writers:
            writer.transport.abort()
        await links.close(0)
        await port.close(0)


async def is_refused(door: Door) -> bool:
    beat(door, 0)
    try:
        return await door.reader.read(1) == b""
    except OSError:
        return True


async def test_streams_of_a_door_on_another_machine_have_times_of_this_one(tmp_path: Path) -> None:
    async with opened(tmp_path) as server:
        door = await server.connect()
        ahead_us = 70 * SECOND
        beat(door, server.time.us + ahead_us - 2_000)
        door.open(1)
        door.message(1, "", (server.time.us + ahead_us - 5_000) * NS_PER_US)
        assert await door.messages(1, 1) == [str(server.time.us - 3_000)]
        assert server.links.counts() == {"north": {"up": 1, "links_total": 1}}


async def test_a_message_before_the_first_beat_does_not_arrive_before_now(tmp_path: Path) -> None:
    async with opened(tmp_path) as server:
        door = await server.connect()
        door.open(1)
        door.message(1, "", 0)
        _, _, arrived = await door.receive()
        assert int(arrived) >= UNKNOWN_US


async def test_a_door_that_hangs_is_late_for_its_bots_and_loses_its_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door_link, "HANG_CHECK_S", 0)
    async with opened(tmp_path) as server:
        door = await server.link()
        door.open(1)
        door.message(1, "")
        await door.messages(1, 1)
        server.time.us += BEAT_US + DOOR_HANGS_US
        assert server.lag.read("ada", server.time.us) == (DOOR_HANGS_US, 0)
        assert server.lag.read("bob", server.time.us) == (DOOR_HANGS_US, DOOR_HANGS_US)
        assert server.links.counts()["north"]["up"] == 1
        server.time.us += 1
        with pytest.raises((asyncio.IncompleteReadError, OSError)):
            await door.messages(1, 1)
        assert server.links.counts() == {"north": {"up": 0, "links_total": 1}}
        server.time.us += 60 * SECOND
        assert server.lag.so_far_us() == DOOR_HANGS_US + 1 + RETURN_US


@pytest.mark.parametrize("own", [None, ANOTHER])
async def test_strangers_are_refused(tmp_path: Path, own: Certificate | None) -> None:
    async with opened(tmp_path) as server:
        door = await server.link()
        try:
            refused = await is_refused(await server.connect(own))
        except OSError:
            refused = True
        assert refused
        assert server.links.counts() == {"north": {"up": 1, "links_total": 1}}
        door.open(1)
        door.message(1, "", server.time.us * NS_PER_US)
        assert (await door.messages(1, 1)) == [str(server.time.us)]


@pytest.mark.parametrize("known", [False, True])
async def test_a_connection_on_which_nothing_comes_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    async with opened(tmp_path) as server:
        if known:
            monkeypatch.setattr(door_port, "PATIENCE_S", 1)
            reader = (await server.connect()).reader
        else:
            monkeypatch.setattr(door_port, "PATIENCE_S", 0)
            reader = (await server.open_connection()).reader
        with pytest.raises((asyncio.IncompleteReadError, OSError)):
            await reader.readexactly(1)


async def test_of_many_silent_strangers_the_oldest_give_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door_port, "PATIENCE_S", 3_600)
    async with opened(tmp_path) as server:
        door = await server.link()
        strangers = [await server.open_connection() for _ in range(MAX_STRANGERS + 1)]
        assert await strangers[0].reader.read() == b""
        await server.link()
        assert server.links.counts()["north"] == {"up": 2, "links_total": 2}
        assert not any(stranger.reader.at_eof() for stranger in strangers[3:])
        beat(door, 0)
        assert await door.receive() == (0, BEAT, b"")


async def test_changed_files_decide_about_the_next_door(tmp_path: Path) -> None:
    async with opened(tmp_path, ANOTHER) as server:
        (tmp_path / "server" / "ca.pem").write_bytes(DOOR.cert)
        server.time.us += 1
        await server.link()
        assert await is_refused(await server.connect(ANOTHER))


async def test_calls_are_passed_to_the_socket_of_the_server_until_either_side_ends(tmp_path: Path) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 20):
            writer.write(data.upper())
            if data.endswith(b"end"):
                break
        writer.close()
        ended.set()

    async with opened(tmp_path) as server:
        ended = asyncio.Event()
        listening = await asyncio.start_unix_server(answer, server.port.server_path)
        many = b"x" * 5_000_000
        door = await server.connect()
        door.writer.write(PREFACE + many + b"end")
        assert await door.reader.read(-1) == PREFACE + many.upper() + b"END"
        ended.clear()
        door = await server.connect()
        door.writer.write(PREFACE)
        assert await door.reader.readexactly(len(PREFACE)) == PREFACE
        door.writer.close()
        await ended.wait()
        listening.close()
        assert server.links.counts() == {}
