"""A finished match from its signed record: whether it is valid, and its boards with everything that was hidden."""

import json
import tempfile
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from referee_api.v1 import match_service_pb2

from engines.api import REFEREE
from engines.registry import find
from referee.live.worker_pool import RunFunction
from referee.match.events import MovePlayed, PlayStarted
from referee.records.record_reader import RecordInvalid, RecordStatus, read_record_history
from referee.records.verify import verify
from referee.site.upstream import Upstream, UpstreamError

MAX_RECORD_BYTES = 16 * 1024 * 1024
MAX_CPU_S = 20.0


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    is_valid: bool
    verification: str
    """Result of the verification in one sentence."""
    views: dict[int, str]
    """Complete views as JSON by entry number; empty if the record cannot be replayed here."""


async def read_finished_match(upstream: Upstream, match_id: str, run: RunFunction) -> FinishedMatch:
    """Read and verify the record of a match, in a worker process. Raises UpstreamError, also if it is too large."""
    return await run(verified_views, await read_record(upstream, match_id), max_cpu_s=MAX_CPU_S)


async def read_record(upstream: Upstream, match_id: str) -> bytes:
    """Return the record of a match, byte for byte. Raises UpstreamError."""
    parts, size = [], 0
    request = match_service_pb2.GetRecordRequest(match_id=match_id)
    async for response in upstream.stream(request, match_service_pb2.GetRecordResponse):
        part = "".join(f"{line}\n" for line in response.lines).encode()
        size += len(part)
        if size > MAX_RECORD_BYTES:
            raise UpstreamError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                "",
                "The record is too large for a page; get it with `referee bot record`.",
            )
        parts.append(part)
    return b"".join(parts)


def verified_views(record: bytes) -> FinishedMatch:
    """Verify a record, and draw its views. It runs in a worker process."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(record)
        file.flush()
        path = Path(file.name)
        result = verify(path, None, find)
        is_valid = result.status is RecordStatus.FINE
        if not is_valid:
            return FinishedMatch(False, result.sentence, {})
        try:
            history = read_record_history(path, find)
        except RecordInvalid as why:
            return FinishedMatch(False, str(why), {})
    views = {
        step.entry.number: json.dumps(step.state.position.view(REFEREE), ensure_ascii=False, separators=(",", ":"))
        for step in history.steps
        if isinstance(step.entry.event, PlayStarted | MovePlayed) and step.state.position
    }
    return FinishedMatch(True, result.sentence, views)
