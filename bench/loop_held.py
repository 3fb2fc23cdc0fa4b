"""`python -m bench.loop_held [--at-length]`: how long each RPC blocks the event loop, with the largest permitted data.

Calls every method of the contract and prints the longest step of the loop during each call, the worst first: the CPU
time of the loop's thread, in milliseconds. Every call must be answered as expected; a method that is not called is an
error. The aim is at most 50 ms for each call of any role. `tests/e2e/test_loop_blocking.py` checks it.
"""

import asyncio
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path
from statistics import median
from typing import Any

import grpc
from referee_api.v1.token_pb2 import ROLE_ORGANISER
from referee_api.v1.tournament_service_pb2 import ExportFormat

from bench import large_data
from bench.loop_meter import LoopMeter, Step, calibration_ms
from referee.server.garbage_collection import frozen_survivors
from referee.server.referee_server import RefereeServer
from referee.server.setting_types import Address
from referee.server.settings import Settings
from tests.e2e.bot_connection import BotConnection, connect_bot
from tests.e2e.call_errors import parse_error
from tests.e2e.organiser import METHODS, call_with_timeout
from tests.e2e.server import TIMEOUT_S, create_organiser_token, register_bots

AIM_MS = 50
"""Maximum CPU time of one step."""
TABLE_WITHIN_S = 3_600
"""Timeout of a call. A table of 400 entrants takes a worker ten CPU seconds, and longer if other programs run."""
USUAL_CALIBRATION_MS = 6.0
"""Duration of the calibration on the machine of `docs/performance.md`, for which the aim is defined."""


class Server:
    """A server in a thread of this process."""

    def __init__(self, settings: Settings, meter: LoopMeter) -> None:
        self._settings = settings
        self._meter = meter
        self._open = threading.Event()
        self.address = self.admin = ""
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))

    @contextmanager
    def running(self) -> Iterator["Server"]:
        self._thread.start()
        assert self._open.wait(TIMEOUT_S)
        try:
            yield self
        finally:
            self._loop.call_soon_threadsafe(self._server.shutdown, 0)
            self._thread.join(TIMEOUT_S)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        with frozen_survivors(self._loop):  # As in `referee serve`.
            await self._run()

    async def _run(self) -> None:
        self._server = RefereeServer(self._settings)
        told = await self._server.open()
        self.address, self.admin = told.grpc, told.admin_token
        self._meter.measure(self._loop)
        self._open.set()
        await self._server.wait_for_shutdown()
        await self._server.close()


@dataclass(frozen=True, slots=True)
class Held:
    """How long the calls of a walk blocked the loop."""

    worst: dict[str, Step]
    """The longest step during each call, by method and number of the call."""
    calibration_ms: float
    """Duration of the calibration on this machine during the walk."""

    @property
    def allowed_ms(self) -> float:
        """The aim in CPU time of this machine, which may be slower than the reference machine, or busy."""
        return AIM_MS * max(1.0, self.calibration_ms / USUAL_CALIBRATION_MS)

    def over_the_aim(self) -> dict[str, Step]:
        return {call: step for call, step in self.worst.items() if step.cpu_ms > self.allowed_ms}


@dataclass(slots=True)
class Walk:
    """Calls methods one after the other and measures each call."""

    channel: grpc.Channel
    meter: LoopMeter
    secrets: dict[str, str]
    """Tokens by caller."""
    worst: dict[str, Step] = field(default_factory=dict)
    calibrations_ms: list[float] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def call(self, caller: str, method: str, at_most: int | None = None, **fields: Any) -> Any:
        """Return the answer; for a stream, the list of its first answers. Raises grpc.RpcError."""
        with self.measuring(method):
            answer = call_with_timeout(self.channel, method, self.secrets[caller], TABLE_WITHIN_S, fields)
            if METHODS[method].server_streaming:
                answers = list(islice(answer, at_most))
                answer.cancel()
                return answers
            return answer

    def make(self, caller: str, method: str, **fields: Any) -> Any:
        """Make a call with a new request id."""
        return self.call(caller, method, request_id=f"request {next(self.numbers)}", **fields)

    @contextmanager
    def measuring(self, method: str) -> Iterator[None]:
        """Count the steps inside the context as a call of this method."""
        self.calibrations_ms.append(calibration_ms())
        self._note("between calls")
        try:
            yield
        finally:
            self._note(method)

    def _note(self, what: str) -> None:
        number = sum(call.startswith(f"{what} #") for call in self.worst) + 1
        self.worst[f"{what} #{number}"] = self.meter.worst()

    def held(self) -> Held:
        """Return the result. Raises LookupError if a method has not been called."""
        called = {call.partition(" #")[0] for call in self.worst}
        if missing := METHODS.keys() - called:
            raise LookupError(f"the walk does not call {', '.join(sorted(missing))}")
        return Held(self.worst, median(self.calibrations_ms))


