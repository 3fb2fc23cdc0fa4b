"""Refusals as they travel: as the status of a call, and as a message inside a stream.

One table says under which reason and code each class goes out; the contract says what its metadata are.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, QuotaFailure, RetryInfo
from google.rpc.status_pb2 import Status
from referee_api.v1 import refusal_pb2

from engines import refusals as engine
from referee.app import answers, asked, faults, referee, sessions, watching, worker_pool
from referee.app import refusals as app
from referee.app.contests import refusals as contests
from referee.app.ports import LogUnavailable, MatchArchived
from referee.contest import refusals as contest
from referee.contest.sprt import BadSprt
from referee.core import errors as core
from referee.transport import refused as door

DOMAIN = "referee"
RETRY_AFTER_MS = 1_000
"""Where nobody knows any better."""

SENTENCE_CHARS = 1_000
METADATA_CHARS = 500
"""All of it travels in one HTTP header, which is no place for long texts."""

INVALID = Code.INVALID_ARGUMENT
FAILED = Code.FAILED_PRECONDITION
EXHAUSTED = Code.RESOURCE_EXHAUSTED

Details = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Said:
    """A refusal in the words of the contract."""

    reason: str
    code: int
    sentence: str
    metadata: dict[str, str] = field(default_factory=dict)
    blamed: str = ""
    """Which field of the request is to blame; with INVALID_ARGUMENT."""
    quota: bool = False
    """A limit was reached."""
    retry_after_ms: int | None = None
    """When it may go better."""


Say: TypeAlias = Callable[[Exception, str], Said]
"""What is said of an exception, in the match of that id if there is one."""


@dataclass(frozen=True, slots=True)
class Way:
    """How one class of refusals goes out."""

    reason: str
    code: int
    blamed: str = ""
    """The field of the request to blame; a name in braces stands for the detail of that name."""
    quota: bool = False
    retry_after_ms: int | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    """The contract's name of a detail that has another one here."""
    added: Mapping[str, str] = field(default_factory=dict)
    """What the contract promises and the class does not know."""


WHY = {"why": "wrong"}

