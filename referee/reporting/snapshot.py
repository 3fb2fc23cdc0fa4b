"""A consistent snapshot of a tournament: standings, SPRT state and pairings, parsed from the exported JSON.

Separate calls for these could return different states while matches are played. The exported JSON has all of one state.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee_api.v1 import contest_pb2, rating_pb2, sprt_pb2, tournament_pb2
from referee_api.v1.tournament_service_pb2 import GetTournamentStandingsResponse


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state of a tournament that has started."""

    phase: tournament_pb2.TournamentPhase.ValueType
    table: GetTournamentStandingsResponse
    pairings: Sequence[contest_pb2.Pairing]
    """In the order in which they were planned."""

    @property
    def match_ids(self) -> frozenset[str]:
        """Matches of the pairings that are done, which the standings include."""
        done = (pairing for pairing in self.pairings if pairing.phase == contest_pb2.PAIRING_PHASE_DONE)
        return frozenset(match_id for pairing in done for match_id in pairing.match_ids)

    def restrict(self, tournament: tournament_pb2.Tournament) -> tournament_pb2.Tournament:
        """Return a later state of the tournament without the changes since the snapshot."""
        then = tournament_pb2.Tournament()
        then.CopyFrom(tournament)
        if self.phase != tournament.phase:
            then.phase = self.phase
            then.ClearField("end_time")
        there = {row.entrant for row in self.table.standings}
        del then.entrants[:]
        then.entrants.extend(entrant for entrant in tournament.entrants if entrant.name in there)
        return then


def read_snapshot(exported: str, tie_breaks: Sequence[tournament_pb2.TieBreak.ValueType]) -> Snapshot:
    """Parse the exported JSON. `tie_breaks` are those of the tournament, in order."""
    data = json.loads(exported)
    names = [tournament_pb2.TieBreak.Name(one).removeprefix("TIE_BREAK_").lower() for one in tie_breaks]
    standings = [_standing(row, zip(tie_breaks, names, strict=True)) for row in data["standings"]]
    test = _test(data["test"]) if data["test"] else None
    return Snapshot(
        tournament_pb2.TournamentPhase.Value(f"TOURNAMENT_PHASE_{data['phase'].upper()}"),
        GetTournamentStandingsResponse(standings=standings, sprt=test),
        [_pairing(pairing) for pairing in data["pairings"]],
    )


def _standing(
    row: Mapping[str, Any], tie_breaks: Iterable[tuple[tournament_pb2.TieBreak.ValueType, str]]
) -> tournament_pb2.TournamentStanding:
    return tournament_pb2.TournamentStanding(
        tie_breaks=[
            tournament_pb2.TieBreakValue(tie_break=number, value=row["tie_breaks"][name]) for number, name in tie_breaks
        ],
        estimate=_estimate(row["estimate"]) if row["estimate"] else None,
        **{name: row[name] for name in ("rank", "entrant", "points", "wins", "draws", "losses", "forfeits", "byes")},
    )


def _test(state: Mapping[str, Any]) -> sprt_pb2.SprtState:
    return sprt_pb2.SprtState(
        verdict=sprt_pb2.SprtVerdict.Value(f"SPRT_VERDICT_{state['verdict'].upper()}"),
        llr=state["llr"],
        llr_lower=state["lower"],
        llr_upper=state["upper"],
        counts=state["counts"],
        estimate=_estimate(state["estimate"]),
        matches=state["matches"],
        expected_matches_left=state["matches_to_go"],
    )


def _estimate(data: Mapping[str, float]) -> rating_pb2.EloEstimate:
    return rating_pb2.EloEstimate(
        elo=data["elo"], low_elo=data["low"], high_elo=data["high"], superiority=data["superiority"]
    )


def _pairing(data: Mapping[str, Any]) -> contest_pb2.Pairing:
    begun = contest_pb2.PAIRING_PHASE_PLAYING if data["match_ids"] else contest_pb2.PAIRING_PHASE_PLANNED
    phase = contest_pb2.PAIRING_PHASE_DONE if data["done"] else begun
    same = {name: data[name] for name in ("id", "round", "board", "entrants", "match_ids", "points")}
    return contest_pb2.Pairing(phase=phase, void_matches=data["voided"], **same)
