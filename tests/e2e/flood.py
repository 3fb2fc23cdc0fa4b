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
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice

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
HTTP2_START = http2.PREFACE + http2.SETTINGS


def _tls_hello() -> bytes:
    """Return the first bytes that a TLS client sends."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="referee.example")
    with suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


NORMAL_STARTS = (HTTP2_START, b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 9_999)
"""First bytes of normal clients of gRPC and HTTP."""
WRONG_PROTOCOLS = (_tls_hello(), HTTP2_START, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")


def burst_of(frames: Callable[[int], bytes]) -> Callable[[Iterator[int], random.Random], bytes]:
    """Return the function that makes these frames for the next streams."""
    return lambda ids, _: b"".join(frames(stream_id) for stream_id in islice(ids, BURST_SIZE))


BURSTS: dict[str, Callable[[Iterator[int], random.Random], bytes]] = {
    "streams opened and reset": burst_of(lambda stream_id: http2.call(stream_id) + http2.reset(stream_id)),
    "streams left open": burst_of(http2.call),
    "calls without a token": burst_of(http2.complete_call),
    "pings": lambda *_: (http2.PING + http2.SETTINGS) * BURST_SIZE,
    "broken frames": lambda _, rng: http2.random_frame(rng),
}
SHARES = {"silent": 450, "slow": 250, "garbage": 145, "wrong protocol": 145} | dict.fromkeys(BURSTS, 2)
"""Behaviours of connections, each with its share in per mille."""


def payloads_of(behaviour: str, rng: random.Random) -> Iterable[bytes]:
    """Yield what a connection sends, with a pause after each."""
    if behaviour == "slow":
        yield from (bytes([byte]) for byte in rng.choice(NORMAL_STARTS))
    elif behaviour == "garbage":
        yield rng.randbytes(rng.randint(1, MAX_GARBAGE_BYTES))
    elif behaviour == "wrong protocol":
        yield rng.choice(WRONG_PROTOCOLS)
    elif behaviour in BURSTS:
        ids = http2.stream_ids()
        yield HTTP2_START
        yield from (BURSTS[behaviour](ids, rng) for _ in range(MAX_BURSTS))


async def send_slowly(writer: StreamWriter, behaviour: str, rng: random.Random) -> None:
    with suppress(OSError):
        for payload in payloads_of(behaviour, rng):
            writer.write(payload)
            await writer.drain()
            await asyncio.sleep(SLOW_INTERVAL_S if behaviour == "slow" else BURST_INTERVAL_S)


async def wait_until_closed(reader: StreamReader) -> None:
    """Read and discard data until the server closes the connection."""
    while await reader.read(65_536):
        pass


async def flood(host: str, port: int, connections: int, seconds: float, seed: int) -> Counter[str]:
    rng = random.Random(seed)
    behaviours = rng.choices([*SHARES], [*SHARES.values()], k=connections)
    outcomes: Counter[str] = Counter()
    deadline_s = asyncio.get_running_loop().time() + seconds

    async def attack(behaviour: str, number: int) -> None:
        await asyncio.sleep(seconds * OPENING_SHARE * number / connections)
        connection_rng = random.Random(f"{seed} {number}")
        outcome = await _run_connection(host, port, behaviour, connection_rng, deadline_s)
        outcomes[f"{behaviour}: {outcome}"] += 1

    await asyncio.gather(*(attack(behaviour, number) for number, behaviour in enumerate(behaviours)))
    return outcomes


async def _run_connection(host: str, port: int, behaviour: str, rng: random.Random, deadline_s: float) -> str:
    """Run one connection until it ends or the time is over, and return its outcome."""
    try:
        async with asyncio.timeout_at(deadline_s):
            reader, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return "not connected"
    sending = asyncio.create_task(send_slowly(writer, behaviour, rng))
    try:
        async with asyncio.timeout_at(deadline_s):
            await wait_until_closed(reader)
    except TimeoutError:
        return "open"
    except OSError:
        pass
    finally:
        sending.cancel()
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