WAYS: dict[type[Exception], Way] = {
    engine.MalformedMove: Way("MALFORMED_MOVE", INVALID, "move"),
    engine.MalformedPosition: Way("MALFORMED_POSITION", INVALID, "opening.position"),
    engine.UnknownGame: Way("UNKNOWN_GAME", INVALID, "game"),
    engine.UnknownOption: Way("UNKNOWN_OPTION", INVALID, "rules.options"),
    engine.UnknownPreset: Way("UNKNOWN_PRESET", INVALID, "rules.preset"),
    engine.BadOption: Way("BAD_OPTION", INVALID, "rules.options"),
    engine.IllegalMove: Way("ILLEGAL_MOVE", FAILED, added={"ply": "", "attempts_left": ""}),
    engine.NotYourTurn: Way("NOT_YOUR_TURN", Code.ABORTED),
    core.BadTimeControl: Way("BAD_TIME_CONTROL", INVALID, "time_control.{field}", renamed=WHY),
    core.BadSetup: Way("BAD_FIELD", INVALID, "{field}", renamed=WHY),
    core.NoSuchSeat: Way("BAD_FIELD", INVALID, "seat", added={"field": "seat", "wrong": "there is no such seat"}),
    core.NonceRefused: Way("BAD_FIELD", INVALID, "nonce", renamed=WHY, added={"field": "nonce"}),
    core.BadVerdict: Way("BAD_FIELD", INVALID, "side_scores", renamed=WHY, added={"field": "side_scores"}),
    core.MatchOver: Way("MATCH_OVER", FAILED),
    core.ClockExpired: Way("CLOCK_EXPIRED", FAILED),
    core.NotAllowedNow: Way("MATCH_NOT_STARTED", FAILED, renamed={"phase": "waiting_for"}),
    core.SeatsOpen: Way("MATCH_NOT_STARTED", FAILED, renamed={"seats": "waiting_for"}),
    core.SeatHeld: Way("SEAT_TAKEN", FAILED),
    core.SeatOut: Way("NOT_YOUR_TURN", Code.ABORTED, added={"owing": ""}),
    core.StaleTurn: Way("STALE_TURN", Code.ABORTED),
    core.NoDraw: Way("DRAW_NOT_CLAIMABLE", FAILED),
    core.OfferedBefore: Way("DRAW_OFFERED_BEFORE", FAILED),
    core.TooLateToAbort: Way("NOT_YOURS", Code.PERMISSION_DENIED, added={"method": "AbortMatch"}),
    core.RequestIdReused: Way("REQUEST_ID_REUSED", INVALID, "request_id"),
    app.BadName: Way("BAD_NAME", INVALID, "name"),
    app.BadField: Way("BAD_FIELD", INVALID, "{field}"),
    app.NameTaken: Way("NAME_TAKEN", Code.ALREADY_EXISTS),
    app.TooManyNames: Way("TOO_MANY_NAMES", EXHAUSTED, quota=True),
    app.UnknownBot: Way("NO_SUCH_BOT", Code.NOT_FOUND),
    app.UnknownVersion: Way("NO_SUCH_VERSION", Code.NOT_FOUND),
    app.UnknownToken: Way("NO_SUCH_TOKEN", Code.NOT_FOUND),
    app.BotPaused: Way("BOT_PAUSED", FAILED),
    app.BotNotPaused: Way("BOT_NOT_PAUSED", FAILED),
    contest.BadTerms: Way("BAD_FIELD", INVALID, "terms.{field}", renamed=WHY),
    contest.NameTaken: Way("NAME_TAKEN", Code.ALREADY_EXISTS),
    contest.LadderClosed: Way("LADDER_CLOSED", FAILED),
    contest.NotAMember: Way("NOT_A_MEMBER", FAILED),
    contest.AlreadyOn: Way("ALREADY_IN", Code.ALREADY_EXISTS),
    contest.WrongSeats: Way("BAD_SEATS", INVALID, "entrants"),
    contests.ContestDamaged: Way("REFEREE_FAULT", Code.INTERNAL),
    contests.UnknownLadder: Way("NO_SUCH_LADDER", Code.NOT_FOUND),
    contests.UnknownTournament: Way("NO_SUCH_TOURNAMENT", Code.NOT_FOUND),
    contests.AlreadyIn: Way("ALREADY_IN", Code.ALREADY_EXISTS),
    contests.NotAnEntrant: Way("NOT_AN_ENTRANT", FAILED),
    contests.TournamentStarted: Way("TOURNAMENT_STARTED", FAILED),
    contests.TournamentNotStarted: Way("TOURNAMENT_NOT_STARTED", FAILED),
    contests.TournamentOver: Way("TOURNAMENT_OVER", FAILED),
    contests.WrongEntrantCount: Way("WRONG_ENTRANT_COUNT", FAILED),
    contests.NotExportable: Way("NOT_EXPORTABLE", FAILED),
    BadSprt: Way("BAD_FIELD", INVALID, "terms.sprt.{field}", renamed=WHY),
    asked.UnknownMatch: Way("NO_SUCH_MATCH", Code.NOT_FOUND),
    MatchArchived: Way("MATCH_ARCHIVED", Code.NOT_FOUND),
    asked.NotRunHere: Way("MATCH_MOVING", Code.UNAVAILABLE, retry_after_ms=RETRY_AFTER_MS),
    answers.EngineFault: Way("ENGINE_FAULT", Code.INTERNAL),
    faults.LogDamaged: Way("REFEREE_FAULT", Code.INTERNAL),
    watching.SlowConsumer: Way("SLOW_CONSUMER", EXHAUSTED),
    watching.NumberAhead: Way("NUMBER_AHEAD", Code.OUT_OF_RANGE),
    referee.RefereeDraining: Way("DRAINING", Code.UNAVAILABLE),
    sessions.SessionTakenOver: Way("SESSION_TAKEN_OVER", Code.ABORTED),
    LogUnavailable: Way("STORE_UNAVAILABLE", Code.UNAVAILABLE, retry_after_ms=RETRY_AFTER_MS),
    door.NoToken: Way("NO_TOKEN", Code.UNAUTHENTICATED),
    door.BadToken: Way("BAD_TOKEN", Code.UNAUTHENTICATED),
    door.NotYours: Way("NOT_YOURS", Code.PERMISSION_DENIED),
    door.TooManyCalls: Way("TOO_MANY_CALLS", EXHAUSTED, quota=True),
    door.TooManyCallsInFlight: Way("TOO_MANY_CALLS_IN_FLIGHT", EXHAUSTED, quota=True, retry_after_ms=RETRY_AFTER_MS),
    door.TooManyStreams: Way("TOO_MANY_STREAMS", EXHAUSTED, quota=True, retry_after_ms=RETRY_AFTER_MS),
    worker_pool.TooManyWaiting: Way("TOO_MANY_CALLS", EXHAUSTED, quota=True),
    worker_pool.TooExpensive: Way("TOO_EXPENSIVE", EXHAUSTED),
    door.MessageTooLarge: Way("MESSAGE_TOO_LARGE", EXHAUSTED),
    door.BadPageToken: Way("BAD_PAGE_TOKEN", INVALID, "page_token"),
    door.HeartbeatLost: Way("HEARTBEAT_LOST", Code.UNAVAILABLE),
    door.NoDrawsHere: Way("NO_DRAWS_HERE", FAILED),
    door.NoDrawOffered: Way("NO_DRAW_OFFERED", FAILED),
    door.MatchNotOver: Way("MATCH_NOT_OVER", FAILED),
    door.BadSeats: Way("BAD_SEATS", INVALID, "seats"),
    door.TooManyMatches: Way("TOO_MANY_MATCHES", EXHAUSTED, quota=True, retry_after_ms=RETRY_AFTER_MS),
    door.TooMuchStored: Way("TOO_MUCH_STORED", EXHAUSTED, quota=True),
    door.HelloExpected: Way("HELLO_EXPECTED", INVALID, "items"),
}

