"""Reads corrections of matches from requests for ladders and tournaments."""

from collections.abc import Iterator
from contextlib import contextmanager

from referee_api.v1 import contest_pb2, ladder_service_pb2, tournament_service_pb2

from referee.contests.corrections import Correction
from referee.match.match_errors import RequestIdReused
from referee.transport.guards.authentication import Caller
from referee.transport.services.matches import check_request_id
from referee.transport.wire.basic_types import read_word


def read_correction(
    request: ladder_service_pb2.CorrectLadderMatchRequest | tournament_service_pb2.CorrectTournamentMatchRequest,
    caller: Caller,
) -> Correction:
    """Return the correction; ids of different holders do not collide. Raises BadField."""
    check_request_id(request.request_id)
    kind = read_word(contest_pb2.CorrectionKind, request.kind, "kind")
    scoped = f"{caller.holder}/{request.request_id}"
    return Correction(scoped, request.match_id, kind, tuple(request.ranks), request.message, caller.holder)


@contextmanager
def own_request_id(request_id: str) -> Iterator[None]:
    """Name the request id in errors as the caller wrote it."""
    try:
        yield
    except RequestIdReused:
        raise RequestIdReused(request_id) from None
