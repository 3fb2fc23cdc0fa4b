"""The table in docs/metrics.md lists exactly the exported metrics, with all their labels."""

import asyncio
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from prometheus_client.metrics_core import Metric
from referee_api.v1.match_service_pb2 import SubmitMoveResponse

from referee.hosting.match_factory import MatchQueue, QueuedMatch, WaitReason
from referee.live.ports import StoreUnavailable
from referee.match.clock import SECOND
from referee.observability.metrics import EDGE, Metrics
from tests.cluster.bus.local_bus import LocalBusHub
from tests.cluster.test_cluster_member import collector
from tests.live.runner_harness import RunnerHarness, in_loop, match_setup, submit_move
from tests.observability.exposition import Page, gauge_sources

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
HEAD = "| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n"


async def play_match(metrics: Metrics) -> None:
    """Play a match with a move and a flag fall, while another match continues whose log cannot be written."""
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup())
    await submit_move(runner, 0, "1")
    await harness.time.advance(11 * SECOND)
    await runner.close()
    for before, entries, match in harness.observer.announced:
        metrics.matches.on_entries(before, entries, match)
    match_in_play = harness.observer.announced[1][2]
    data_dir, queues = Path(__file__).parent, {"tournament": MatchQueue(1, (QueuedMatch(WaitReason.BOTS, 1),))}
    edge = {"own": dict.fromkeys(EDGE, 1)}
    sources = {"matches": lambda: [match_in_play], "sessions": lambda: ["bot0"], "certificate_ends_s": lambda: 1.0}
    metrics.register_gauges(gauge_sources(**sources, data_dir=data_dir, queues=lambda: queues, edge=lambda: edge))
    harness.log.make_unavailable()
    with pytest.raises(StoreUnavailable):
        await metrics.meter_event_log(harness.log, harness.time).append("m1", 0, ())


async def make_calls(metrics: Metrics) -> None:
    """Make a unary call and a streaming call."""

    async def answer(*_: object) -> bytes:
        return b""

    async def answer_again(*_: object) -> SubmitMoveResponse:
        return SubmitMoveResponse(repeated=True)

    handlers: dict[str, Any] = {
        "Call": grpc.unary_unary_rpc_method_handler(
            answer_again, response_serializer=SubmitMoveResponse.SerializeToString
        ),
        "Join": grpc.stream_unary_rpc_method_handler(answer),
    }
    server = grpc.aio.server(
        interceptors=[metrics.interceptor(RunnerHarness().time, [f"/of.Test/{name}" for name in handlers])]
    )
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("of.Test", handlers)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    channel: Any
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        await channel.unary_unary("/of.Test/Call")(b"")
        await channel.stream_unary("/of.Test/Join")(iter([b""]))
    await server.stop(None)


def exported_families() -> list[Metric]:
    """Cause every event that is measured, and return all metric families."""
    metrics = Metrics("1.2.3")
    metrics.refused("ILLEGAL_MOVE")
    metrics.register(collector(LocalBusHub().bus()))
    in_loop(play_match)(metrics)
    asyncio.run(make_calls(metrics))
    page = Page(metrics)
    return [family for family in page.families.values() if not family.name.startswith("process_")]


def row(family: Metric) -> str:
    name = f"{family.name}_total" if family.type == "counter" else family.name
    labels = dict.fromkeys(label for sample in family.samples for label in sample.labels if label != "le")
    return f"| `{name}` | {family.type} | {', '.join(f'`{label}`' for label in labels)} | {family.documentation} |\n"


def test_the_table_of_metrics_lists_exactly_the_exported_metrics(renewing: bool) -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, head, rest = page.partition(HEAD)
    assert head
    end = rest.index("\n\n") + 1
    table = "".join(sorted(map(row, exported_families())))
    if renewing:
        PAGE.write_text(f"{before}{head}{table}{rest[end:]}", encoding="utf-8")
    else:
        assert rest[:end] == table


def test_every_label_is_explained() -> None:
    page = PAGE.read_text(encoding="utf-8")
    labels = {label for family in exported_families() for sample in family.samples for label in sample.labels} - {"le"}
    assert [label for label in sorted(labels) if f"- `{label}`" not in page] == []
