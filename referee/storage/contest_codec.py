"""The lines of a contest's events, as its log holds them (see `line`).

Lines of older versions are lifted here, and nowhere else.
"""

from referee.app.contests import events
from referee.app.contests.events import ContestEvent
from referee.contest import formats
from referee.contest import ladder_events as ladder
from referee.contest import match_events as match
from referee.contest import tournament_events as tournament
from referee.contest.formats import Format
from referee.storage import codec
from referee.storage.forms import KIND, Data, Form, kinds_of
from referee.storage.line import Lift, Lines

VERSION = 2


def _with_rate(data: dict[str, Data]) -> dict[str, Data]:
    """Ladders had none."""
    if data.get(KIND) == "ladder_made" and isinstance(data.get("terms"), dict):
        return {**data, "terms": {**data["terms"], "matches_per_hour": 0}}
    return data


LIFTS: dict[int, Lift] = {1: _with_rate}

FORMATS: dict[str, type] = {
    "round_robin": formats.RoundRobin,
    "swiss": formats.Swiss,
    "elimination": formats.Elimination,
    "gauntlet": formats.Gauntlet,
    "pools": formats.Pools,
    "trial": formats.Trial,
}

KNOWN: dict[object, Form] = {**codec.KNOWN, Format: kinds_of(FORMATS, codec.KNOWN)}
"""The forms that do not follow from the type."""

EVENTS: dict[str, type] = {
    "ladder_made": events.LadderMade,
    "joined": ladder.Joined,
    "left": ladder.Left,
    "ladder_paired": ladder.Paired,
    "rated": ladder.Rated,
    "season_began": ladder.SeasonBegan,
    "ladder_paused": ladder.Paused,
    "ladder_resumed": ladder.Resumed,
    "closing": ladder.Closing,
    "closed": ladder.Closed,
    "tournament_made": events.TournamentMade,
    "entered": tournament.Entered,
    "withdrew": tournament.Withdrew,
    "started": tournament.Started,
    "tournament_paired": tournament.Paired,
    "began": match.Began,
    "scored": match.Scored,
    "voided": match.Voided,
    "ended": tournament.Ended,
}

_LINES: Lines[ContestEvent] = Lines(EVENTS, KNOWN, VERSION, LIFTS)

encode = _LINES.encode
decode = _LINES.decode
