"""An organiser that does the task of the kit, or violates one clause: python -m tests.conformance.organiser [FAULT]"""

import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import click
import grpc
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status
from referee_api.v1 import clock_pb2, game_pb2, match_pb2
from referee_api.v1 import match_service_pb2 as pb
from referee_api.v1.match_service_pb2_grpc import MatchServiceStub

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
PAUSE_S = 0 if FAULT == "hurries" else 1.5
PINGS = (
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 2_000),
    ("grpc.http2.ping_timeout_ms", 2_000),
    ("grpc.http2.max_pings_without_data", 0),
)
NO_PINGS = (("grpc.http2.bdp_probe", 0),)
"""These pings measure the bandwidth, and happen to find a dead connection too."""
METADATA = () if FAULT == "no token" else (("authorization", f"Bearer {os.environ['BOT_TOKEN']}"),)
INTERRUPTIONS = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED}
if FAULT == "asks again":
    INTERRUPTIONS.add(grpc.StatusCode.INVALID_ARGUMENT)
if FAULT == "gives up":
    INTERRUPTIONS.remove(grpc.StatusCode.UNAVAILABLE)
if FAULT == "no slow watch":
    INTERRUPTIONS.remove(grpc.StatusCode.RESOURCE_EXHAUSTED)


def main() -> None:
    with grpc.insecure_channel(
        os.environ["BOT_REFEREE"], options=NO_PINGS if FAULT == "waits for ever" else PINGS
    ) as channel:
        stub = MatchServiceStub(channel)
        try:
            match_id = repeat(lambda: stub.CreateMatch(creation(), metadata=METADATA)).match.id
            for entry in watch(stub, match_id):
                click.echo(f"entry {entry.number}")
            kind = repeat(lambda: result(stub, match_id)).WhichOneof("kind")
            click.echo(f"result {kind}")
            click.echo(f"record {repeat(lambda: count_record_lines(stub, match_id))}")
        except grpc.RpcError as error:
            sys.exit(reason(error) if FAULT != "gives no reason" else 1)


def creation() -> pb.CreateMatchRequest:
    main_ms = 1_000 if FAULT == "another clock" else 60_000
    rule = clock_pb2.ClockRule(sudden_death=clock_pb2.SuddenDeath(main_ms=main_ms))
    return pb.CreateMatchRequest(
        request_id=request_id(),
        terms=match_pb2.MatchTerms(
            rules=game_pb2.Rules(game="alquerque"), time_control=clock_pb2.TimeControl(rule=rule)
        ),
        seats=[match_pb2.BotRef(bot="anna"), match_pb2.BotRef(bot="bert")],
        title="conformance",
    )


ONE_RUN = str(uuid.uuid4())


def request_id() -> str:
    return {"one id for ever": "my match", "another id": str(uuid.uuid4())}.get(FAULT, ONE_RUN)


def repeat(call: Callable[[], Any]) -> Any:
    while True:
        try:
            return call()
        except grpc.RpcError as error:
            if not is_interruption(error):
                raise
            time.sleep(PAUSE_S)


def is_interruption(error: Any) -> bool:
    return error.code() in INTERRUPTIONS


def watch(stub: Any, match_id: str) -> Iterator[Any]:
    after = 0
    while True:
        try:
            for message in stub.WatchMatch(
                pb.WatchMatchRequest(match_id=match_id, after_number=after), metadata=METADATA
            ):
                for item in message.items:
                    if item.WhichOneof("item") != "entry" or is_skipped(item.entry):
                        continue
                    after = item.entry.number
                    yield item.entry
            return
        except grpc.RpcError as error:
            if not is_interruption(error):
                raise
            after = 0 if FAULT == "watches from the beginning" else after


def is_skipped(entry: Any) -> bool:
    return FAULT == "skips hidden entries" and not entry.WhichOneof("event")


def result(stub: Any, match_id: str) -> Any:
    return stub.GetMatch(pb.GetMatchRequest(match_id=match_id), metadata=METADATA).match.result


lines = 0


def count_record_lines(stub: Any, match_id: str) -> int:
    global lines  # noqa: PLW0603  # The fault is to go on counting after an interruption.
    lines = lines if FAULT == "counts twice" else 0
    for message in stub.GetRecord(pb.GetRecordRequest(match_id=match_id), metadata=METADATA):
        lines += len(message.lines)
    return lines


def reason(error: Any) -> str:
    for detail in getattr(rpc_status.from_call(error), "details", ()):
        info = ErrorInfo()
        if detail.Unpack(info):
            return info.reason
    return "UNKNOWN"


if __name__ == "__main__":
    main()
