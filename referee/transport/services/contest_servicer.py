"""What the servicers of ladders and tournaments share: what they are made with, and reading corrections of matches."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from referee_api.v1 import ladder_service_pb2, tournament_service_pb2

from referee.contests.corrections import Correction
from referee.match.match_errors import RequestIdReused
from referee.transport.guards.authentication import Caller
from referee.transport.guards.consent_guard import ConsentGuard
from referee.transport.guards.contest_changes import ContestChanges
from referee.transport.guards.permissions import Permissions
from referee.transport.guards.rate_limit import RateLimiter
from referee.transport.services.holder_usage import ContestLimit
from referee.transport.services.matches import check_request_id
from referee.transport.services.records import ContestRecords
from referee.wire.basic_types import parse_enum
from referee.wire.contests import CORRECTION_KINDS
from referee.wire.terms import TermsConverter


@dataclass(frozen=True, slots=True)
class ContestTools:
    """What both servicers use."""

    permissions: Permissions
    consent_guard: ConsentGuard
    converter: TermsConverter
    rate_limiter: RateLimiter
    limit: ContestLimit
    changes: ContestChanges
    records: ContestRecords
    max_items_per_message: int


class ContestServicer:
    def __init__(self, tools: ContestTools) -> None:
        self._permissions = tools.permissions
        self._consent_guard = tools.consent_guard
        self._converter = tools.converter
        self._rate_limiter = tools.rate_limiter
        self._contest_limit = tools.limit
        self._contest_changes = tools.changes
        self._contest_records = tools.records
        self._max_items_per_message = tools.max_items_per_message


def read_correction(
    request: ladder_service_pb2.CorrectLadderMatchRequest | tournament_service_pb2.CorrectTournamentMatchRequest,
    caller: Caller,
) -> Correction:
    """Return the correction; ids of different holders do not collide. Raises BadField."""
    check_request_id(request.request_id)
    kind = parse_enum(CORRECTION_KINDS, request.kind, "kind")
    scoped = f"{caller.holder}/{request.request_id}"
    return Correction(scoped, request.match_id, kind, tuple(request.ranks), request.message, caller.holder)


@contextmanager
def own_request_id(request_id: str) -> Iterator[None]:
    """Name the request id in errors as the caller wrote it."""
    try:
        yield
    except RequestIdReused:
        raise RequestIdReused(request_id) from None