ONE, TWO, THREE, FOUR = PLAYERS = large_data.last_met()
RULES = {"game": large_data.GAME}
TERMS = {
    "rules": RULES,
    "time_control": {"rule": {"sudden_death": {"main_ms": 3_600_000}}},
    "start_timeout_ms": 600_000,
}
MANY: dict[str, Any] = {"page_size": 1000}


def measure(folder: Path, *, at_length: bool = False) -> Held:
    """Return how long each call blocked the loop.

    `at_length`: include the pairing of a late round, which takes minutes. Raises LookupError if the walk omits a
    method, or grpc.RpcError.
    """
    organiser = Address("127.0.0.1", 0)
    settings = replace(
        Settings(),
        data_dir=folder / "data",
        listen=organiser,
        http_listen=organiser,
        calls_per_minute=100_000,
        heartbeat_timeout_ms=600_000,
    )
    asyncio.run(large_data.write(settings))
    with ExitStack() as stack:
        meter = stack.enter_context(LoopMeter().metering())
        server = stack.enter_context(Server(settings, meter).running())
        channel = stack.enter_context(grpc.insecure_channel(server.address))
        ada = create_organiser_token(channel, server.admin)
        walk = Walk(channel, meter, {"admin": server.admin, "ada": ada})
        walk.secrets["x"] = register_bots(channel, ada, "x")[0]
        for bot in PLAYERS:
            walk.secrets[bot] = walk.call("ada", "BotService/CreateBotToken", bot=bot).secret
        _ask_for_games_and_tokens(walk)
        _manage_bots(walk)
        _look_at_matches(walk)
        _run_ladders(walk)
        _look_at_tournament(walk, "over")
        _look_at_tournament(walk, "played")
        _compute_standings(walk, "over")
        with walk.measuring("PlayService/Play"):
            connections = {bot: stack.enter_context(connect_bot(channel, walk.secrets[bot])) for bot in PLAYERS}
        _resign_one(walk, connections, ONE)
        if at_length:
            _end_a_round(walk, connections)
        _play_matches(walk, connections)
        _run_tournaments(walk)
        _meet_everybody(walk)
        walk.call("admin", "AdminService/Drain")
        return walk.held()


@contextmanager
def _refused(reason: str) -> Iterator[None]:
    """Expect an error with this reason."""
    try:
        yield
    except grpc.RpcError as error:
        if parse_error(error).reason != reason:
            raise


def _ask_for_games_and_tokens(walk: Walk) -> None:
    made = walk.call("admin", "AdminService/CreateToken", role=ROLE_ORGANISER, holder="bob", label="desk")
    walk.call("admin", "AdminService/ListTokens", **MANY)
    walk.call("admin", "AdminService/RevokeToken", token_id=made.token.id)
    walk.call("admin", "TokenService/GetOwnToken")
    walk.call("ada", "TokenService/GetOwnQuota")
    walk.call("admin", "AdminService/GetQuota", holder="ada")
    walk.call("admin", "AdminService/ListQuotas", **MANY)
    walk.call("admin", "AdminService/SetQuota", holder="bob", quota={"max_matches": 5})
    expire_time = {"seconds": 2**32}
    invited = walk.make("ada", "InvitationService/CreateInvitation", expire_time=expire_time, max_uses=100)
    for number in range(2):
        fields = {"code": invited.code, "holder": f"author-{number}"}
        walk.make("x", "InvitationService/RedeemInvitation", **fields)
    walk.call("ada", "InvitationService/ListInvitations", **MANY)
    walk.call("ada", "InvitationService/ListRedemptions", invitation_id=invited.invitation.id, **MANY)
    walk.call("ada", "InvitationService/RevokeInvitation", invitation_id=invited.invitation.id)
    for game in walk.call("x", "GameService/ListGames").games:
        walk.call("x", "GameService/GetGame", name=game.name)
    walk.call("x", "GameService/ReadPosition", rules=RULES, max_legal_moves=1000)


