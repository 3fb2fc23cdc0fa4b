"""Responses without pages fit into a message of the size that gRPC clients accept by default."""

from typing import get_args

from referee_api.v1.tournament_pb2 import TournamentTerms
from referee_api.v1.tournament_service_pb2 import CreateTournamentRequest, GetTournamentStandingsResponse
from referee_values import TieBreak

from referee.contests.strength.elo import EloEstimate
from referee.contests.tables.standings import StandingsRow
from referee.hosting.tournament_tables import TournamentRow
from referee.transport.contract_options import max_count
from referee.transport.wire.tournaments import standings_of

DEFAULT_MESSAGE_BYTES = 4 << 20
NAME_CHARS = 40
LARGE = 10**6
"""More than any count in a row."""


def test_the_standings_of_the_largest_possible_tournament_fit_into_one_message() -> None:
    tie_breaks = [get_args(TieBreak)[-1]] * max_count(TournamentTerms.DESCRIPTOR.fields_by_name["tie_breaks"])
    standing = StandingsRow(LARGE, "x" * NAME_CHARS, 1 / 3, (1 / 3,) * len(tie_breaks), LARGE, LARGE, LARGE, LARGE)
    row = TournamentRow(standing, LARGE, EloEstimate(1 / 3, 1 / 3, 1 / 3, 1 / 3))
    rows = [row] * max_count(CreateTournamentRequest.DESCRIPTOR.fields_by_name["entrants"])
    assert GetTournamentStandingsResponse(standings=standings_of(rows, tie_breaks)).ByteSize() <= DEFAULT_MESSAGE_BYTES