OF_SETUP = {
    "attempts": Way("BAD_POLICY", INVALID, "policies.illegal.attempts", renamed=WHY),
    "grace_us": Way("BAD_POLICY", INVALID, "policies.gone.grace_ms", renamed=WHY),
    "delay_plies": Way("BAD_POLICY", INVALID, "visibility.delay_plies", renamed=WHY),
    "hourglass": Way("BAD_TIME_CONTROL", INVALID, "time_control", renamed=WHY),
    "players": Way("BAD_SEATS", INVALID, "seats"),
}
"""By the field of a BadSetup."""


def said(why: Exception, match_id: str = "") -> Said | None:
    """The refusal in the words of the contract; `match_id` is the match in question. None: it is none, but a fault."""
    details = {**getattr(why, "details", {})}
    way = _way(why, details)
    if way is None:
        return None
    sentence = str(why)
    field = details.get("field", "")
    if field.endswith("_us"):  # The core counts microseconds; the same field of a request is in milliseconds.
        in_request = f"{field.removesuffix('_us')}_ms"
        sentence = sentence.replace(field, in_request, 1)
        details["field"] = in_request
    metadata = {**way.added, **{way.renamed.get(name, name): text for name, text in details.items()}}
    if match_id:
        metadata.setdefault("match_id", match_id)
    retry_after_ms = int(metadata.get("retry_after_ms") or 0) or way.retry_after_ms
    if retry_after_ms and way.code == Code.UNAVAILABLE:
        metadata["retry_after_ms"] = str(retry_after_ms)
    shown = {name: text[:METADATA_CHARS] for name, text in metadata.items()}
    blamed = way.blamed.format_map({"field": "", **details})
    return Said(way.reason, way.code, sentence[:SENTENCE_CHARS], shown, blamed, way.quota, retry_after_ms)


def fault(fault_id: str) -> Said:
    """What is said of a bug of ours."""
    sentence = f"the referee broke down over this; the fault is {fault_id} in its log"
    return Said("REFEREE_FAULT", Code.INTERNAL, sentence, {"fault_id": fault_id})


def status_of(what: Said) -> Status:
    """As the status of a call."""
    return Status(code=what.code, message=what.sentence, details=[_packed(detail) for detail in _details(what)])


def refusal_of(what: Said) -> refusal_pb2.Refusal:
    """As it stands in a stream or in a log."""
    return refusal_pb2.Refusal(reason=reason_number(what.reason), message=what.sentence, metadata=what.metadata)


def reason_number(reason: str) -> refusal_pb2.RefusalReason.ValueType:
    """The number of a reason; UNSPECIFIED if this release does not know it, for a log may be older."""
    name = f"REFUSAL_REASON_{reason}"
    known = refusal_pb2.RefusalReason.keys()
    return refusal_pb2.RefusalReason.Value(name) if name in known else refusal_pb2.REFUSAL_REASON_UNSPECIFIED


def _way(why: Exception, details: Details) -> Way | None:
    if isinstance(why, answers.AttemptRefused):
        illegal = why.reason == "ILLEGAL_MOVE"
        return WAYS[engine.IllegalMove if illegal else engine.MalformedMove]
    if isinstance(why, core.BadSetup) and details["field"] in OF_SETUP:
        return OF_SETUP[details["field"]]
    return next((WAYS[cls] for cls in type(why).__mro__ if cls in WAYS), None)


def _details(what: Said) -> list[Message]:
    details: list[Message] = [ErrorInfo(reason=what.reason, domain=DOMAIN, metadata=what.metadata)]
    if what.code == INVALID:
        violation = BadRequest.FieldViolation(field=what.blamed, description=what.sentence, reason=what.reason)
        details.append(BadRequest(field_violations=[violation]))
    if what.quota:
        details.append(QuotaFailure(violations=[QuotaFailure.Violation(subject="token", description=what.sentence)]))
    if what.retry_after_ms is not None:
        wait = Duration()
        wait.FromMilliseconds(what.retry_after_ms)
        details.append(RetryInfo(retry_delay=wait))
    return details


def _packed(detail: Message) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(detail)
    return packed