def _manage_bots(walk: Walk) -> None:
    walk.make("ada", "BotService/RegisterBot", name="new")
    walk.call("ada", "BotService/UpdateBot", name="new", description="New", consent={"games": ["g" * 64] * 32})
    walk.call("x", "BotService/GetBot", name="new")
    walk.call("x", "BotService/ListBots", **MANY)
    walk.call("ada", "BotService/RegisterVersion", bot="x", version="2")
    walk.call("x", "BotService/ListVersions", bot="x", **MANY)
    token = walk.call("ada", "BotService/CreateBotToken", bot="x", label="second").token.id
    walk.call("ada", "BotService/ListBotTokens", bot="x")
    walk.call("ada", "BotService/RevokeBotToken", bot="x", token_id=token)
    walk.call("ada", "BotService/ListBotLogEntries", bot="x", page_size=1000)
    walk.call("admin", "AdminService/PauseBot", bot="x", message="It is to rest.")
    walk.call("admin", "AdminService/ResumeBot", bot="x")
    with _refused("BOT_NOT_PAUSED"):  # It would have to be paused because of its own faults.
        walk.call("ada", "BotService/ReinstateBot", name="x")


def _look_at_matches(walk: Walk) -> None:
    for which in ("m0000", large_data.LONGEST):
        walk.call("x", "MatchService/GetMatch", match_id=which)
        walk.call("x", "MatchService/WatchMatch", match_id=which)
        walk.call("x", "MatchService/WatchMatch", match_id=which, after_number=1)
        walk.call("x", "MatchService/GetRecord", match_id=which)
    walk.call("x", "MatchService/ListMatches", **MANY)
    walk.call("x", "MatchService/ListMatches", **MANY, game=large_data.GAME)


def _play_matches(walk: Walk, connections: dict[str, BotConnection]) -> None:
    seats = [{"bot": ONE}, {"bot": TWO}]

    def new_match() -> tuple[str, Any]:
        """Return its id, and the first turn that its first bot received."""
        made = walk.make("ada", "MatchService/CreateMatch", terms=TERMS, seats=seats).match.id
        turn = connections[ONE].receive("turn")
        while turn.match_id != made:
            turn = connections[ONE].receive("turn")
        return made, turn

    waiting = walk.make("ada", "MatchService/CreateMatch", terms=TERMS, seats=[{}, {}]).match.id
    walk.call("x", "MatchService/JoinMatch", match_id=waiting, seat=0)
    match_id, turn = new_match()
    with walk.measuring("PlayService/Play"):
        connections[ONE].send(
            item_id=1, move={"match_id": match_id, "turn_token": turn.turn_token, "move": turn.legal_moves[0]}
        )
        while turn.match_id != match_id or turn.seat != 1:
            turn = connections[TWO].receive("turn")
    walk.call(TWO, "MatchService/ListTurns", match_id=match_id)
    move = {"turn_token": turn.turn_token, "move": turn.legal_moves[0]}
    walk.make(TWO, "MatchService/SubmitMove", match_id=match_id, **move)
    with _refused("DRAW_NOT_CLAIMABLE"):  # None of our games lets a seat claim a draw.
        walk.make(ONE, "MatchService/ClaimDraw", match_id=match_id)
    walk.make(ONE, "MatchService/OfferDraw", match_id=match_id)
    walk.make(TWO, "MatchService/AnswerDraw", match_id=match_id, accept=True)
    walk.make(ONE, "MatchService/Resign", match_id=new_match()[0])
    walk.make("ada", "MatchService/AbortMatch", match_id=new_match()[0])
    walk.make("admin", "MatchService/WithdrawBot", match_id=new_match()[0], bot=ONE)
    walk.make(
        "admin", "AdminService/AdjudicateMatch", match_id=new_match()[0], side_scores=[1, 0], message="It is won."
    )
    walk.make("admin", "AdminService/VoidMatch", match_id=new_match()[0], message="It was a mistake.")


