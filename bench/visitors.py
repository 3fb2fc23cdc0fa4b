"""Visitors of the web site: a program that reads the events of one match many times, and counts what it receives.

    python -m bench.visitors HOST:PORT MATCH VISITORS

It writes `ready` when all are connected, and at the end of its input the numbers of events and bytes as JSON.
"""

import asyncio
import json
import sys

PER_ADDRESS = 30
"""Visitors of one address, of which the site has a limit."""


class Visitors:
    def __init__(self) -> None:
        self.events = 0
        self.bytes = 0
        self._reading: set[asyncio.Task[None]] = set()

    async def visit(self, host: str, port: int, match: str, number: int) -> None:
        """Connect and read the head of the response, then read in the background."""
        block = number // PER_ADDRESS
        reader, writer = await asyncio.open_connection(
            host, port, local_addr=(f"127.0.{1 + block // 250}.{1 + block % 250}", 0)
        )
        writer.write(f"GET /matches/{match}/events?after=0 HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in head.partition(b"\r\n")[0]:
            raise RuntimeError(head.decode())
        self._reading.add(asyncio.create_task(self._read(reader, writer)))

    async def _read(self, reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        while part := await reader.read(1 << 16):
            self.events += part.count(b"\ndata: ")
            self.bytes += len(part)


async def main(address: str, match: str, visitors: int) -> None:
    host, _, port = address.rpartition(":")
    all_of_them = Visitors()
    for first in range(0, visitors, 50):
        numbers = range(first, min(first + 50, visitors))
        await asyncio.gather(*(all_of_them.visit(host, int(port), match, number) for number in numbers))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    sys.stdout.write(json.dumps({"events": all_of_them.events, "bytes": all_of_them.bytes}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
