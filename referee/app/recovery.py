"""After a start: every match that is not over stands where its log says.

What waits for its start waits on at once. The time of what is in play stands still until its bots are back,
or have been waited for long enough: a restart is not their fault. A log that its game cannot follow any
more must not keep the others waiting: that match is void, and says why.
"""

from referee.app.boards import Board
from referee.app.floor import Floor
from referee.app.ports import Conflict, LogUnavailable
from referee.app.story import Unplayable, retold
from referee.core.clock import Micros
from referee.core.events import Opened, PlayEnded
from referee.core.match import Phase
from referee.core.result import Cause, void


async def recover(floor: Floor, return_within_us: Micros) -> int:
    """Take up every match that is not over; how many. Raises LogUnavailable."""
    boards = [board for match_id in await floor.desk.log.unfinished() if (board := await _recovered(floor, match_id))]
    for board in boards:
        if board.match.phase is Phase.WAITING:
            floor.wake(board)
    until_us = floor.desk.time.monotonic_us() + return_within_us
    floor.desk.time.call_at(until_us, lambda: _wake(floor, boards))
    return len(boards)


async def _recovered(floor: Floor, match_id: str) -> Board | None:
    try:
        entries = await floor.desk.log.read(match_id)
        story = await retold(entries, floor.find_game)
    except LogUnavailable:
        raise
    except Unplayable as why:
        floor.broke(match_id, why)
        await _declare_void(floor, why)
        return None
    except Exception as fault:  # What cannot be read cannot be ended either. The others go on.
        floor.broke(match_id, fault)
        return None
    board = Board(story)
    board.tokens_told = {turn.seat: turn.token for turn in story.match.owing}
    floor.boards.add(board)
    floor.requests.note(entries)
    if story.match.phase is Phase.PLAYING:
        floor.lobby.plays(board)
    return board


async def _declare_void(floor: Floor, why: Unplayable) -> None:
    first, last = why.entries[0], why.entries[-1]
    if not isinstance(first.event, Opened):
        return  # This log is none of ours.
    end = PlayEnded(last.event.at_us, void(Cause.ENGINE_FAULT, str(why)), first.event.setup.seed)
    try:
        await floor.desk.log.append(first.match_id, last.number, [end])
    except Conflict as fault:
        floor.broke(first.match_id, fault)


def _wake(floor: Floor, boards: list[Board]) -> None:
    """They have been waited for long enough."""
    for board in boards:
        floor.wake_later(board)
