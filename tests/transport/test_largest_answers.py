"""An answer that no page divides has room in a message of the size that gRPC clients accept by default."""

from referee_api.v1.tournament_service_pb2 import GetTournamentStandingsResponse

from referee.app.contests.tournament_tables import Row
from referee.contest.estimate import Estimate
from referee.contest.standings import Standing
from referee.contest.tiebreak import TieBreak
from referee.transport.convert.tournaments import standings_of
from referee.transport.field_limits import MAX_COUNT

DEFAULT_MESSAGE_BYTES = 4 << 20
NAME_CHARS = 40
LARGE = 10**6
"""More than any count in a row."""


def test_the_standings_of_the_largest_tournament_that_can_be_created_have_room_in_one_message() -> None:
    tie_breaks = [list(TieBreak)[-1]] * MAX_COUNT["TournamentTerms.tie_breaks"]
    standing = Standing(LARGE, "x" * NAME_CHARS, 1 / 3, (1 / 3,) * len(tie_breaks), LARGE, LARGE, LARGE, LARGE)
    row = Row(standing, LARGE, Estimate(1 / 3, 1 / 3, 1 / 3, 1 / 3))
    rows = [row] * MAX_COUNT["CreateTournamentRequest.entrants"]
    assert GetTournamentStandingsResponse(standings=standings_of(rows, tie_breaks)).ByteSize() <= DEFAULT_MESSAGE_BYTES
