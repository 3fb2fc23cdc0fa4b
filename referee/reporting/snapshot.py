"""How a tournament stands, from one answer of the referee: its table, its test, its pairings, and what was played.

A report needs all of these, and each has a call of its own. While matches are played, the answers of two calls tell of
two states: the table would lack a result that the cross table has. The exported JSON tells everything of one state.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee_api.v1 import contest_pb2, rating_pb2, sprt_pb2, tournament_pb2
from referee_api.v1.tournament_service_pb2 import GetTournamentStandingsResponse


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state of a tournament that has begun."""

    phase: tournament_pb2.TournamentPhase.ValueType
    table: GetTournamentStandingsResponse
    pairings: Sequence[contest_pb2.Pairing]
    """In the order of planning."""

    @property
    def match_ids(self) -> frozenset[str]:
        """The matches of the pairings that are done: these are what the table tells of, as far as they counted."""
        done = (pairing for pairing in self.pairings if pairing.phase == contest_pb2.PAIRING_PHASE_DONE)
        return frozenset(match_id for pairing in done for match_id in pairing.match_ids)

    def of_then(self, tournament: tournament_pb2.Tournament) -> tournament_pb2.Tournament:
        """The tournament, which was asked for later, without what has come about since."""
        then = tournament_pb2.Tournament()
        then.CopyFrom(tournament)
        if self.phase != tournament.phase:
            then.phase = self.phase
            then.ClearField("ended_at")
        there = {row.entrant for row in self.table.standings}
        del then.entrants[:]
        then.entrants.extend(entrant for entrant in tournament.entrants if entrant.name in there)
        return then


def read_snapshot(exported: str, tie_breaks: Sequence[tournament_pb2.TieBreak.ValueType]) -> Snapshot:
    """The snapshot that the exported JSON is. `tie_breaks`: the tournament's, in order."""
    told = json.loads(exported)
    names = [tournament_pb2.TieBreak.Name(one).removeprefix("TIE_BREAK_").lower() for one in tie_breaks]
    standings = [_standing(row, zip(tie_breaks, names, strict=True)) for row in told["standings"]]
    test = _test(told["test"]) if told["test"] else None
    return Snapshot(
        tournament_pb2.TournamentPhase.Value(f"TOURNAMENT_PHASE_{told['phase'].upper()}"),
        GetTournamentStandingsResponse(standings=standings, sprt=test),
        [_pairing(pairing) for pairing in told["pairings"]],
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
        matches_to_go=state["matches_to_go"],
    )


def _estimate(told: Mapping[str, float]) -> rating_pb2.Estimate:
    return rating_pb2.Estimate(
        elo=told["elo"], low_elo=told["low"], high_elo=told["high"], superiority=told["superiority"]
    )


def _pairing(told: Mapping[str, Any]) -> contest_pb2.Pairing:
    begun = contest_pb2.PAIRING_PHASE_PLAYING if told["match_ids"] else contest_pb2.PAIRING_PHASE_PLANNED
    phase = contest_pb2.PAIRING_PHASE_DONE if told["done"] else begun
    same = {name: told[name] for name in ("id", "round", "board", "entrants", "match_ids", "points", "voided")}
    return contest_pb2.Pairing(phase=phase, **same)
