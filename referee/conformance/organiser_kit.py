"""The kit for organisers: it plays a referee that creates one match, shows how it goes, and fails as it is told.

The program under test is started anew for each clause. It has to do what `TASK` says; the contract leaves open what an
organiser does, and only a known task can be checked.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf.message import Message
from google.rpc.code_pb2 import Code
from referee_api.v1 import entry_pb2, game_pb2, match_pb2, result_pb2
from referee_api.v1 import match_service_pb2 as pb

from referee.conformance.clause import ClauseFailed
from referee.conformance.kit_server import start_server
from referee.conformance.relay import Relay
from referee.transport.guards.error_interceptor import abort_with
from referee.transport.wire.error_mapping import WireError

TASK = (
    "Create a match of alquerque with the title `conformance` between the bots `anna` and `bert`, with 60 seconds for "
    "each side. Watch it from the beginning, and print `entry N` for the number of each entry. Then get the match and "
    "print `result KIND`, where KIND is played, forfeited or voided. Then get the record and print `record N`, where N "
    "is the number of its lines. Exit with status 0; after an error, print its reason and exit with another status."
)
MATCH_ID = "match-on-trial"
BOTS = ("anna", "bert")
MOVES = 6
LAST = MOVES + 3
"""Number of the last entry: the creation, the start and the end are entries too."""
RECORD_LINES = 2_500
LINES_PER_MESSAGE = 1_000
SHOWN_CHARS = 1_000
SILENCE_S = 40
"""Time within which a program must notice that a connection is dead: half a minute, and what a busy machine adds."""


@dataclass(slots=True)
class Scenario:
    """What goes wrong in one run. Each fault happens once."""

    creation: list[WireError] = field(default_factory=list)
    """Errors of `CreateMatch`, although the match is created."""
    status: list[WireError] = field(default_factory=list)
    """Errors of `GetMatch`."""
    record: list[WireError] = field(default_factory=list)
    """Errors of `GetRecord` after its first message."""
    watch: dict[int, WireError] = field(default_factory=dict)
    """Errors that end a watch, by the number of the last entry before it."""
    silent_after: int = 0
    """Number of the entry from which the connection carries nothing any more; 0 is none."""
    strange: Mapping[int, entry_pb2.Entry] = field(default_factory=dict)
    """Entries in place of the usual ones, by number."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the program."""

    request: Any
    metadata: dict[str, str]
    at_s: float
    """By the clock of the event loop."""


@dataclass(frozen=True, slots=True)
class OrganiserRun:
    """What the program did."""

    status: int
    output: list[str]
    """Lines of standard output."""
    errors: str
    calls: Sequence[Call]

    def requests(self, kind: type[Message]) -> list[Call]:
        return [call for call in self.calls if isinstance(call.request, kind)]

    def shown(self) -> str:
        """Describe the end of the program, for the reason of a failure."""
        text = "\n".join([*self.output, self.errors]).strip()
        return f"exit status {self.status}: {text[-SHOWN_CHARS:]}" if text else f"exit status {self.status}"


