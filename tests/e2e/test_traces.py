"""A real server exports traces to a real collector: the trace of a move shows where its time was spent."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import (
    TraceServiceServicer,
    add_TraceServiceServicer_to_server,
)

from tests.e2e.organiser import server_with_organiser
from tests.e2e.server import TIMEOUT_S

pytestmark = pytest.mark.slow


class Collector(TraceServiceServicer):
    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.changed = threading.Condition()

    def Export(self, request: Any, context: Any) -> Any:  # noqa: N802  # The contract of the collector names it.
        with self.changed:
            self.spans += [
                span for resource in request.resource_spans for scope in resource.scope_spans for span in scope.spans
            ]
            self.changed.notify_all()
        return ExportTraceServiceResponse()

    def wait_for(self, name: str) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: any(span.name == name for span in self.spans), TIMEOUT_S)

    def spans_named(self, name: str) -> list[Any]:
        return [span for span in self.spans if span.name == name]

    def children_of(self, span: Any) -> set[str]:
        """Return the names of all spans whose parent is `span`."""
        return {child.name for child in self.spans if child.parent_span_id == span.span_id}


@contextmanager
def run_collector() -> Iterator[tuple[Collector, str]]:
    collector = Collector()
    server = grpc.server(ThreadPoolExecutor(2))
    add_TraceServiceServicer_to_server(collector, server)  # type: ignore[no-untyped-call]  # It is generated.
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield collector, f"http://127.0.0.1:{port}"
    finally:
        server.stop(None).wait(TIMEOUT_S)


def attributes_of(span: Any) -> dict[str, Any]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in span.attributes}


def test_a_move_is_one_trace_from_arrival_to_notification(tmp_path: Path) -> None:
    with run_collector() as (collector, address):
        with server_with_organiser(tmp_path, "--traces-to", address, "--traces-one-in", "1") as organiser:
            match_id = organiser.start_match()
            first = organiser.next_turn(0)
            organiser.submit_move(first, first.legal_moves[0])
            second = organiser.next_turn(1)
            organiser.connection(1).send_move(second)
            organiser.connection(1).receive("verdict")
            third = organiser.next_turn(0)
            with pytest.raises(grpc.RpcError):
                organiser.submit_move(third, "a1-a1")
            secrets = [organiser.server.admin_token, organiser.token, *organiser.secrets]
            organiser.disconnect_bots()
            assert organiser.server.stop() == 0
        spans = collector.spans

    called, refused = collector.spans_named("MatchService/SubmitMove")
    assert collector.children_of(called) == {"decide", "append", "announce"}
    (answered,) = collector.spans_named("answer")
    assert collector.children_of(answered) == {"decide", "append", "announce"}
    assert {link.span_id for link in answered.links} <= {
        span.span_id for span in collector.spans_named("PlayService/Play")
    }
    assert attributes_of(called)["referee.match_id"] == attributes_of(answered)["referee.match_id"] == match_id
    assert attributes_of(refused)["rpc.grpc.status"] != attributes_of(called)["rpc.grpc.status"] == "OK"
    decided = [span for span in collector.spans_named("decide") if span.parent_span_id == answered.span_id]
    assert [attributes_of(span)["referee.bot"] for span in decided] == [organiser.bots[1]]
    (created,) = collector.spans_named("MatchService/CreateMatch")
    assert collector.children_of(created) == {"append", "announce"}

    traced = {span.trace_id.hex() for span in spans}
    logged = [json.loads(line) for line in organiser.server.log.read_text().splitlines()]
    begun = [event for event in logged if event["event"] == "session opened"]
    assert begun
    assert {event["trace_id"] for event in begun} <= traced

    exported = repr(spans)
    for secret in (*secrets, first.turn_token, first.legal_moves[0], second.legal_moves[0]):
        assert f'"{secret}"' not in exported


def test_an_unreachable_collector_does_not_affect_moves(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path, "--traces-to", "http://127.0.0.1:9", "--traces-one-in", "1") as organiser:
        organiser.start_match()
        turn = organiser.next_turn(0)
        assert organiser.submit_move(turn, turn.legal_moves[0]).entry_number
