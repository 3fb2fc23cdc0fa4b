"""What matches tell of a bot's mishaps, for its private log: flags that fell, games that were forfeited."""

from collections.abc import Sequence

from engines.api import Seat
from referee.app.bot_log import Forfeited, Late, Note, What
from referee.app.ports import Entry
from referee.app.scribe import Scribe
from referee.core.events import FlagFell, SeatForfeited
from referee.core.match import Match


class Mishaps:
    """A `floor.Listener`."""

    def __init__(self, scribe: Scribe) -> None:
        self._scribe = scribe

    def announce(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        for entry in entries:
            event = entry.event
            if isinstance(event, FlagFell):
                assert before  # A match does not begin with that.
                self._note(entry, match, event.seat, before.ply, Late(event.row, match.setup.controls[event.seat]))
            elif isinstance(event, SeatForfeited):
                forfeit = next(forfeit for forfeit in match.forfeits if forfeit.seat == event.seat)
                self._note(entry, match, event.seat, forfeit.ply, Forfeited(forfeit))

    def broke(self, match_id: str, fault: Exception) -> None:
        """That is nobody's mishap but ours."""

    def _note(self, entry: Entry, match: Match, seat: Seat, ply: int, what: What) -> None:
        player = match.players[seat]
        self._scribe.note(player.bot, Note(entry.at_ms, player.version, what, entry.match_id, seat, ply))
