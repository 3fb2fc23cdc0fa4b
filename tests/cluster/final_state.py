"""Reads the final logs of a ladder from a node, and checks the ladder's record by two independent programs.

`referee verify` replays every match and the ladder; tests/recomputation computes the ladder again without any code of
the referee.
"""

import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import grpc
from referee_api.v1 import token_pb2
from referee_client.errors import Refused
from referee_client.organiser.calls import Retries

from tests.cluster.checker import Broken, Violation
from tests.cluster.final_logs import FinalMatch, FinalState, RatedMatch, match_of_record
from tests.e2e.organiser import call_method
from tests.e2e.server import TIMEOUT_S
from tests.recomputation.ladder import recompute_ladder
from tests.recomputation.signed_lines import Differs, read_events

OVER = "MATCH_PHASE_OVER"
MAX_OUTPUT = 2000


def patient_call(channel: grpc.Channel, method: str, token: str, **fields: Any) -> Any:
    """Call a method, again while the node says that it cannot answer now; return the answer, or all of a stream."""
    retries = Retries(TIMEOUT_S)
    while True:
        try:
            answer = call_method(channel, method, token, **fields)
            return list(answer) if isinstance(answer, Iterator) else answer
        except grpc.RpcError as error:
            time.sleep(retries.pause_after(error))


def register(channel: grpc.Channel, admin: str, bots: Iterable[str]) -> tuple[str, dict[str, str]]:
    """Register bots of a new organiser; return its token, and that of each bot. A busy node may restart meanwhile."""
    token = patient_call(channel, "AdminService/CreateToken", admin, role=token_pb2.ROLE_ORGANISER, holder="ada").secret
    secrets = {}
    for bot in bots:
        registered = patient_call(channel, "BotService/RegisterBot", token, request_id=f"register {bot}", name=bot)
        # A request that is repeated, since its answer was lost, gets no secret.
        secrets[bot] = registered.secret or patient_call(channel, "BotService/CreateBotToken", token, bot=bot).secret
    return token, secrets


def save_record(channel: grpc.Channel, token: str, match_id: str, folder: Path) -> list[str]:
    """Write the record of a match to the folder, and return its lines."""
    parts = patient_call(channel, "MatchService/GetRecord", token, match_id=match_id)
    lines = [line for part in parts for line in part.lines]
    (folder / f"{match_id}.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return lines


def verify_records(folder: Path, contest: Path) -> str:
    """Check the record of a contest and those of its matches by `referee verify`; return what is wrong."""
    command = [sys.executable, "-m", "referee", "verify", "--records", str(folder), str(contest)]
    command += sorted(map(str, folder.glob("*.jsonl")))
    verified = subprocess.run(command, capture_output=True, text=True, timeout=5 * TIMEOUT_S, check=False)
    return verified.stdout[-MAX_OUTPUT:] + verified.stderr[-MAX_OUTPUT:] if verified.returncode else ""


class FinalLadder:
    """A closed ladder, as one node shows it."""

    def __init__(self, channel: grpc.Channel, token: str, ladder: str, folder: Path) -> None:
        """`folder` receives the records."""
        self._channel = channel
        self._token = token
        self._ladder = ladder
        self._folder = folder
        self._unreadable = ""
        """Why there is no record of the ladder, such as a match that cannot end. Empty: there is one."""
        folder.mkdir()

    def read(self) -> FinalState:
        """Return all matches and ratings, and write their records to the folder."""
        page = self._call("MatchService/ListMatches", ladder=self._ladder, page_size=1000)
        assert not page.next_page_token
        return FinalState({match.id: self._match(match) for match in page.matches}, list(self._rated()))

    def violations(self) -> list[Violation]:
        """Check the records that were read."""
        log = f"ladder/{self._ladder}"
        if self._unreadable:
            return [Violation(Broken.RATINGS_DIFFER, log, (self._unreadable,))]
        wrong = verify_records(self._folder, self._record)
        found = [wrong] if wrong else []
        try:
            recompute_ladder(self._events)
        except (Differs, AssertionError) as error:
            found.append(f"computed again: {error}")
        table = [event for event in self._events if event["kind"] == "season_standings"][-1]["rows"]
        recorded = {row["entrant"]: row["value"] for row in table}
        if recorded != (shown := self._standings()):
            found.append(f"the log has {recorded}, the server shows {shown}")
        return [Violation(Broken.RATINGS_DIFFER, log, (evidence,)) for evidence in found]

    def _call(self, method: str, **fields: Any) -> Any:
        return patient_call(self._channel, method, self._token, **fields)

    def _match(self, match: Any) -> FinalMatch:
        phase = type(match).DESCRIPTOR.fields_by_name["phase"].enum_type.values_by_number[match.phase].name
        if phase != OVER:
            return FinalMatch(match.id, [seat.bot for seat in match.seats], phase=phase)
        try:
            return match_of_record(save_record(self._channel, self._token, match.id, self._folder))
        except Refused as refused:
            return FinalMatch(match.id, [seat.bot for seat in match.seats], phase=f"unreadable: {refused}")

    def _rated(self) -> Iterator[RatedMatch]:
        try:
            parts = self._call("LadderService/GetLadderRecord", ladder=self._ladder)
        except Refused as refused:
            self._unreadable = str(refused)
            return
        text = "".join(part.text for part in parts)
        self._record = self._folder.parent / f"{self._ladder}.jsonl"
        self._record.write_text(text)
        self._events = read_events(text.encode())
        for event in self._events:
            if event["kind"] == "match_rated":
                ratings = {change["player"]["bot"]: change["after"]["rating"]["value"] for change in event["changes"]}
                yield RatedMatch(event["match_id"], tuple(event["finish"]["ranks"]), ratings)

    def _standings(self) -> dict[str, float]:
        rows = self._call("LadderService/ListLadderStandings", ladder=self._ladder, page_size=1000).standings
        return {row.entrant.name: row.rating.value for row in rows}
