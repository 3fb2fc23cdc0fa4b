"""Appends decisions to the log; the end of a rated match is written in one transaction with its rating changes.

So a crash cannot leave a result without its rating changes or the reverse, and no result is rated twice, since a match
ends once.

A failure of ratings never costs a match:

- If the log is unavailable, the match does not end. It is suspended, and decided and rated again later.
- If the log of the ladder has grown, nothing is written, and the end is rated again at once.
- If the ratings fail otherwise, the match ends unrated and the failure is reported.
"""

from collections.abc import Sequence

from referee.live.match_request import LADDER
from referee.live.ports import Append, Conflict, Entry, Request, StoreUnavailable
from referee.live.runner_dependencies import RatingWriter, RunnerDependencies
from referee.match.decision import Decision
from referee.match.events import PlayEnded
from referee.match.result import EndKind

MAX_ATTEMPTS = 10
"""How often in succession the log of a ladder may have grown before the match is suspended for a while."""

AppendedDecision = tuple[Decision, Sequence[Entry]]


async def append_decision(
    dependencies: RunnerDependencies, after: int, decided: Decision, request: Request | None
) -> AppendedDecision:
    """Append a decision after entry number `after` of its match, as the answer to the `request`.

    Return the decision as it was written, with rating changes if it ends a rated match, and its entries.
    Raises Conflict if the log of the match has grown, or StoreUnavailable.
    """
    match_id = decided.match.setup.match_id
    if dependencies.rating_writer is None or not is_rated(dependencies, decided):
        return decided, await dependencies.log.append(match_id, after, decided.events, request)
    if entries := await dependencies.others.store_end(Append(match_id, after, decided.events, request)):
        end = entries[-1].event
        return decided.rated(end.ratings) if isinstance(end, PlayEnded) and end.ratings else decided, entries
    for _ in range(MAX_ATTEMPTS):
        try:
            return await _write_rated(dependencies, dependencies.rating_writer, after, decided, request)
        except Conflict as conflict:
            if conflict.of == match_id:
                raise
    raise StoreUnavailable(f"the ladder of {match_id} grew during each of {MAX_ATTEMPTS} attempts to rate it")


async def _write_rated(
    dependencies: RunnerDependencies,
    rating_writer: RatingWriter,
    after: int,
    decided: Decision,
    request: Request | None,
) -> AppendedDecision:
    """Append a decision that ends a rated match.

    Raises Conflict, of the match or of its ladder, or StoreUnavailable.
    """
    match_id = decided.match.setup.match_id
    written: AppendedDecision | None = None
    try:
        async with rating_writer.rate(decided.match) as rating:
            rated = decided.rated(rating.changes) if rating.changes else decided
            entries = await dependencies.log.append(match_id, after, rated.events, request, rating.co_append)
            written = rated, entries
            rating.committed_ms = entries[-1].at_ms
    except Exception as fault:
        if written is None and isinstance(fault, StoreUnavailable | Conflict):
            raise
        dependencies.report_fault(match_id, fault)
    return written or (decided, await dependencies.log.append(match_id, after, decided.events, request))


def is_rated(dependencies: RunnerDependencies, decided: Decision) -> bool:
    """Return whether the decision ends a rated match. Cheap checks come first: nearly all decisions end no match."""
    end = decided.events[-1]
    if type(end) is not PlayEnded or dependencies.rating_writer is None or end.result.kind is EndKind.VOID:
        return False
    return LADDER in dict(decided.match.setup.labels)
