"""Clauses for organisers: identity of requests, retries, and watches that continue."""

from google.rpc.code_pb2 import Code
from referee_api.v1 import entry_pb2, match_service_pb2

from referee.conformance.clause import require
from referee.conformance.organiser_kit import (
    BOTS,
    LAST,
    MATCH_ID,
    RECORD_LINES,
    Call,
    OrganiserKit,
    OrganiserRun,
    Scenario,
    unavailable_call,
)
from referee.transport.wire.error_mapping import WireError

RETRY_AFTER_MS = 1_500
EARLY_S = 0.1
MAIN_MS = 60_000
CUT_AFTER = 4
LATER_FIELD = bytes([0x82, 0xFA, 0x01, 0x05]) + b"later"
"""A string field with the unused number 4000."""


async def organised_match(kit: OrganiserKit) -> None:
    """The program does its task, with the token in the metadata of each call."""
    run = await kit.run(Scenario())
    _require_whole(run)
    (created,) = run.requests(match_service_pb2.CreateMatchRequest)
    request = created.request
    clock = request.terms.time_control.rule.sudden_death.main_ms
    require(request.terms.rules.game == "alquerque", f"the game is {request.terms.rules.game!r}")
    require(clock == MAIN_MS, f"the clock is {request.terms.time_control}".strip())
    require(tuple(ref.bot for ref in request.seats) == BOTS, f"the seats are {request.seats}")
    require(request.title == "conformance", f"the title is {request.title!r}")
    require(1 <= len(request.request_id) <= 64, f"the request_id is {request.request_id!r}")
    others = [call for call in run.calls if call.metadata.get("authorization") != f"Bearer {kit.token}"]
    require(not others, "a call has no authorization with its token")
    asked = [call for call in run.calls if call is not created and call.request.match_id != MATCH_ID]
    require(not asked, "a call is for another match")


async def new_request_ids(kit: OrganiserKit) -> None:
    """Another run creates another match: its request id is another one."""
    ids = {_creations(await kit.run(Scenario()))[0].request.request_id for _ in range(2)}
    require(len(ids) == 2, f"both runs have the request_id {ids}")


async def created_once(kit: OrganiserKit) -> None:
    """A creation that fails with UNAVAILABLE is repeated with the same request id, after `retry_after_ms`."""
    run = await kit.run(Scenario(creation=[unavailable_call(RETRY_AFTER_MS)]))
    _require_whole(run)
    creations = _creations(run)
    require(len(creations) == 2, f"it asked {len(creations)} times for the match")
    first, second = creations
    require(first.request == second.request, "the repeated request is another one")
    pause_s = second.at_s - first.at_s
    require(pause_s > RETRY_AFTER_MS / 1_000 - EARLY_S, f"it was repeated after {pause_s:.2f} s")


async def rejection_is_final(kit: OrganiserKit) -> None:
    """A call that is rejected is not repeated; the program shows the reason and exits with another status than 0."""
    sentence, metadata = "there is no game 'alquerque'", {"game": "alquerque", "known": ""}
    run = await kit.run(Scenario(creation=[WireError("UNKNOWN_GAME", Code.INVALID_ARGUMENT, sentence, metadata)]))
    require(len(run.calls) == 1, f"it made {len(run.calls)} calls")
    require(run.status != 0, "its exit status was 0")
    require("UNKNOWN_GAME" in run.shown(), f"it does not show the reason: {run.shown()}")


async def interrupted_watch(kit: OrganiserKit) -> None:
    """A watch that breaks continues after the last entry, and shows each entry once."""
    run = await kit.run(Scenario(watch={CUT_AFTER: unavailable_call(0), LAST - 1: unavailable_call(0)}))
    _require_whole(run)
    _require_watches(run, 0, CUT_AFTER, LAST - 1)


async def slow_watch(kit: OrganiserKit) -> None:
    """A watch that ends with SLOW_CONSUMER continues after the last entry."""
    sentence = "this watcher has fallen too far behind"
    error = WireError("SLOW_CONSUMER", Code.RESOURCE_EXHAUSTED, sentence, {"resume_after": str(CUT_AFTER)})
    run = await kit.run(Scenario(watch={CUT_AFTER: error}))
    _require_whole(run)
    _require_watches(run, 0, CUT_AFTER)


async def silent_watch(kit: OrganiserKit) -> None:
    """A watch whose connection is dead without having ended continues on another one, within about half a minute."""
    run = await kit.run(Scenario(silent_after=CUT_AFTER))
    _require_whole(run)
    watches = len(run.requests(match_service_pb2.WatchMatchRequest))
    require(watches == 2, f"it watched {watches} times")


async def interrupted_reads(kit: OrganiserKit) -> None:
    """`GetMatch` and `GetRecord` are repeated after UNAVAILABLE, and a record that broke is read from its beginning."""
    run = await kit.run(Scenario(status=[unavailable_call(0)], record=[unavailable_call(0)]))
    _require_whole(run)
    records = run.requests(match_service_pb2.GetRecordRequest)
    require(len(records) == 2, f"it asked {len(records)} times for the record")


async def hidden_and_later_entries(kit: OrganiserKit) -> None:
    """Entries that the watcher must not see, and entries of an unknown kind, count like others."""
    later = entry_pb2.Entry.FromString(entry_pb2.Entry(number=5).SerializeToString() + LATER_FIELD)
    _require_whole(await kit.run(Scenario(strange={3: entry_pb2.Entry(number=3), 5: later})))


def _creations(run: OrganiserRun) -> list[Call]:
    creations = run.requests(match_service_pb2.CreateMatchRequest)
    require(bool(creations), f"it created no match: {run.shown()}")
    return creations


def _require_whole(run: OrganiserRun) -> None:
    """Require that the program has printed all that its task asks for, once and in order."""
    require(run.status == 0, run.shown())
    wanted = [*(f"entry {number}" for number in range(1, LAST + 1)), "result played", f"record {RECORD_LINES}"]
    require(run.output == wanted, f"it printed {', '.join(run.output)}")


def _require_watches(run: OrganiserRun, *wanted: int) -> None:
    after = [call.request.after_number for call in run.requests(match_service_pb2.WatchMatchRequest)]
    require(after[: len(wanted)] == list(wanted), f"its watches continue after {after}, not {list(wanted)}")


CLAUSES = (
    organised_match,
    new_request_ids,
    created_once,
    rejection_is_final,
    interrupted_watch,
    slow_watch,
    silent_watch,
    interrupted_reads,
    hidden_and_later_entries,
)
