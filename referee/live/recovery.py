"""Restores all unfinished matches from their logs after a start.

Matches that wait for their start continue to wait at once. The time of matches in play stands still until their bots
are back or a time limit is over. A match whose game cannot follow its log is voided and does not delay the others.
"""

from referee.live.live_match import LiveMatch
from referee.live.match_history import UnplayableLog, replay_log
from referee.live.ports import Conflict, LogUnavailable
from referee.live.registry import LiveMatches
from referee.match.clock import Micros
from referee.match.events import MatchCreated, PlayEnded
from referee.match.result import EndCause, void_result
from referee.match.state import MatchPhase


async def recover(live: LiveMatches, return_within_us: Micros) -> int:
    """Restore every unfinished match; return their number. Raises LogUnavailable."""
    live_matches = [
        live_match
        for match_id in await live.dependencies.log.unfinished()
        if (live_match := await _recovered(live, match_id))
    ]
    for live_match in live_matches:
        if live_match.match.phase is MatchPhase.WAITING:
            live.resume(live_match)
    until_us = live.dependencies.time.monotonic_us() + return_within_us
    live.dependencies.time.call_at(until_us, lambda: _wake(live, live_matches))
    return len(live_matches)


async def _recovered(live: LiveMatches, match_id: str) -> LiveMatch | None:
    try:
        entries = await live.dependencies.log.read(match_id)
        history = await replay_log(entries, live.find_game)
    except LogUnavailable:
        raise
    except UnplayableLog as error:
        live.on_fault(match_id, error)
        await _declare_void(live, error)
        return None
    except Exception as fault:  # An unreadable match cannot be ended either. Other matches are not affected.
        live.on_fault(match_id, fault)
        return None
    live_match = LiveMatch(history)
    live_match.sent_tokens = {turn.seat: turn.token for turn in history.match.owing}
    live.index.add(live_match)
    live.requests.add(entries)
    if history.match.phase is MatchPhase.PLAYING:
        live.starter.occupy(live_match)
    return live_match


async def _declare_void(live: LiveMatches, error: UnplayableLog) -> None:
    first, last = error.entries[0], error.entries[-1]
    if not isinstance(first.event, MatchCreated):
        return  # It is not the log of a match, so nothing may be appended to it.
    end = PlayEnded(last.event.at_us, void_result(EndCause.ENGINE_FAULT, str(error)), first.event.setup.seed)
    try:
        await live.dependencies.log.append(first.match_id, last.number, [end])
    except Conflict as fault:
        live.on_fault(first.match_id, fault)


def _wake(live: LiveMatches, live_matches: list[LiveMatch]) -> None:
    """Resume matches whose bots did not return within the time limit."""
    for live_match in live_matches:
        live.resume_if_suspended(live_match)
