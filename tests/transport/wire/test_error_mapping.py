"""Each error has the reason, the code and the metadata that the contract defines."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, QuotaFailure, RetryInfo
from referee_api.v1 import error_pb2

from engines import game_errors
from engines.game_errors import DetailedError
from referee.accounts import account_errors
from referee.contests import contest_errors
from referee.contests.strength.sprt_evaluation import BadSprt
from referee.hosting import hosting_errors
from referee.live import ports, queued_command, referee, sessions, submit, watch, worker_pool
from referee.live.ports import MatchArchived, StoreUnavailable
from referee.match import match_errors
from referee.match.clock import Clock, Untimed
from referee.match.clock_charge import ClockCharge
from referee.match.events import FlagFell, MoveRejected
from referee.match.setup import Player
from referee.transport.wire import wire_errors
from referee.transport.wire.error_mapping import ERROR_MAPPINGS, error_detail_of, fault, status_of, to_wire_error

PROTO = Path(__file__).parents[3] / "proto" / "referee_api" / "v1" / "error.proto"

ROW = ClockCharge(0, 9, 0, 0, 0, 9, Clock(5), Clock(0), late=True)

EXAMPLES: list[Exception] = [
    game_errors.MalformedMove("x", "a move"),
    game_errors.MalformedPosition("x", "no board"),
    game_errors.UnknownGame("x", ["toc"], "toc"),
    game_errors.UnknownOption("x", ["huff"]),
    game_errors.UnknownPreset("x", ["usual"], "usual"),
    game_errors.BadOption("huff", "x", "true | false"),
    game_errors.IllegalMove("a1", "must_capture", "there is a capture"),
    game_errors.NotYourTurn(1, (0,)),
    match_errors.BadTimeControl("main_us", "must be greater than 0"),
    match_errors.BadSetup("max_attempts", "must be greater than 0"),
    match_errors.BadSetup("seed", "must have 32 bytes"),
    match_errors.BadSetup("players", "are 2 here", given="3", wanted="2"),
    match_errors.NotAllowedNow("SubmitMove", "waiting", "1"),
    match_errors.MatchOver("played"),
    match_errors.NoSuchSeat(3, 2),
    match_errors.SeatHeld(0, "ada"),
    match_errors.NotWithdrawable("ada", "it holds no seat in this match"),
    match_errors.SeatsOpen((0, 1)),
    match_errors.SeatOut(0),
    match_errors.StaleTurn("0.1.1", "0.2.1"),
    match_errors.NonceRefused("too long"),
    match_errors.DrawNotClaimable("none to claim"),
    match_errors.DrawOfferedBefore("the offer is still open"),
    match_errors.TooLateToAbort(),
    match_errors.BadVerdict("a rank for each side"),
    match_errors.ClockExpired(ROW.texts()),
    match_errors.RequestIdReused("r1"),
    account_errors.BadName("X", "small letters"),
    account_errors.BadField("label", "too long"),
    account_errors.NameTaken("ada"),
    account_errors.TooManyNames("bots", 3),
    account_errors.NoSuchBot("ada"),
    account_errors.NoSuchVersion("ada", "2"),
    account_errors.NoSuchToken("tk_1"),
    account_errors.NoSuchInvitation("in_1"),
    account_errors.BadInvitation("expired"),
    account_errors.BotPaused("ada", "admin"),
    account_errors.BotNotPaused("ada"),
    account_errors.ConsentMissing("ada", "games", "it does not play toc for other holders"),
    contest_errors.BadTerms("rounds", "must be from 1 to 1000"),
    contest_errors.EntrantNameTaken("ada"),
    contest_errors.LadderClosed("main"),
    contest_errors.NotAMember("main", "ada"),
    contest_errors.AlreadyOnLadder("main", "ada", "ada"),
    contest_errors.SameOwner("main", "ada", "bob"),
    contest_errors.WrongParticipantCount("a pairing", 1, 2),
    hosting_errors.ContestDamaged("ladder/main"),
    hosting_errors.NoSuchLadder("main"),
    hosting_errors.NoSuchTournament("cup"),
    hosting_errors.AlreadyIn("ada", "ada"),
    contest_errors.NotAnEntrant("cup", "ada"),
    contest_errors.TournamentStarted("cup"),
    contest_errors.TournamentNotStarted("cup"),
    hosting_errors.EntriesClosed("cup", 1_796_144_400_000),
    contest_errors.BadPairings("come too late"),
    contest_errors.PairingNotChangeable("1.1", "it is finished"),
    contest_errors.ByeNotPossible("ada", 3, "the round is paired already"),
    contest_errors.NoSuchPairing("1.1"),
    contest_errors.MatchNotCounted("m17"),
    contest_errors.BadRanks("must be 2, one for each side, not 3"),
    contest_errors.TournamentOver("cup", "finished"),
    contest_errors.WrongEntrantCount("cup", 1, "2 or more"),
    hosting_errors.ContestNotOver("ladder/main"),
    contest_errors.NotExportable("cup", "trf", "it knows round robin and Swiss only"),
    BadSprt("elo1", "must be more than elo0"),
    ports.NoSuchMatch("m1"),
    queued_command.MatchMoving("m1"),
    MatchArchived("m1"),
    submit.AttemptRefused(MoveRejected(0, 0, "0.1.1", "a1", "ILLEGAL_MOVE", "must_capture", "no", 2), 1),
    submit.AttemptRefused(MoveRejected(0, 0, "0.1.1", "?", "MALFORMED_MOVE", "", "no", 2), 1),
    submit.LateAnswer("m1", FlagFell(9, 0, "0.1.1", ROW), Untimed(), 1),
    ports.EngineFault("m1"),
    ports.LogDamaged("m1", 7),
    sessions.SessionTakenOver(Player("ada", "1"), "s2"),
    watch.SlowConsumer(7),
    watch.NumberAhead(9, 7),
    referee.RefereeDraining(2000),
    StoreUnavailable("the disk is full"),
    wire_errors.NoToken(),
    wire_errors.BadToken(),
    wire_errors.NotYours("CreateMatch", "a token of the role organiser or admin"),
    wire_errors.TooManyCalls(600, 100),
    wire_errors.TooManyCallsInFlight(64),
    wire_errors.TooManyStreams(10),
    wire_errors.TooManyBytes(3),
    wire_errors.TooManyMatches(10),
    worker_pool.TooManyWaiting(8),
    worker_pool.TooExpensive(2000),
    wire_errors.MessageTooLarge(2, 1),
    wire_errors.BadPageToken(),
    wire_errors.HelloExpected("move"),
    wire_errors.TooMuchStored(1000),
    wire_errors.HeartbeatLost(15_000),
    wire_errors.NodeUnavailable("the coordinator has just changed"),
    wire_errors.NoDrawsHere("toc", "toc knows none"),
    wire_errors.NoDrawOffered("m1"),
    wire_errors.MatchNotOver("m1"),
    account_errors.BadSeats("seats", 3, 2),
]

UNKNOWN_BEFOREHAND = {"match_id", "seat", "ply", "attempts_left", "right"}
"""What an example of its own need not know: the call around it does, or its sentence says it."""


CODE = re.compile(r"\b([A-Z]+_[A-Z_]+|INTERNAL|ABORTED|UNAUTHENTICATED|UNAVAILABLE)\b[^;.]*; ([^.]*)")


def documented_reasons() -> dict[str, tuple[str, set[str]]]:
    """Return the code and the metadata names of each reason, parsed from its comment."""
    found = {}
    for comment, reason in re.findall(r"((?:  //[^\n]*\n)+)  ERROR_REASON_(\w+) = [1-9]", PROTO.read_text()):
        text = " ".join(line.strip().removeprefix("//").strip() for line in comment.strip().splitlines())
        code, names = CODE.findall(text)[-1]
        names = re.sub(r"\([^)]*\)|: .*", "", names)
        listed = set() if "no metadata" in names else {name.strip() for name in names.split(",")}
        found[reason] = (code, {name for name in listed if " " not in name})
    return found


PROMISES = documented_reasons()


@pytest.mark.parametrize("exception", EXAMPLES, ids=lambda exception: type(exception).__name__)
def test_an_error_has_the_code_and_the_metadata_of_the_contract(exception: Exception) -> None:
    wire_error = to_wire_error(exception, "m1")
    assert wire_error
    code, names = PROMISES[wire_error.reason]
    assert Code.Name(wire_error.code) == code
    assert names - UNKNOWN_BEFOREHAND <= wire_error.metadata.keys()


@pytest.mark.parametrize("exception", EXAMPLES, ids=lambda exception: type(exception).__name__)
def test_the_status_has_the_details_that_its_code_needs(exception: Exception) -> None:
    wire_error = to_wire_error(exception)
    assert wire_error
    status = status_of(wire_error)
    info, *more = status.details
    error = ErrorInfo()
    assert info.Unpack(error)
    assert (error.reason, error.domain, dict(error.metadata)) == (wire_error.reason, "referee", wire_error.metadata)
    assert status.message
    assert has_detail(more, BadRequest()) == (status.code == Code.INVALID_ARGUMENT)
    if wire_error.reason.startswith("TOO_MANY"):
        assert has_detail(more, QuotaFailure())
    if wire_error.reason in ("DRAINING", "STORE_UNAVAILABLE", "NODE_UNAVAILABLE", "MATCH_MOVING", "TOO_MANY_CALLS"):
        assert has_detail(more, RetryInfo())


def has_detail(details: Sequence[AnyMessage], wanted: Message) -> bool:
    return any(detail.Unpack(wanted) for detail in details)


def test_every_error_class_has_a_mapping_and_every_mapping_an_example() -> None:
    modules = (
        game_errors,
        match_errors,
        account_errors,
        hosting_errors,
        ports,
        queued_command,
        submit,
        sessions,
        watch,
        referee,
        wire_errors,
    )
    base_classes = {DetailedError, game_errors.GameError, match_errors.MatchError}
    classes = {
        cls
        for module in modules
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, DetailedError)
    } - base_classes
    assert classes <= {cls for exception in EXAMPLES for cls in type(exception).__mro__}
    assert ERROR_MAPPINGS.keys() <= {cls for exception in EXAMPLES for cls in type(exception).__mro__}


@pytest.mark.parametrize(
    "exception",
    [
        match_errors.BadTimeControl("main_us", "must be greater than 0"),
        match_errors.BadSetup("policies.disconnect.grace_period_ms", "must be greater than 0"),
        match_errors.BadSetup("start_timeout_us", "must be from 0 to ten years"),
    ],
    ids=lambda exception: exception.details["field"],
)
def test_an_invalid_field_has_its_name_in_the_contract(exception: match_errors.MatchError) -> None:
    wire_error = to_wire_error(exception)
    assert wire_error
    assert wire_error.blamed.endswith(wire_error.metadata["field"])
    assert wire_error.metadata["field"].endswith("_ms")
    assert "_us" not in f"{wire_error.sentence} {wire_error.metadata}"


def test_an_error_in_a_stream_has_the_number_of_its_reason() -> None:
    wire_error = to_wire_error(game_errors.UnknownGame("x", ["toc"], "toc"))
    assert wire_error
    assert error_detail_of(wire_error).reason == error_pb2.ERROR_REASON_UNKNOWN_GAME


def test_an_unexpected_exception_discloses_only_its_fault_id() -> None:
    assert to_wire_error(KeyError("secret")) is None
    wire_error = fault("f1")
    assert (wire_error.reason, wire_error.metadata) == ("REFEREE_FAULT", {"fault_id": "f1"})
    assert "secret" not in wire_error.sentence
