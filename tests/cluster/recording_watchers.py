"""Watchers in one process that record every entry that they are told, each in a file of its own (history.py).

    python -m tests.cluster.recording_watchers FOLDER LADDER COUNT < INPUT

The first line of standard input is the secret of a token; each further line is a JSON list of addresses. A watcher
watches the ladder, and each match of which the ladder tells it: the first watcher from the first entry on, the second
from the second entry on, and so forth. After a failure it goes on at the next address after the last number that it has
received. What other processes wait for is written to standard output, such as each log that was watched to its end.
"""

import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import grpc
from referee_api.v1 import ladder_service_pb2, match_service_pb2
from referee_api.v1.ladder_service_pb2_grpc import LadderServiceStub
from referee_api.v1.match_service_pb2_grpc import MatchServiceStub

from tests.cluster.history import EntryReceived, HistoryWriter, StreamEnded, WatchOpened
from tests.cluster.message_lines import ladder_entry, match_entry
from tests.cluster.recorder_program import RETRY_S, Addresses, announce, now_us

CHANNEL_OPTIONS = [
    # A node that is cut off is noticed, and one that is back is tried soon.
    ("grpc.keepalive_time_ms", 6_000),
    ("grpc.keepalive_timeout_ms", 6_000),
    ("grpc.max_reconnect_backoff_ms", 500),
    ("grpc.use_local_subchannel_pool", 1),
]


class RecordingWatcher:
    def __init__(self, place: int, secret: str, addresses: Addresses, writer: HistoryWriter) -> None:
        self._place = place
        self._metadata = [("authorization", f"Bearer {secret}")]
        self._addresses = addresses
        self._writer = writer
        self._channels: dict[str, grpc.aio.Channel] = {}
        self._last: dict[str, int] = {}
        """Last number received, by log."""
        self._watched: set[str] = set()

    async def watch_ladder(self, ladder: str, group: asyncio.TaskGroup) -> None:
        """Watch a ladder until it is closed, and each of its matches in a task of its own."""
        log = f"ladder/{ladder}"

        def open_stream(channel: grpc.aio.Channel, after: int) -> Any:
            request = ladder_service_pb2.WatchLadderRequest(ladder=ladder, after_number=after)
            return LadderServiceStub(channel).WatchLadder(request, metadata=self._metadata)

        def record(entry: Any) -> EntryReceived:
            for match_id in entry.pairing.match_ids:
                if match_id not in self._watched:
                    self._watched.add(match_id)
                    group.create_task(self.watch_match(match_id))
            return ladder_entry(log, entry, now_us())

        await self._watch(log, open_stream, record)

    async def watch_match(self, match_id: str) -> None:
        def open_stream(channel: grpc.aio.Channel, after: int) -> Any:
            request = match_service_pb2.WatchMatchRequest(match_id=match_id, after_number=after)
            return MatchServiceStub(channel).WatchMatch(request, metadata=self._metadata)

        self._last[match_id] = self._place
        await self._watch(match_id, open_stream, lambda entry: match_entry(match_id, entry, now_us()))

    async def _watch(
        self, log: str, open_stream: Callable[[grpc.aio.Channel, int], Any], record: Callable[[Any], EntryReceived]
    ) -> None:
        """Watch a log to its end, on one address after another."""
        place = self._place
        while True:
            address = await self._addresses.at(place)
            after = self._last.setdefault(log, 0)
            self._writer.write(WatchOpened(log, address, after, at_us=now_us()))
            status, detail = "OK", ""
            try:
                async for response in open_stream(self._channel(address), after):
                    for item in response.items:
                        if item.HasField("entry"):
                            self._last[log] = item.entry.number
                            self._writer.write(record(item.entry))
            except grpc.aio.AioRpcError as error:
                status, detail = error.code().name, str(error.details())
            self._writer.write(StreamEnded(address, status, detail, log, at_us=now_us()))
            if status == "OK":
                break
            place += 1
            await asyncio.sleep(RETRY_S)
        announce("watched", log)

    def _channel(self, address: str) -> grpc.aio.Channel:
        if address not in self._channels:
            self._channels[address] = grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS)
        return self._channels[address]


async def main(folder: Path, ladder: str, count: int) -> None:
    secret, addresses = sys.stdin.readline().strip(), Addresses()
    watchers = [
        RecordingWatcher(place, secret, addresses, HistoryWriter(folder / f"watcher-{place}.jsonl"))
        for place in range(count)
    ]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_watch_all(watcher, ladder)) for watcher in watchers]
        await addresses.read(sys.stdin)
        for task in tasks:
            task.cancel()


async def _watch_all(watcher: RecordingWatcher, ladder: str) -> None:
    """Watch a ladder and its matches until all are over, or until cancelled."""
    async with asyncio.TaskGroup() as group:
        await watcher.watch_ladder(ladder, group)


if __name__ == "__main__":
    arguments: Sequence[str] = sys.argv[1:]
    asyncio.run(main(Path(arguments[0]), arguments[1], int(arguments[2])))
