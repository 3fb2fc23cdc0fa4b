"""`python -m bench.loop_held`: for how long each rpc holds the event loop, with the largest permitted data.

Calls every rpc of the contract but `Play` and prints the longest CPU time of the loop's thread between two iterations
of the loop, in milliseconds, the worst call first. The aim is at most 50 ms for each call of any role.
"""

import asyncio
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import grpc

from bench import large_data
from referee.settings.declared import Settings
from referee.settings.kinds import Address
from referee.wiring.house import House
from tests.e2e.club import METHODS, ask
from tests.e2e.server import WITHIN_S, organiser, registered

AIM_MS = 50


class Gauge:
    """Measures for how much CPU time a loop's thread works on between two turns of the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._last_s = time.thread_time()
        self._worst_s = 0.0
        self._tick()

    def _note(self) -> None:
        now_s = time.thread_time()
        self._worst_s = max(self._worst_s, now_s - self._last_s)
        self._last_s = now_s

    def _tick(self) -> None:
        self._note()
        self._loop.call_later(0.001, self._tick)

    async def _read(self) -> float:
        self._note()
        worst_s, self._worst_s = self._worst_s, 0.0
        return worst_s

    def read(self) -> float:
        """The longest time since it was last read."""
        return asyncio.run_coroutine_threadsafe(self._read(), self._loop).result(WITHIN_S)


class Server:
    """A server in a thread of this process."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._open = threading.Event()
        self.address = self.admin = ""
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))

    @contextmanager
    def running(self) -> Iterator["Server"]:
        self._thread.start()
        assert self._open.wait(WITHIN_S)
        try:
            yield self
        finally:
            self._loop.call_soon_threadsafe(self._house.go, 0)
            self._thread.join(WITHIN_S)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._house = House(self._settings)
        told = await self._house.open()
        self.address, self.admin = told.grpc, told.admin_token
        self.gauge = Gauge(self._loop)
        self._open.set()
        await self._house.until_it_goes()
        await self._house.close()


Fields = dict[str, Any]
SEATS = [{"bot": "x"}, {"bot": "y"}]
RULES = {"game": large_data.GAME}
TERMS = {"rules": RULES, "time_control": {"rule": {"sudden_death": {"main_ms": 3_600_000}}}, "start_within_ms": 600_000}
MANY = {"page_size": 1000}
LONGEST = {"match_id": large_data.LONGEST}
MATCH = {"match_id": "m0000"}