STRUCK: dict[str, Any] = {"kind": "CORRECTION_KIND_STRUCK", "message": "by staff"}


def _run_ladders(walk: Walk) -> None:
    walk.make("ada", "LadderService/CreateLadder", name="second", terms={"match_terms": [TERMS]})
    walk.call("x", "LadderService/GetLadder", name="main")
    walk.call("x", "LadderService/ListLadders", **MANY)
    walk.call("x", "LadderService/JoinLadder", ladder="main")
    walk.make("x", "LadderService/Challenge", ladder="main", entrants=["x", ONE])
    walk.make("ada", "LadderService/StartSeason", ladder="main")
    for all_versions in (False, True):
        walk.call("x", "LadderService/ListLadderStandings", ladder="main", all_versions=all_versions, **MANY)
    walk.call("x", "LadderService/ListRatingHistory", ladder="main", bot="x", **MANY)
    walk.make("ada", "LadderService/CorrectLadderMatch", match_id="rated1", ladder="main", **STRUCK)
    walk.call("x", "LadderService/ListRatingHistory", ladder="main", bot=ONE, **MANY)
    walk.call("x", "LadderService/WatchLadder", at_most=1, ladder="main")
    walk.call("x", "LadderService/WatchLadder", at_most=2, ladder="main", after_number=1)
    walk.call("x", "LadderService/LeaveLadder", ladder="main")
    walk.call("ada", "LadderService/PauseLadder", ladder="main")
    walk.call("ada", "LadderService/ResumeLadder", ladder="main")
    with _refused("CONTEST_NOT_OVER"):
        walk.call("x", "LadderService/GetLadderRecord", ladder="main")
    walk.call("ada", "LadderService/CloseLadder", ladder="main")


def _look_at_tournament(walk: Walk, name: str) -> None:
    """Make all queries about a tournament that has started, except for its standings."""
    walk.call("x", "TournamentService/GetTournament", name=name)
    walk.call("x", "TournamentService/ListTournaments", **MANY)
    walk.call("x", "TournamentService/ListPairings", tournament=name, **MANY)
    walk.call("x", "TournamentService/ListPairings", tournament=name, entrant=TWO, **MANY)
    walk.call("x", "TournamentService/GetCrossTable", tournament=name)
    walk.call("x", "TournamentService/WatchTournament", at_most=1, tournament=name)
    walk.call("x", "TournamentService/WatchTournament", at_most=5, tournament=name, after_number=1)


def _compute_standings(walk: Walk, name: str) -> None:
    """Query the standings twice, which a worker computes the first time, and export them in every format."""
    for _ in range(2):
        walk.call("x", "TournamentService/GetTournamentStandings", tournament=name)
    for form in ExportFormat.values()[1:]:
        walk.call("x", "TournamentService/ExportTournament", tournament=name, format=form)


def _resign_one(walk: Walk, connections: dict[str, BotConnection], player: str) -> None:
    """Resign the next match of a player."""
    match_id = connections[player].receive("turn").match_id
    walk.make(player, "MatchService/Resign", match_id=match_id)


def _end_a_round(walk: Walk, connections: dict[str, BotConnection]) -> None:
    """Play the last match of a round of `played`, after which the next round is paired."""
    _resign_one(walk, connections, THREE)
    with walk.measuring("TournamentService/WatchTournament"):
        _await_round(walk, "played", large_data.ROUNDS + 1)


