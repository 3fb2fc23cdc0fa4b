"""Maps exceptions to errors of the contract: the status of a call, or an `ErrorDetail` within a stream.

`ERROR_MAPPINGS` has the status code and the reason of each class; the contract defines the metadata. The reason is the
name of the class in upper snake case, with the exceptions that are listed here. Errors of the transport itself carry
their mapping (`referee/transport/wire/wire_errors.py`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TypeAlias

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, QuotaFailure, RetryInfo
from google.rpc.status_pb2 import Status
from referee_api.v1 import error_pb2

from engines import game_errors
from referee.accounts import account_errors
from referee.contests import contest_errors
from referee.contests.strength.sprt_evaluation import BadSprt
from referee.hosting import hosting_errors
from referee.live import ports, queued_command, referee, sessions, submit, watch, worker_pool
from referee.match import match_errors
from referee.transport.wire.wire_errors import (
    EXHAUSTED,
    FAILED,
    INVALID,
    RETRY_AFTER_MS,
    ErrorMapping,
    TransportError,
    reason_of,
)

DOMAIN = "referee"
STATUS_DETAILS = "grpc-status-details-bin"
"""Name of the trailing metadata with the encoded status."""
SENTENCE_CHARS = 1_000
METADATA_CHARS = 500
"""Limits of texts, because the whole status is one HTTP header."""

Details = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class WireError:
    """An error in the terms of the contract."""

    reason: str
    code: int
    sentence: str
    metadata: dict[str, str] = field(default_factory=dict)
    blamed: str = ""
    """The invalid field of the request; with INVALID_ARGUMENT."""
    quota: bool = False
    """Whether a quota was exceeded, so that a QuotaFailure is added."""
    retry_after_ms: int | None = None
    """Time after which to retry, if retrying can help."""


ErrorMapper: TypeAlias = Callable[[Exception, str], WireError]
"""Maps an exception to an error; the second argument is the id of the match, or empty."""


BAD_FIELD = ErrorMapping(INVALID, reason="BAD_FIELD")

_DOMAIN_ERRORS: dict[type[Exception], ErrorMapping] = {
    game_errors.MalformedMove: ErrorMapping(INVALID, "move"),
    game_errors.MalformedPosition: ErrorMapping(INVALID, "opening.position"),
    game_errors.UnknownGame: ErrorMapping(INVALID, "game"),
    game_errors.UnknownOption: ErrorMapping(INVALID, "rules.options"),
    game_errors.UnknownPreset: ErrorMapping(INVALID, "rules.preset"),
    game_errors.BadOption: ErrorMapping(INVALID, "rules.options"),
    game_errors.IllegalMove: ErrorMapping(FAILED, added={"ply": "", "attempts_left": ""}),
    game_errors.NotYourTurn: ErrorMapping(Code.ABORTED),
    match_errors.BadTimeControl: ErrorMapping(INVALID, "time_control.{field}"),
    match_errors.BadSetup: BAD_FIELD,
    match_errors.NoSuchSeat: BAD_FIELD,
    match_errors.NonceRefused: BAD_FIELD,
    match_errors.BadVerdict: BAD_FIELD,
    match_errors.MatchOver: ErrorMapping(FAILED),
    match_errors.ClockExpired: ErrorMapping(FAILED),
    match_errors.NotAllowedNow: ErrorMapping(FAILED, reason="MATCH_NOT_STARTED"),
    match_errors.SeatsOpen: ErrorMapping(FAILED, reason="MATCH_NOT_STARTED"),
    match_errors.NotWithdrawable: ErrorMapping(FAILED),
    match_errors.SeatHeld: ErrorMapping(FAILED, reason="SEAT_TAKEN"),
    match_errors.SeatOut: ErrorMapping(Code.ABORTED, reason="NOT_YOUR_TURN", added={"owing": ""}),
    match_errors.StaleTurn: ErrorMapping(Code.ABORTED),
    match_errors.DrawNotClaimable: ErrorMapping(FAILED),
    match_errors.DrawOfferedBefore: ErrorMapping(FAILED),
    match_errors.TooLateToAbort: ErrorMapping(
        Code.PERMISSION_DENIED, reason="NOT_YOURS", added={"method": "AbortMatch"}
    ),
    match_errors.RequestIdReused: ErrorMapping(INVALID, "request_id"),
    account_errors.BadName: ErrorMapping(INVALID, "name"),
    account_errors.BadField: ErrorMapping(INVALID),
    account_errors.BadSeats: ErrorMapping(INVALID, "seats"),
    account_errors.NameTaken: ErrorMapping(Code.ALREADY_EXISTS),
    account_errors.TooManyNames: ErrorMapping(EXHAUSTED, quota=True),
    account_errors.NoSuchBot: ErrorMapping(Code.NOT_FOUND),
    account_errors.NoSuchVersion: ErrorMapping(Code.NOT_FOUND),
    account_errors.NoSuchToken: ErrorMapping(Code.NOT_FOUND),
    account_errors.NoSuchInvitation: ErrorMapping(Code.NOT_FOUND),
    account_errors.BadInvitation: ErrorMapping(FAILED),
    account_errors.BotPaused: ErrorMapping(FAILED),
    account_errors.BotNotPaused: ErrorMapping(FAILED),
    account_errors.ConsentMissing: ErrorMapping(FAILED),
    contest_errors.BadTerms: ErrorMapping(INVALID, "terms.{field}", reason="BAD_FIELD"),
    contest_errors.BadPairings: BAD_FIELD,
    contest_errors.PairingNotChangeable: ErrorMapping(FAILED),
    contest_errors.ByeNotPossible: ErrorMapping(FAILED),
    contest_errors.MatchNotCounted: ErrorMapping(Code.NOT_FOUND, reason="NO_SUCH_MATCH"),
    contest_errors.BadRanks: BAD_FIELD,
    contest_errors.NoSuchPairing: ErrorMapping(Code.NOT_FOUND),
    contest_errors.EntrantNameTaken: ErrorMapping(Code.ALREADY_EXISTS, reason="NAME_TAKEN"),
    contest_errors.LadderClosed: ErrorMapping(FAILED),
    contest_errors.NotAMember: ErrorMapping(FAILED),
    contest_errors.AlreadyOnLadder: ErrorMapping(Code.ALREADY_EXISTS, reason="ALREADY_IN"),
    contest_errors.SameOwner: ErrorMapping(FAILED),
    contest_errors.WrongParticipantCount: ErrorMapping(INVALID, "entrants", reason="BAD_SEATS"),
    hosting_errors.ContestDamaged: ErrorMapping(Code.INTERNAL, reason="REFEREE_FAULT"),
    hosting_errors.ContestNotOver: ErrorMapping(FAILED),
    hosting_errors.NoSuchLadder: ErrorMapping(Code.NOT_FOUND),
    hosting_errors.NoSuchTournament: ErrorMapping(Code.NOT_FOUND),
    hosting_errors.AlreadyIn: ErrorMapping(Code.ALREADY_EXISTS),
    contest_errors.NotAnEntrant: ErrorMapping(FAILED),
    contest_errors.TournamentStarted: ErrorMapping(FAILED),
    hosting_errors.EntriesClosed: ErrorMapping(FAILED),
    contest_errors.TournamentNotStarted: ErrorMapping(FAILED),
    contest_errors.TournamentOver: ErrorMapping(FAILED),
    contest_errors.WrongEntrantCount: ErrorMapping(FAILED),
    contest_errors.NotExportable: ErrorMapping(FAILED),
    BadSprt: ErrorMapping(INVALID, "terms.sprt.{field}", reason="BAD_FIELD"),
    ports.NoSuchMatch: ErrorMapping(Code.NOT_FOUND),
    ports.MatchArchived: ErrorMapping(Code.NOT_FOUND),
    queued_command.MatchMoving: ErrorMapping(Code.UNAVAILABLE, retry_after_ms=RETRY_AFTER_MS),
    ports.EngineFault: ErrorMapping(Code.INTERNAL),
    ports.LogDamaged: ErrorMapping(Code.INTERNAL, reason="REFEREE_FAULT"),
    watch.SlowConsumer: ErrorMapping(EXHAUSTED),
    watch.NumberAhead: ErrorMapping(Code.OUT_OF_RANGE),
    referee.RefereeDraining: ErrorMapping(Code.UNAVAILABLE, reason="DRAINING"),
    sessions.SessionTakenOver: ErrorMapping(Code.ABORTED),
    ports.StoreUnavailable: ErrorMapping(Code.UNAVAILABLE, retry_after_ms=RETRY_AFTER_MS),
    worker_pool.TooManyWaiting: ErrorMapping(EXHAUSTED, reason="TOO_MANY_CALLS", quota=True),
    worker_pool.TooExpensive: ErrorMapping(EXHAUSTED),
}
"""Errors of the domain, which know no status codes. A reason is given only if it differs from the class name."""

_TRANSPORT_ERRORS = ((error, error.mapping) for error in TransportError.__subclasses__())

ERROR_MAPPINGS: dict[type[Exception], ErrorMapping] = {
    error: mapping if mapping.reason else replace(mapping, reason=reason_of(error))
    for error, mapping in chain(_DOMAIN_ERRORS.items(), _TRANSPORT_ERRORS)
}
"""Status code and reason of every error class."""

BAD_POLICY = ErrorMapping(INVALID, reason="BAD_POLICY")
SETUP_ERROR_MAPPINGS = {
    "policies.illegal_move.max_attempts": BAD_POLICY,
    "policies.disconnect.grace_period_ms": BAD_POLICY,
    "visibility.delay_plies": BAD_POLICY,
    "hourglass": ErrorMapping(INVALID, "time_control", reason="BAD_TIME_CONTROL"),
    "players": ErrorMapping(INVALID, "seats", reason="BAD_SEATS"),
}
"""Mappings of BadSetup, by its field."""


def to_wire_error(why: Exception, match_id: str = "") -> WireError | None:
    """Return the error for `why` in the match `match_id`, if any. None: `why` is not an error but a bug."""
    details = {**getattr(why, "details", {})}
    mapping = _mapping_of(why, details)
    if mapping is None:
        return None
    sentence = str(why)
    field = details.get("field", "")
    if field.endswith("_us"):  # The core counts microseconds; the same field of a request is in milliseconds.
        in_request = f"{field.removesuffix('_us')}_ms"
        sentence = sentence.replace(field, in_request, 1)
        details["field"] = in_request
    metadata = {**mapping.added, **details}
    if match_id:
        metadata.setdefault("match_id", match_id)
    retry_after_ms = int(metadata.get("retry_after_ms") or 0) or mapping.retry_after_ms
    if retry_after_ms and mapping.code == Code.UNAVAILABLE:
        metadata["retry_after_ms"] = str(retry_after_ms)
    shown = {name: text[:METADATA_CHARS] for name, text in metadata.items()}
    blamed = mapping.blamed.format_map({"field": "", **details})
    return WireError(
        mapping.reason, mapping.code, sentence[:SENTENCE_CHARS], shown, blamed, mapping.quota, retry_after_ms
    )


def fault(fault_id: str) -> WireError:
    """Return the error for a bug of the server."""
    sentence = f"internal error; the log of the server has it as fault {fault_id}"
    return WireError("REFEREE_FAULT", Code.INTERNAL, sentence, {"fault_id": fault_id})


def status_of(error: WireError) -> Status:
    """Convert to the status of a call."""
    return Status(code=error.code, message=error.sentence, details=[_pack(detail) for detail in _details(error)])


def error_detail_of(error: WireError) -> error_pb2.ErrorDetail:
    """Convert to the message within a stream or a log."""
    return error_pb2.ErrorDetail(reason=reason_number(error.reason), message=error.sentence, metadata=error.metadata)


def reason_number(reason: str) -> error_pb2.ErrorReason.ValueType:
    """Return the number of a reason; UNSPECIFIED if it is unknown, as in a log of another release."""
    name = f"ERROR_REASON_{reason}"
    known = error_pb2.ErrorReason.keys()
    return error_pb2.ErrorReason.Value(name) if name in known else error_pb2.ERROR_REASON_UNSPECIFIED


def _mapping_of(why: Exception, details: Details) -> ErrorMapping | None:
    if isinstance(why, submit.AttemptRefused):
        illegal = why.reason == "ILLEGAL_MOVE"
        return ERROR_MAPPINGS[game_errors.IllegalMove if illegal else game_errors.MalformedMove]
    if isinstance(why, match_errors.BadSetup) and details["field"] in SETUP_ERROR_MAPPINGS:
        return SETUP_ERROR_MAPPINGS[details["field"]]
    return next((ERROR_MAPPINGS[cls] for cls in type(why).__mro__ if cls in ERROR_MAPPINGS), None)


def _details(error: WireError) -> list[Message]:
    details: list[Message] = [ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=error.metadata)]
    if error.code == INVALID:
        violation = BadRequest.FieldViolation(field=error.blamed, description=error.sentence, reason=error.reason)
        details.append(BadRequest(field_violations=[violation]))
    if error.quota:
        details.append(QuotaFailure(violations=[QuotaFailure.Violation(subject="token", description=error.sentence)]))
    if error.retry_after_ms is not None:
        wait = Duration()
        wait.FromMilliseconds(error.retry_after_ms)
        details.append(RetryInfo(retry_delay=wait))
    return details


def _pack(detail: Message) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(detail)
    return packed