WALK: dict[str, list[tuple[str, Fields]]] = {
    "AdminService/CreateToken": [("admin", {"role": 2, "holder": "bob"})],
    "AdminService/ListTokens": [("admin", MANY)],
    "AdminService/RevokeToken": [("admin", {"token_id": "none"})],
    "AdminService/GetQuota": [("admin", {"holder": "ada"})],
    "AdminService/SetQuota": [("admin", {"holder": "bob", "quota": {"matches_at_most": 5}})],
    "AdminService/PauseBot": [("admin", {"bot": "z"})],
    "AdminService/ResumeBot": [("admin", {"bot": "z"})],
    "AdminService/AdjudicateMatch": [("admin", MATCH | {"request_id": "a", "side_scores": [1, 0]})],
    "AdminService/VoidMatch": [("admin", LONGEST | {"request_id": "v"})],
    "BotService/RegisterBot": [("ada", {"request_id": "new", "name": "new"})],
    "BotService/UpdateBot": [("ada", {"name": "new", "description": "New"})],
    "BotService/GetBot": [("x", {"name": "x"})],
    "BotService/ListBots": [("x", MANY)],
    "BotService/RegisterVersion": [("x", {"version": "2"})],
    "BotService/ListVersions": [("x", MANY | {"bot": "x"})],
    "BotService/CreateBotToken": [("ada", {"bot": "x"})],
    "BotService/ListBotTokens": [("ada", {"bot": "x"})],
    "BotService/RevokeBotToken": [("ada", {"bot": "x", "token_id": "none"})],
    "BotService/ReturnBot": [("x", {"name": "x"})],
    "BotService/ListBotLog": [("x", {"bot": "x", "lines_at_most": 1000})],
    "GameService/ListGames": [("x", {})],
    "GameService/GetGame": [("x", {"name": name}) for name in ("alquerque", "toc", "troke", "trox")],
    "GameService/ReadPosition": [("x", {"rules": RULES, "opening": {"position": ""}})],
    "MatchService/CreateMatch": [("ada", {"request_id": "m", "terms": TERMS, "seats": SEATS})],
    "MatchService/JoinMatch": [("x", MATCH | {"seat": 0})],
    "MatchService/GetMatch": [("x", MATCH), ("x", LONGEST)],
    "MatchService/ListMatches": [
        ("x", MANY),
    ],
    "MatchService/ListTurns": [("x", {})],
    "MatchService/SubmitMove": [("x", LONGEST | {"token": "t", "move": "a1b2"})],
    "MatchService/Resign": [("x", LONGEST | {"request_id": "a"})],
    "MatchService/OfferDraw": [("x", LONGEST | {"request_id": "b"})],
    "MatchService/AnswerDraw": [("x", LONGEST | {"request_id": "c"})],
    "MatchService/ClaimDraw": [("x", LONGEST | {"request_id": "d"})],
    "MatchService/AbortMatch": [("ada", LONGEST | {"request_id": "e"})],
    "MatchService/WatchMatch": [("x", LONGEST), ("x", LONGEST | {"after": 1})],
    "MatchService/GetRecord": [("x", MATCH), ("x", LONGEST)],
    "LadderService/CreateLadder": [("ada", {"request_id": "l", "name": "second", "terms": {"match_terms": [TERMS]}})],
    "LadderService/GetLadder": [("x", {"name": "main"})],
    "LadderService/ListLadders": [("x", MANY)],
    "LadderService/JoinLadder": [("x", {"ladder": "main"})],
    "LadderService/Challenge": [("x", {"ladder": "main", "request_id": "c", "entrants": ["x", "bot1"]})],
    "LadderService/LeaveLadder": [("x", {"ladder": "main"})],
    "LadderService/StartSeason": [("ada", {"ladder": "main", "request_id": "s"})],
    "LadderService/PauseLadder": [("ada", {"ladder": "main"})],
    "LadderService/ResumeLadder": [("ada", {"ladder": "main"})],
    "LadderService/ListLadderStandings": [("x", {"ladder": "main"}), ("x", {"ladder": "main", "all_versions": True})],
    "LadderService/ListRatingHistory": [("x", MANY | {"ladder": "main", "bot": "x"})],
    "LadderService/WatchLadder": [("x", {"ladder": "main"}), ("x", {"ladder": "main", "after": 1})],
    "LadderService/CloseLadder": [("ada", {"ladder": "main"})],
    "TournamentService/CreateTournament": [
        (
            "ada",
            {"request_id": "t", "name": "new", "terms": {"match_terms": TERMS, "swiss": {"rounds": 3}}}
            | {"entrants": [{"bots": [{"bot": "x"}]}, {"bots": [{"bot": "y"}]}]},
        )
    ],
    "TournamentService/GetTournament": [("x", {"name": "played"}), ("x", {"name": "over"})],
    "TournamentService/ListTournaments": [("x", MANY)],
    "TournamentService/ListPairings": [("x", MANY | {"tournament": "over"}), ("x", MANY | {"tournament": "played"})],
    "TournamentService/GetTournamentStandings": [
        ("x", {"tournament": "over"}),
    ],
    "TournamentService/GetCrossTable": [("x", {"tournament": "over"})],
    "TournamentService/ExportTournament": [("x", {"tournament": "over", "format": form}) for form in (1, 3)],
    "TournamentService/WatchTournament": [
        ("x", {"tournament": "played"}),
        ("x", {"tournament": "over"}),
        ("x", {"tournament": "over", "after": 1}),
    ],
    "TournamentService/EnterTournament": [("ada", {"tournament": "entry", "entrant": {"bots": [{"bot": "x"}]}})],
    "TournamentService/WithdrawEntrant": [
        ("ada", {"tournament": "entry", "entrant": "bot7"}),
        ("ada", {"tournament": "played", "entrant": "bot7"}),
    ],
    "TournamentService/StartTournament": [("ada", {"name": "entry"})],
    "TournamentService/CancelTournament": [("ada", {"name": "played"}), ("ada", {"name": "entry"})],
    "PlayService/Play": [("x", {"items": [{"hello": {}}]})],
    "AdminService/Drain": [("admin", {})],
}
"""The calls of each method, in order: whose, and with which fields."""

PASSED_OVER = "PlayService/Play"
"""A stream in both directions, whose messages have tests of their own (`tests/e2e/test_flood.py`)."""


def measure(folder: Path) -> dict[str, float]:
    """For how many milliseconds each call held the loop."""
    here = Address("127.0.0.1", 0)
    settings = replace(Settings(), data_dir=folder / "data", listen=here, http_listen=here, calls_per_minute=100_000)
    asyncio.run(large_data.write(settings))
    held: dict[str, float] = {}
    with Server(settings).running() as server, grpc.insecure_channel(server.address) as channel:
        secrets = {"admin": server.admin, "ada": organiser(channel, server.admin)}
        secrets |= dict(zip("xyz", registered(channel, secrets["ada"], *"xyz"), strict=True))
        server.gauge.read()
        for method in [method for method in WALK if method != PASSED_OVER]:
            for number, (caller, fields) in enumerate(WALK[method]):
                ended = called(channel, method, secrets[caller], fields)
                held[f"{method} {number}: {ended}"] = 1000 * server.gauge.read()
    return held


def main() -> None:
    if missing := METHODS.keys() ^ WALK.keys():
        sys.exit(f"add these methods to the walk, or remove them: {', '.join(sorted(missing))}")
    with tempfile.TemporaryDirectory() as folder:
        held = measure(Path(folder))
    for call, ms in sorted(held.items(), key=lambda item: -item[1]):
        sys.stdout.write(f"{ms:7.1f} ms {'over the aim ' if ms > AIM_MS else ''}{call[:150]}\n")


def called(channel: grpc.Channel, method: str, secret: str, fields: Fields) -> str:
    """How a call ended. Of a stream that goes on for ever, the first answer is read."""
    goes_on = method.startswith("PlayService") or {"played", "main"} & {*map(str, fields.values())}
    try:
        answer = ask(channel, method, secret, **fields)
        if METHODS[method].server_streaming:
            for _ in islice(answer, 1 if goes_on else None):
                pass
            answer.cancel()
    except grpc.RpcError as error:
        return f"{error.code().name} {error.details()}"
    return "answered"


if __name__ == "__main__":
    main()
