"""PGN of matches of chess: headers, moves in SAN with the score and clock after each, and the result.

It needs python-chess. Without that there is no chess either, so nobody who has a match of it lacks it.
"""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from chess import Board
from chess.engine import Cp, PovScore
from chess.pgn import Game, StringExporter
from msgspec import UNSET

from engines.registry import find
from referee.live.match_request import LADDER, PAIRING, TITLE, TOURNAMENT
from referee.match.clock import Fischer, SuddenDeath, TimeControl, Untimed
from referee.match.events import MatchCreated, MovePlayed, PlayStarted
from referee.match.result import EndCause, EndKind
from referee.match.state import Match
from referee.records.describe_event import escape_unprintable
from referee.records.record_reader import RecordHistory, RecordInvalid, RecordStatus, read_history, read_record

GAME = "chess"
US = 1_000_000
UNFINISHED = "*"
ROUND = re.compile(r"[a-z]?([0-9]+\.[0-9]+)")
"""Id of a pairing in a tournament: the stage of a knockout, if any, then the round and the board."""
RESULTS: dict[tuple[int, ...], str] = {(1, 2): "1-0", (2, 1): "0-1", (1, 1): "1/2-1/2"}
"""The result by the ranks of White and Black."""


def pgn_text(history: RecordHistory) -> str:
    """Return a match of chess as PGN. A match that is not over, or is void, has the result `*`."""
    last = history.last
    game = Game()
    game.headers.update(_headers(history))
    if last.position is not None:
        game.setup(_first_board(history))
    node, controls = game.end(), last.controls
    for step in history.steps:
        event = step.entry.event
        if isinstance(event, MovePlayed):
            node = node.add_variation(node.board().parse_uci(event.move))
            left_us = controls[event.seat].limit_us(step.state.clocks[event.seat])
            if event.score is not UNSET:
                node.set_eval(PovScore(Cp(event.score), event.seat == 0))
            if left_us is not None:
                node.set_clock(left_us / US)
    game.headers["PlyCount"] = str(last.ply)
    return game.accept(StringExporter(columns=80)) + "\n"


def export_games(
    records: Iterable[tuple[str, bytes | RecordInvalid]], path: Path, skip: Callable[[str, RecordInvalid], None]
) -> int:
    """Write the matches of chess among the records as one file, and return their number.

    `skip` is called for each other record, of which nothing is written. Raises PackageMissing or OSError.
    """
    written, part = 0, path.with_name(f"{path.name}.part")
    with part.open("w", encoding="utf-8") as file:
        for name, record in records:
            try:
                if isinstance(record, RecordInvalid):
                    raise record
                file.write(pgn_text(_history(record)) + "\n")
            except RecordInvalid as trouble:
                skip(name, trouble)
            else:
                written += 1
    part.replace(path)
    return written


def _history(record: bytes) -> RecordHistory:
    """Return the match of a record. Raises RecordInvalid if it is no complete match of chess."""
    created = read_record(BytesIO(record)).entries[0].event
    if not isinstance(created, MatchCreated) or created.setup.terms.game != GAME:
        raise RecordInvalid(RecordStatus.UNKNOWN_GAME, "it is no match of chess")
    history = read_history(BytesIO(record), find)
    if history.broke_off:
        raise RecordInvalid(RecordStatus.RULES_DIFFER, history.broke_off)
    return history


def _headers(history: RecordHistory) -> dict[str, str]:
    first, last = history.first, history.last
    begun = next((step for step in history.steps if isinstance(step.entry.event, PlayStarted)), history.steps[0])
    at = datetime.fromtimestamp(begun.entry.at_ms / 1_000, UTC)
    white, black = (_written(player.bot) for player in last.players)
    labels = dict(first.setup.labels)
    board = ROUND.fullmatch(labels.get(PAIRING, ""))
    return {
        "Event": _written(next((labels[name] for name in (TITLE, TOURNAMENT, LADDER) if labels.get(name)), "")),
        "Site": "?",
        "Date": f"{at:%Y.%m.%d}",
        "Round": board[1] if board else "?",
        "White": white,
        "Black": black,
        "Result": _result(last),
        "UTCDate": f"{at:%Y.%m.%d}",
        "UTCTime": f"{at:%H:%M:%S}",
        "TimeControl": _time_control(*last.controls),
        "Termination": _termination(last),
    }


def _first_board(history: RecordHistory) -> Board:
    position = next(step.state.position for step in history.steps if step.state.position is not None)
    return Board(str(position), chess960=position.settings.flag("chess960"))


def _written(text: str) -> str:
    return escape_unprintable(text) or "?"


def _result(match: Match) -> str:
    return RESULTS.get(match.result.ranks, UNFINISHED) if match.result else UNFINISHED


def _termination(match: Match) -> str:
    """Return one of the words that PGN defines."""
    result = match.result
    if result is None:
        return "unterminated"
    if result.kind is EndKind.VOID:
        return "abandoned"
    if result.kind is EndKind.PLAYED:
        return "adjudication" if result.cause is EndCause.ADJUDICATION else "normal"
    faults = {forfeit.cause for forfeit in result.forfeits}
    return "time forfeit" if "time" in faults else "abandoned" if "disconnected" in faults else "rules infraction"


def _time_control(white: TimeControl, black: TimeControl) -> str:
    """Return the field of the header; PGN has no word for seats with different clocks, or for most controls."""
    match white if white == black else None:
        case Untimed():
            return "-"
        case SuddenDeath(main_us=main):
            return f"{main / US:g}"
        case Fischer(main_us=main, increment_us=added):
            return f"{main / US:g}+{added / US:g}"
    return "?"