class OrganiserKit:
    """Serves one run of the program at a time, from `open` to `close`."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], token: str, patience_s: float) -> None:
        """`environment` is read when the program is started. `patience_s` limits each run."""
        self.token = token
        self._command = command
        self._environment = environment
        self._patience_s = patience_s
        self._scenario = Scenario()
        self._calls: list[Call] = []
        self._created = match_pb2.Match()
        self._relay: Relay | None = None
        self._server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        self._server.add_generic_rpc_handlers([self._handlers()])

    async def open(self, address: str, credentials: grpc.ServerCredentials | None) -> int:
        """Start serving and return the port. Raises RuntimeError if the address cannot be used."""
        return await start_server(self._server, address, credentials)

    async def close(self) -> None:
        await self._server.stop(0)

    async def run(self, scenario: Scenario) -> OrganiserRun:
        """Run the program once. Raises ClauseFailed if it does not end, and OSError if it cannot be started."""
        self._scenario, self._calls = scenario, []
        if not scenario.silent_after:
            return await self._start(self._environment, self._patience_s)
        host, _, port = self._environment["BOT_REFEREE"].rpartition(":")
        self._relay = Relay(host.strip("[]"), int(port))
        environment = {**self._environment, "BOT_REFEREE": f"{host}:{await self._relay.open()}"}
        try:
            return await self._start(environment, self._patience_s + SILENCE_S)
        finally:
            await self._relay.close()

    async def _start(self, environment: Mapping[str, str], patience_s: float) -> OrganiserRun:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            env={**os.environ, **environment},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(patience_s):
                output, errors = await process.communicate()
        except TimeoutError:
            raise ClauseFailed(f"the program is still running after {patience_s:g} s") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert process.returncode is not None
        lines = output.decode(errors="replace").splitlines()
        return OrganiserRun(process.returncode, lines, errors.decode(errors="replace").strip(), self._calls)

    # The service

    def _handlers(self) -> grpc.GenericRpcHandler:
        """Return the handlers of the methods that the task needs; others are not implemented."""
        unary, stream = grpc.unary_unary_rpc_method_handler, grpc.unary_stream_rpc_method_handler
        methods: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            "CreateMatch": unary(self._create, pb.CreateMatchRequest.FromString, _serialise),
            "WatchMatch": stream(self._watch, pb.WatchMatchRequest.FromString, _serialise),
            "GetMatch": unary(self._get, pb.GetMatchRequest.FromString, _serialise),
            "GetRecord": stream(self._read_record, pb.GetRecordRequest.FromString, _serialise),
        }
        return grpc.method_handlers_generic_handler("referee_api.v1.MatchService", methods)

    async def _create(self, request: pb.CreateMatchRequest, context: Any) -> pb.CreateMatchResponse:
        self._note(request, context)
        if self._scenario.creation:
            await abort_with(context, self._scenario.creation.pop(0))
        seats = [match_pb2.Seat(bot=ref.bot, version="1", online=True) for ref in request.seats]
        phase = match_pb2.MATCH_PHASE_PLAYING
        self._created = match_pb2.Match(id=MATCH_ID, terms=request.terms, seats=seats, title=request.title, phase=phase)
        return pb.CreateMatchResponse(match=self._created, entry_number=2)

    async def _watch(self, request: pb.WatchMatchRequest, context: Any) -> AsyncIterator[pb.WatchMatchResponse]:
        self._note(request, context)
        after = request.after_number if request.HasField("after_number") else LAST
        yield _watched(snapshot=pb.MatchSnapshot(match=self._created))
        for number in range(after + 1, LAST + 1):
            yield _watched(entry=self._scenario.strange.get(number) or self._entry(number))
            if number == self._scenario.silent_after and self._relay:
                self._scenario.silent_after = 0
                self._relay.fall_silent()
            if error := self._scenario.watch.pop(number, None):
                await abort_with(context, error)

    async def _get(self, request: pb.GetMatchRequest, context: Any) -> pb.GetMatchResponse:
        self._note(request, context)
        if self._scenario.status:
            await abort_with(context, self._scenario.status.pop(0))
        over = match_pb2.Match(phase=match_pb2.MATCH_PHASE_OVER, result=_result())
        over.MergeFrom(match_pb2.Match(id=self._created.id, terms=self._created.terms, seats=self._created.seats))
        return pb.GetMatchResponse(match=over)

    async def _read_record(self, request: pb.GetRecordRequest, context: Any) -> AsyncIterator[pb.GetRecordResponse]:
        self._note(request, context)
        for first in range(0, RECORD_LINES, LINES_PER_MESSAGE):
            lines = [f'{{"line":{line}}}' for line in range(first, min(first + LINES_PER_MESSAGE, RECORD_LINES))]
            yield pb.GetRecordResponse(lines=lines)
            if self._scenario.record:
                await abort_with(context, self._scenario.record.pop(0))

    def _note(self, request: Message, context: Any) -> None:
        metadata = {key: str(value) for key, value in context.invocation_metadata() or ()}
        self._calls.append(Call(request, metadata, asyncio.get_running_loop().time()))

    def _entry(self, number: int) -> entry_pb2.Entry:
        if number == 1:
            return entry_pb2.Entry(number=number, match_created=self._created)
        if number == 2:
            return entry_pb2.Entry(number=number, play_started=entry_pb2.PlayStarted())
        if number == LAST:
            return entry_pb2.Entry(number=number, play_ended=entry_pb2.PlayEnded(result=_result()))
        played = game_pb2.SeatMove(seat=number % 2, move="c2-c3")
        return entry_pb2.Entry(number=number, move_played=entry_pb2.MovePlayed(played=played))


def _serialise(message: Message) -> bytes:
    return message.SerializeToString()


def _watched(**item: Any) -> pb.WatchMatchResponse:
    return pb.WatchMatchResponse(items=[pb.WatchMatchItem(**item)])


def _result() -> result_pb2.Result:
    played = result_pb2.PlayedResult(ending=result_pb2.ENDING_RULES, reason="no_men")
    seats = [result_pb2.SeatResult(score=1, rank=1), result_pb2.SeatResult(score=0, rank=2)]
    return result_pb2.Result(played=played, seats=seats)


def unavailable_call(retry_after_ms: int) -> WireError:
    """Return the error of a call that may have been carried out, and is to be repeated."""
    metadata = {"retry_after_ms": str(retry_after_ms)}
    sentence = "the call may have been carried out"
    return WireError("NODE_UNAVAILABLE", Code.UNAVAILABLE, sentence, metadata, retry_after_ms=retry_after_ms)