def _await_round(walk: Walk, name: str, number: int) -> None:
    """Watch the tournament until this round is planned."""
    secret = walk.secrets["x"]
    watched = call_with_timeout(
        walk.channel, "TournamentService/WatchTournament", secret, TABLE_WITHIN_S, {"tournament": name}
    )
    for answer in watched:
        whole = [item.snapshot.tournament.current_round for item in answer.items if item.HasField("snapshot")]
        begun = [item.entry.round_started.round for item in answer.items if item.HasField("entry")]
        if number in [*whole, *begun]:
            break
    watched.cancel()


def _run_tournaments(walk: Walk) -> None:
    terms = {"match_terms": TERMS, "swiss": {"rounds": 3}, "max_requested_byes": 1}
    entrants = [{"bots": [{"bot": bot}]} for bot in large_data.NAMES]
    walk.make("ada", "TournamentService/CreateTournament", name="new", terms=terms, entrants=entrants)
    walk.call("ada", "TournamentService/RequestBye", tournament="new", entrant=large_data.NAMES[0], round=1, kind=1)
    walk.call("ada", "TournamentService/EnterTournament", tournament="entry", entrant={"bots": [{"bot": "x"}]})
    walk.call("ada", "TournamentService/WithdrawEntrant", tournament="entry", entrant="x")
    walk.call("ada", "TournamentService/StartTournament", name="entry")
    _pair_by_hand(walk, "entry", 1)
    walk.call("ada", "TournamentService/WithdrawEntrant", tournament="played", entrant="bot7")
    for name in ("played", "over"):
        match_id = f"{name}-{large_data.ROUNDS}.9"
        walk.make("ada", "TournamentService/CorrectTournamentMatch", tournament=name, match_id=match_id, **STRUCK)
    walk.call("ada", "TournamentService/CancelTournament", name="played")
    walk.call("x", "TournamentService/GetTournamentRecord", tournament="played")
    walk.call("ada", "TournamentService/CancelTournament", name="entry")


def _meet_everybody(walk: Walk) -> None:
    """Start a round robin, and end it."""
    walk.call("ada", "TournamentService/StartTournament", name="everybody")
    walk.call("x", "TournamentService/ListPairings", tournament="everybody", **MANY)
    walk.call("ada", "TournamentService/WithdrawEntrant", tournament="everybody", entrant="bot7")
    _act_as_staff(walk)
    walk.call("ada", "TournamentService/CancelTournament", name="everybody")


def _pair_by_hand(walk: Walk, name: str, number: int) -> None:
    """Exchange the opponents of two pairings of a round that have not begun."""
    listed = walk.call("ada", "TournamentService/ListPairings", tournament=name, round=number, page_size=1_000)
    entrants = [list(pairing.entrants) for pairing in listed.pairings if not pairing.match_ids]
    entrants[0][0], entrants[1][0] = entrants[1][0], entrants[0][0]
    by_hand = [{"entrants": names} for names in entrants]
    act: dict[str, Any] = {"tournament": name, "round": number, "message": "by staff"}
    walk.call("ada", "TournamentService/PairRound", pairings=by_hand, **act)


def _act_as_staff(walk: Walk) -> None:
    """Change a pairing of the round robin, and a round of a Swiss tournament that nobody can play yet."""
    act: dict[str, Any] = {"tournament": "everybody", "message": "by staff"}
    listed = walk.call("ada", "TournamentService/ListPairings", tournament="everybody", page_size=1)
    (first,) = listed.pairings
    walk.call("ada", "TournamentService/PostponePairing", pairing_id=first.id, until={"seconds": 1}, **act)
    walk.call("ada", "TournamentService/DeclareAbsent", pairing_id=first.id, entrants=first.entrants[:1], **act)
    walk.call("ada", "TournamentService/ReopenPairing", pairing_id=first.id, **act)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        held = measure(Path(folder), at_length="--at-length" in sys.argv[1:])
    sys.stdout.write(f"calibration {held.calibration_ms:.1f} ms, allowed {held.allowed_ms:.0f} ms\n")
    for call, step in sorted(held.worst.items(), key=lambda item: -item[1].cpu_ms):
        sys.stdout.write(f"{step.cpu_ms:7.1f} ms {call} ({step.of[:100]})\n")
    sys.exit(1 if held.over_the_aim() else 0)


if __name__ == "__main__":
    main()
