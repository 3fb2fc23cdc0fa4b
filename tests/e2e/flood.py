"""Simulation of an attack: thousands of misbehaving connections to one port at once.

    python -m tests.e2e.flood ADDRESS --connections N --seconds S [--seed N]

Connections are opened one shortly after the other. Each misbehaves until the time is over or the server closes it.
At the end, the outcomes are counted in one line of JSON on standard output.
"""

import argparse
import asyncio
import json
import os
import random
import ssl
from asyncio import StreamReader, StreamWriter
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress

from tests.e2e import http2

OPENING_SHARE = 0.3
"""Share of the time in which the connections are opened, at an even rate."""
SLOW_INTERVAL_S = 3
"""Interval at which a slow connection sends one byte."""
BURST_INTERVAL_S = 1
"""Interval between bursts of calls."""
MAX_GARBAGE_BYTES = 4_096
BURST_SIZE = 20
MAX_BURSTS = 20
"""Limit on bursts per connection: the test is about damage to others, not about keeping a core busy."""


def _tls_hello() -> bytes:
    """Return the first bytes that a TLS client sends."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="referee.example")
    with suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


TLS_HELLO = _tls_hello()

Behaviour = Callable[["AttackConnection"], Awaitable[None]]


class AttackConnection:
    """One misbehaving connection."""

    def __init__(self, reader: StreamReader, writer: StreamWriter, rng: random.Random) -> None:
        self._reader = reader
        self._writer = writer
        self.rng = rng

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def wait_until_closed(self) -> None:
        """Read and discard data until the server closes the connection."""
        while await self._reader.read(65_536):
            pass

    async def send_repeatedly(self, payload: Callable[[], bytes], every_s: float, times: int) -> None:
        """Send `payload()` every `every_s` seconds, up to `times` times; then wait until the connection is closed."""
        reading = asyncio.ensure_future(self.wait_until_closed())
        try:
            for _ in range(times):
                if reading.done():
                    break
                await self.send(payload())
                await asyncio.sleep(every_s)
            await reading
        finally:
            reading.cancel()


async def silent(connection: AttackConnection) -> None:
    await connection.wait_until_closed()


async def slow(connection: AttackConnection) -> None:
    """Send the first bytes of a normal gRPC or HTTP client, one at a time."""
    data = iter(connection.rng.choice((http2.PREFACE + http2.SETTINGS, b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 9_999)))
    await connection.send_repeatedly(lambda: bytes([next(data, 0)]), SLOW_INTERVAL_S, 10_000)


async def garbage(connection: AttackConnection) -> None:
    await connection.send(connection.rng.randbytes(connection.rng.randint(1, MAX_GARBAGE_BYTES)))
    await connection.wait_until_closed()


async def wrong_protocol(connection: AttackConnection) -> None:
    """Use the wrong protocol for the port: TLS, HTTP/2 without TLS, or HTTP/1.1."""
    await connection.send(
        connection.rng.choice((TLS_HELLO, http2.PREFACE + http2.SETTINGS, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
    )
    await connection.wait_until_closed()


async def reset_streams(connection: AttackConnection) -> None:
    """Open streams and reset each one at once."""
    ids = http2.stream_ids()

    def burst() -> bytes:
        return b"".join(http2.call(stream) + http2.reset(stream) for stream in [next(ids) for _ in range(BURST_SIZE)])

    await connection.send(http2.PREFACE + http2.SETTINGS)
    await connection.send_repeatedly(burst, BURST_INTERVAL_S, MAX_BURSTS)


async def open_streams(connection: AttackConnection) -> None:
    """Open streams and leave them open."""
    ids = http2.stream_ids()
    await connection.send(http2.PREFACE + http2.SETTINGS)
    await connection.send_repeatedly(
        lambda: b"".join(http2.call(next(ids)) for _ in range(BURST_SIZE)), BURST_INTERVAL_S, MAX_BURSTS
    )


async def calls_without_token(connection: AttackConnection) -> None:
    ids = http2.stream_ids()
    await connection.send(http2.PREFACE + http2.SETTINGS)
    await connection.send_repeatedly(
        lambda: b"".join(http2.complete_call(next(ids)) for _ in range(BURST_SIZE)), BURST_INTERVAL_S, MAX_BURSTS
    )


async def pings(connection: AttackConnection) -> None:
    await connection.send(http2.PREFACE + http2.SETTINGS)
    await connection.send_repeatedly(lambda: (http2.PING + http2.SETTINGS) * BURST_SIZE, BURST_INTERVAL_S, MAX_BURSTS)


async def broken_frames(connection: AttackConnection) -> None:
    await connection.send(http2.PREFACE + http2.SETTINGS)
    await connection.send_repeatedly(lambda: http2.random_frame(connection.rng), BURST_INTERVAL_S, MAX_BURSTS)


BEHAVIOURS: tuple[tuple[Behaviour, int], ...] = (
    (silent, 450),
    (slow, 250),
    (garbage, 145),
    (wrong_protocol, 145),
    (reset_streams, 2),
    (open_streams, 2),
    (calls_without_token, 2),
    (pings, 2),
    (broken_frames, 2),
)
"""Behaviours, each with its share of the connections in per mille."""


async def flood(host: str, port: int, connections: int, seconds: float, seed: int) -> Counter[str]:
    rng = random.Random(seed)
    behaviours = rng.choices([kind for kind, _ in BEHAVIOURS], [weight for _, weight in BEHAVIOURS], k=connections)
    outcomes: Counter[str] = Counter()
    deadline = asyncio.get_running_loop().time() + seconds

    async def attack(behaviour: Behaviour, number: int) -> None:
        await asyncio.sleep(seconds * OPENING_SHARE * number / connections)
        connection_rng = random.Random(f"{seed} {number}")
        outcome = await _run_connection(host, port, behaviour, connection_rng, deadline)
        outcomes[f"{behaviour.__name__} {outcome}"] += 1

    await asyncio.gather(*(attack(behaviour, number) for number, behaviour in enumerate(behaviours)))
    return outcomes


async def _run_connection(host: str, port: int, behaviour: Behaviour, rng: random.Random, deadline: float) -> str:
    """Run one connection until it ends or the time is over, and return its outcome."""
    try:
        async with asyncio.timeout_at(deadline):
            reader, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return "not connected"
    try:
        async with asyncio.timeout_at(deadline):
            await behaviour(AttackConnection(reader, writer, rng))
    except TimeoutError:
        return "open"
    except OSError:
        pass
    finally:
        writer.transport.abort()
    return "closed"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("--connections", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.nice(19)  # Real attackers use their own machines, so the flood must not compete with the server for the CPU.
    host, _, port = arguments.address.rpartition(":")
    outcomes = asyncio.run(flood(host, int(port), arguments.connections, arguments.seconds, arguments.seed))
    print(json.dumps(dict(sorted(outcomes.items()))))  # noqa: T201  # The test reads the counts from standard output.
