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

ARRIVING_SHARE = 0.3
"""Share of the time in which the connections are opened, at an even rate."""
SLOW_S = 3
"""Interval at which a slow connection sends one byte."""
STORM_S = 1
"""Interval between bursts of calls."""
GARBAGE_BYTES = 4_096
BURST = 20
BURSTS_AT_MOST = 20
"""Limit on bursts per connection: the test is about damage to others, not about keeping a core busy."""


def _tls_hello() -> bytes:
    """Return the first bytes that a TLS client sends."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="referee.example")
    with suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


TLS_HELLO = _tls_hello()

Mischief = Callable[["Stranger"], Awaitable[None]]


class Stranger:
    """One misbehaving connection."""

    def __init__(self, reader: StreamReader, writer: StreamWriter, chance: random.Random) -> None:
        self._reader = reader
        self._writer = writer
        self.chance = chance

    async def says(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def is_thrown_out(self) -> None:
        """Read and discard data until the server closes the connection."""
        while await self._reader.read(65_536):
            pass

    async def goes_on(self, words: Callable[[], bytes], every_s: float, times: int) -> None:
        """Send `words()` every `every_s` seconds, up to `times` times; then wait until the connection is closed."""
        listening = asyncio.ensure_future(self.is_thrown_out())
        try:
            for _ in range(times):
                if listening.done():
                    break
                await self.says(words())
                await asyncio.sleep(every_s)
            await listening
        finally:
            listening.cancel()


async def silent(stranger: Stranger) -> None:
    await stranger.is_thrown_out()


async def slow(stranger: Stranger) -> None:
    """Send the first bytes of a normal gRPC or HTTP client, one at a time."""
    said = iter(
        stranger.chance.choice((http2.PREFACE + http2.SETTINGS, b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 9_999))
    )
    await stranger.goes_on(lambda: bytes([next(said, 0)]), SLOW_S, 10_000)


async def garbage(stranger: Stranger) -> None:
    await stranger.says(stranger.chance.randbytes(stranger.chance.randint(1, GARBAGE_BYTES)))
    await stranger.is_thrown_out()


async def wrong_door(stranger: Stranger) -> None:
    """Use the wrong protocol for the port: TLS, HTTP/2 without TLS, or HTTP/1.1."""
    await stranger.says(
        stranger.chance.choice((TLS_HELLO, http2.PREFACE + http2.SETTINGS, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
    )
    await stranger.is_thrown_out()


async def calls_and_hangs_up(stranger: Stranger) -> None:
    """Open streams and reset each one at once."""
    ids = http2.stream_ids()

    def burst() -> bytes:
        return b"".join(http2.call(one) + http2.reset(one) for one in [next(ids) for _ in range(BURST)])

    await stranger.says(http2.PREFACE + http2.SETTINGS)
    await stranger.goes_on(burst, STORM_S, BURSTS_AT_MOST)


async def calls_and_says_nothing(stranger: Stranger) -> None:
    """Open streams and leave them open."""
    ids = http2.stream_ids()
    await stranger.says(http2.PREFACE + http2.SETTINGS)
    await stranger.goes_on(lambda: b"".join(http2.call(next(ids)) for _ in range(BURST)), STORM_S, BURSTS_AT_MOST)


async def calls_without_a_token(stranger: Stranger) -> None:
    ids = http2.stream_ids()
    await stranger.says(http2.PREFACE + http2.SETTINGS)
    await stranger.goes_on(lambda: b"".join(http2.whole_call(next(ids)) for _ in range(BURST)), STORM_S, BURSTS_AT_MOST)


async def pings(stranger: Stranger) -> None:
    await stranger.says(http2.PREFACE + http2.SETTINGS)
    await stranger.goes_on(lambda: (http2.PING + http2.SETTINGS) * BURST, STORM_S, BURSTS_AT_MOST)


async def broken_frames(stranger: Stranger) -> None:
    await stranger.says(http2.PREFACE + http2.SETTINGS)
    await stranger.goes_on(lambda: http2.any_frame(stranger.chance), STORM_S, BURSTS_AT_MOST)


MISCHIEF: tuple[tuple[Mischief, int], ...] = (
    (silent, 450),
    (slow, 250),
    (garbage, 145),
    (wrong_door, 145),
    (calls_and_hangs_up, 2),
    (calls_and_says_nothing, 2),
    (calls_without_a_token, 2),
    (pings, 2),
    (broken_frames, 2),
)
"""Behaviours, each with its share of the connections in per mille."""


async def flood(host: str, port: int, connections: int, seconds: float, seed: int) -> Counter[str]:
    chance = random.Random(seed)
    mischief = chance.choices([one for one, _ in MISCHIEF], [weight for _, weight in MISCHIEF], k=connections)
    became: Counter[str] = Counter()
    until = asyncio.get_running_loop().time() + seconds

    async def comes(does: Mischief, number: int) -> None:
        await asyncio.sleep(seconds * ARRIVING_SHARE * number / connections)
        became[f"{does.__name__} {await _stay(host, port, does, random.Random(f'{seed} {number}'), until)}"] += 1

    await asyncio.gather(*(comes(does, number) for number, does in enumerate(mischief)))
    return became


async def _stay(host: str, port: int, does: Mischief, chance: random.Random, until: float) -> str:
    """Run one connection until it ends or the time is over, and return its outcome."""
    try:
        async with asyncio.timeout_at(until):
            reader, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return "not let in"
    try:
        async with asyncio.timeout_at(until):
            await does(Stranger(reader, writer, chance))
    except TimeoutError:
        return "stayed"
    except OSError:
        pass
    finally:
        writer.transport.abort()
    return "thrown out"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("--connections", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    os.nice(19)  # Real attackers use their own machines, so the flood must not compete with the server for the CPU.
    host, _, port = given.address.rpartition(":")
    became = asyncio.run(flood(host, int(port), given.connections, given.seconds, given.seed))
    print(json.dumps(dict(sorted(became.items()))))  # noqa: T201  # The test reads the counts from standard output.
