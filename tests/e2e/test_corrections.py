"""Results that staff strike and correct on a real server, which is killed in between."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from referee_api.v1 import contest_pb2

from tests.e2e.contests import call_for_ladder, call_for_tournament, decide_match, start_tournament
from tests.e2e.organiser import Organiser, killable_server
from tests.e2e.server_metrics import error_log_lines
from tests.e2e.test_operator_commands import run

pytestmark = pytest.mark.slow

LADDER, TOURNAMENT = "ladder", "tournament"


def decide_next(organiser: Organiser, kind: str, done: list[str]) -> str:
    """Let the first side win the next match of a contest, wait until it is counted, and return its id."""
    for seat in range(len(organiser.bots)):
        organiser.connection(seat)
    match_id = ""
    watched = watch(organiser, kind)
    for entry in watched:
        if not match_id and is_in_play(entry) and entry.pairing.match_ids[-1] not in done:
            match_id = entry.pairing.match_ids[-1]
            decide_match(organiser, match_id)
        if match_id and (has_rated(entry, match_id) if kind == LADDER else is_done(entry, match_id)):
            done.append(match_id)
            return match_id
    raise AssertionError("the contest ended without another match")


def watch(organiser: Organiser, kind: str) -> Iterator[Any]:
    service = kind.capitalize()
    for response in organiser.call(f"{service}Service/Watch{service}", **{kind: organiser.name}, after_number=0):
        for item in response.items:
            if item.HasField("entry"):
                yield item.entry


def is_in_play(entry: Any) -> bool:
    return bool(entry.pairing.phase == contest_pb2.PAIRING_PHASE_PLAYING)


def has_rated(entry: Any, match_id: str) -> bool:
    return bool(entry.match_rated.match_id == match_id)


def is_done(entry: Any, match_id: str) -> bool:
    return entry.pairing.phase == contest_pb2.PAIRING_PHASE_DONE and match_id in entry.pairing.match_ids


def correct(organiser: Organiser, kind: str, match_id: str, decided: str, *ranks: int, request_id: str = "") -> Any:
    fields = {"match_id": match_id, "kind": f"CORRECTION_KIND_{decided}", "ranks": ranks, "message": "a bug"}
    call = call_for_ladder if kind == LADDER else call_for_tournament
    method = f"Correct{kind.capitalize()}Match"
    return call(organiser, method, request_id=request_id or f"{match_id} {decided} {ranks}"[:64], **fields)


def points(organiser: Organiser) -> dict[str, float]:
    rows = call_for_tournament(organiser, "GetTournamentStandings").standings
    return {row.entrant: row.points for row in rows}


def standings(organiser: Organiser, season: int = 0) -> list[tuple[Any, ...]]:
    """Return names, ratings and records, the best first; whether a bot is online or the day changes does not matter."""
    rows = call_for_ladder(organiser, "ListLadderStandings", season=season).standings
    return [(row.entrant.name, row.rating.value, row.rating.matches, row.wins, row.draws, row.losses) for row in rows]


def test_a_result_is_corrected_in_mid_tournament_and_after_its_end(tmp_path: Path) -> None:
    with killable_server(tmp_path) as (organiser, kill_and_restart):
        start_tournament(organiser, round_robin={"cycles": 2}, max_concurrent_matches=1)
        done: list[str] = []
        first = decide_next(organiser, TOURNAMENT, done)
        pairing = correct(organiser, TOURNAMENT, first, "CORRECTED", 2, 1).pairing
        winner, loser = pairing.entrants[1], pairing.entrants[0]
        record = organiser.call("MatchService/GetMatch", match_id=first).match.result
        kill_and_restart()
        assert points(organiser) == {winner: 1, loser: 0}
        assert correct(organiser, TOURNAMENT, first, "CORRECTED", 2, 1).pairing == pairing
        second = decide_next(organiser, TOURNAMENT, done)
        list(watch(organiser, TOURNAMENT))  # It ends with the tournament.
        before = points(organiser)
        assert sum(before.values()) == 2
        struck = run(organiser, organiser.token, TOURNAMENT, "strike", organiser.name, second, "--message", "arranged")
        assert second in struck or "0" in struck
        kill_and_restart()
        assert points(organiser) == {winner: 1, loser: 0}
        kinds = [fix.kind for row in call_for_tournament(organiser, "ListPairings").pairings for fix in row.corrections]
        assert kinds == [contest_pb2.CORRECTION_KIND_CORRECTED, contest_pb2.CORRECTION_KIND_STRUCK]
        corrected = [
            entry.score_corrected for entry in watch(organiser, TOURNAMENT) if entry.HasField("score_corrected")
        ]
        assert [(event.correction.by, event.correction.message) for event in corrected] == [
            ("organiser", "a bug"),
            ("organiser", "arranged"),
        ]
        assert organiser.call("MatchService/GetMatch", match_id=first).match.result == record
        report = run(organiser, organiser.token, "report", organiser.name)
        assert f"{second} struck: arranged (organiser)" in report
        assert not list(error_log_lines(organiser.server))
