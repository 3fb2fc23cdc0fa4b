"""Every refusal goes out as the contract says: reason, code, and each of its metadata."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, QuotaFailure, RetryInfo
from referee_api.v1 import refusal_pb2

from engines import refusals as engine
from engines.refusals import Refusal
from referee.app import answers, asked, faults, referee, sessions, watching, worker_pool
from referee.app import refusals as app
from referee.app.contests import refusals as contests
from referee.app.ports import LogUnavailable, MatchArchived
from referee.contest import refusals as contest
from referee.contest.sprt import BadSprt
from referee.core import errors as core
from referee.core.clock import Clock
from referee.core.events import FlagFell, MoveRefused
from referee.core.row import ClockRow
from referee.core.setup import Player
from referee.transport import refused as door
from referee.transport.refusals import WAYS, fault, refusal_of, said, status_of

PROTO = Path(__file__).parents[2] / "proto" / "referee_api" / "v1" / "refusal.proto"

ROW = ClockRow(0, 9, 0, 0, 0, 9, Clock(5), Clock(0), late=True)

EXAMPLES: list[Exception] = [
    engine.MalformedMove("x", "a move"),
    engine.MalformedPosition("x", "no board"),
    engine.UnknownGame("x", "toc"),
    engine.UnknownOption("x", "huff"),
    engine.UnknownPreset("x", "usual"),
    engine.BadOption("huff", "x", "true | false"),
    engine.IllegalMove("a1", "must_capture", "there is a capture"),
    engine.NotYourTurn(1, (0,)),
    core.BadTimeControl("main_us", "is more than 0"),
    core.BadSetup("attempts", "is more than 0"),
    core.BadSetup("seed", "has 32 bytes"),
    core.BadSetup("players", "are 2 here", given="3", wanted="2"),
    core.NotAllowedNow("SubmitMove", "waiting"),
    core.MatchOver("played"),
    core.NoSuchSeat(3, 2),
    core.SeatHeld(0, "ada"),
    core.SeatsOpen((0, 1)),
    core.SeatOut(0),
    core.StaleTurn("0.1.1", "0.2.1"),
    core.NonceRefused("too long"),
    core.NoDraw("none to claim"),
    core.OfferedBefore("that offer stands"),
    core.TooLateToAbort(),
    core.BadVerdict("a rank for each side"),
    core.ClockExpired(ROW.texts()),
    core.RequestIdReused("r1"),
    app.BadName("X", "small letters"),
    app.BadField("label", "too long"),
    app.NameTaken("ada"),
    app.TooManyNames("bots", 3),
    app.UnknownBot("ada"),
    app.UnknownVersion("ada", "2"),
    app.UnknownToken("tk_1"),
    app.BotPaused("ada", "admin"),
    app.BotNotPaused("ada"),
    contest.BadTerms("rounds", "must be from 1 to 1000"),
    contest.NameTaken("ada"),
    contest.LadderClosed("main"),
    contest.NotAMember("main", "ada"),
    contest.AlreadyOn("main", "ada", "ada"),
    contest.WrongSeats("a pairing", 1, 2),
    contests.ContestDamaged("ladder/main"),
    contests.UnknownLadder("main"),
    contests.UnknownTournament("cup"),
    contests.AlreadyIn("ada", "ada"),
    contests.NotAnEntrant("cup", "ada"),
    contests.TournamentStarted("cup"),
    contests.TournamentNotStarted("cup"),
    contests.TournamentOver("cup", "finished"),
    contests.WrongEntrantCount("cup", "1", "2 or more"),
    contests.NotExportable("cup", "trf", "it knows round robin and Swiss only"),
    BadSprt("elo1", "must be more than elo0"),
    asked.UnknownMatch("m1"),
    asked.NotRunHere("m1"),
    MatchArchived("m1"),
    answers.AttemptRefused(MoveRefused(0, 0, "0.1.1", "a1", "ILLEGAL_MOVE", "must_capture", "no", 2), 1),
    answers.AttemptRefused(MoveRefused(0, 0, "0.1.1", "?", "MALFORMED_MOVE", "", "no", 2), 1),
    answers.LateAnswer("m1", FlagFell(9, 0, "0.1.1", ROW), 1),
    answers.EngineFault("m1"),
    faults.LogDamaged("m1", 7),
    sessions.SessionTakenOver(Player("ada", "1"), "s2"),
    watching.SlowConsumer(7),
    watching.NumberAhead(9, 7),
    referee.RefereeDraining(2000),
    LogUnavailable("the disk is full"),
    door.NoToken(),
    door.BadToken(),
    door.NotYours("CreateMatch"),
    door.TooManyCalls(600, 100),
    door.TooManyCallsInFlight(64),
    door.TooManyStreams(10),
    door.TooManyMatches(10),
    worker_pool.TooManyWaiting(8),
    worker_pool.TooExpensive(2000),
    door.MessageTooLarge(2, 1),
    door.BadPageToken(),
    door.HelloExpected("move"),
    door.TooMuchStored(1000),
    door.HeartbeatLost(15_000),
    door.NoDrawsHere("toc", "toc knows none"),
    door.NoDrawOffered("m1"),
    door.MatchNotOver("m1"),
    door.BadSeats("seats", 3, 2),
]

UNKNOWN_BEFOREHAND = {"match_id", "seat", "ply", "attempts_left", "right"}
"""What an example of its own need not know: the call around it does, or its sentence says it."""


CODE = re.compile(r"\b([A-Z]+_[A-Z_]+|INTERNAL|ABORTED|UNAUTHENTICATED|UNAVAILABLE)\b[^;.]*; ([^.]*)")


def promises() -> dict[str, tuple[str, set[str]]]:
    """The code and the names of the metadata of each reason, as its comment has them."""
    found = {}
    for comment, reason in re.findall(r"((?:  //[^\n]*\n)+)  REFUSAL_REASON_(\w+) = [1-9]", PROTO.read_text()):
        text = " ".join(line.strip().removeprefix("//").strip() for line in comment.strip().splitlines())
        code, names = CODE.findall(text)[-1]
        names = re.sub(r"\([^)]*\)|: .*", "", names)
        listed = set() if "no metadata" in names else {name.strip() for name in names.split(",")}
        found[reason] = (code, {name for name in listed if " " not in name})
    return found


PROMISES = promises()


@pytest.mark.parametrize("why", EXAMPLES, ids=lambda why: type(why).__name__)
def test_a_refusal_has_the_code_and_the_metadata_that_the_contract_promises(why: Exception) -> None:
    told = said(why, "m1")
    assert told
    code, names = PROMISES[told.reason]
    assert Code.Name(told.code) == code
    assert names - UNKNOWN_BEFOREHAND <= told.metadata.keys()


@pytest.mark.parametrize("why", EXAMPLES, ids=lambda why: type(why).__name__)
def test_the_status_says_it_to_programs(why: Exception) -> None:
    told = said(why)
    assert told
    status = status_of(told)
    info, *more = status.details
    error = ErrorInfo()
    assert info.Unpack(error)
    assert (error.reason, error.domain, dict(error.metadata)) == (told.reason, "referee", told.metadata)
    assert status.message
    assert has(more, BadRequest()) == (status.code == Code.INVALID_ARGUMENT)
    if told.reason.startswith("TOO_MANY"):
        assert has(more, QuotaFailure())
    if told.reason in ("DRAINING", "STORE_UNAVAILABLE", "MATCH_MOVING", "TOO_MANY_CALLS"):
        assert has(more, RetryInfo())


def has(details: Sequence[AnyMessage], wanted: Message) -> bool:
    return any(detail.Unpack(wanted) for detail in details)


def test_every_class_has_its_way_and_every_way_its_example() -> None:
    modules = (engine, core, app, contests, asked, answers, sessions, watching, referee, door)
    classes = {
        cls
        for module in modules
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, Refusal) and cls not in (Refusal, core.MatchError)
    }
    assert classes <= {cls for why in EXAMPLES for cls in type(why).__mro__}
    assert WAYS.keys() <= {cls for why in EXAMPLES for cls in type(why).__mro__}


@pytest.mark.parametrize(
    "why",
    [
        core.BadTimeControl("main_us", "is more than 0"),
        core.BadSetup("grace_us", "is more than 0"),
        core.BadSetup("start_within_us", "is from 0 to ten years"),
    ],
    ids=lambda why: why.details["field"],
)
def test_a_field_that_is_to_blame_is_named_as_the_contract_names_it(why: core.MatchError) -> None:
    told = said(why)
    assert told
    assert told.blamed.endswith(told.metadata["field"])
    assert told.metadata["field"].endswith("_ms")
    assert "_us" not in f"{told.sentence} {told.metadata}"


def test_in_a_stream_a_refusal_has_the_number_of_its_reason() -> None:
    told = said(engine.UnknownGame("x", "toc"))
    assert told
    assert refusal_of(told).reason == refusal_pb2.REFUSAL_REASON_UNKNOWN_GAME


def test_a_bug_is_no_refusal_and_says_nothing_but_its_number() -> None:
    assert said(KeyError("secret")) is None
    told = fault("f1")
    assert (told.reason, told.metadata) == ("REFEREE_FAULT", {"fault_id": "f1"})
    assert "secret" not in told.sentence
