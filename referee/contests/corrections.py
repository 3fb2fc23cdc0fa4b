"""Corrections of finished matches by staff: a result is struck, replaced by another one, or restored as it was played.

A correction is an event with a reason and the holder of the token. What was played stays in the log of the contest and
in the record of the match. The last correction of a match counts.
"""

from collections.abc import Mapping
from itertools import islice

from msgspec import Struct
from referee_values import CorrectionKind

from referee.contests.contest_errors import BadRanks
from referee.match.match_errors import RequestIdReused

MAX_KNOWN_REQUESTS = 1_000
"""Limit of requests for corrections that one contest remembers; the oldest are forgotten first."""


class Correction(Struct, frozen=True, gc=False):
    """What staff decided about one match."""

    request: str
    match_id: str
    kind: CorrectionKind
    ranks: tuple[int, ...]
    """Rank of each side of the game, from 1, if the result is corrected; otherwise empty."""
    message: str
    """Reason in one sentence."""
    by: str
    """Holder of the token of the caller."""


def check_ranks(correction: Correction, sides: int) -> None:
    """Raise BadRanks unless a corrected result ranks each side, and other corrections rank none."""
    ranks = correction.ranks
    if correction.kind != "corrected":
        if ranks:
            raise BadRanks("must be empty unless the result is corrected")
        return
    if len(ranks) != sides:
        raise BadRanks(f"must be {sides}, one for each side, not {len(ranks)}")
    if any(rank != 1 + sum(other < rank for other in ranks) for rank in ranks):
        raise BadRanks("must count from 1, and a shared rank must be followed by as many skipped ones")


def changes_nothing(correction: Correction, last: Correction | None) -> bool:
    """Return whether an equal correction is in effect already. `last`: the one that counts now; None: there is none."""
    if last is None:
        return correction.kind == "restored"
    return (correction.kind, correction.ranks) == (last.kind, last.ranks)


def is_known(requests: Mapping[str, Correction], correction: Correction) -> bool:
    """Return whether the request was made before. Raises RequestIdReused if it was another one."""
    known = requests.get(correction.request)
    if known and known != correction:
        raise RequestIdReused(correction.request)
    return known is not None


def with_request(requests: Mapping[str, Correction], correction: Correction) -> Mapping[str, Correction]:
    """Return the known requests with one more, without the oldest if there are too many."""
    newest = islice(requests.items(), max(0, len(requests) + 1 - MAX_KNOWN_REQUESTS), None)
    return {**dict(newest), correction.request: correction}
