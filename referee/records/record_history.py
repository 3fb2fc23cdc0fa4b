"""Reads an unverified record for inspection: the match before and after each entry, as far as it makes sense."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.api import Game
from engines.refusals import UnknownGame
from referee.live.ports import Entry
from referee.match.events import MatchCreated
from referee.match.state import Match, create_match, evolve
from referee.records.record_format import decode_event, parse_entry, split_line
from referee.records.record_reader import RecordInvalid, RecordStatus, read_raw_lines
from referee.storage.codec import MalformedEntry


@dataclass(frozen=True, slots=True)
class RecordStep:
    """One entry, and the match before and after it."""

    before: Match
    entry: Entry
    after: Match


@dataclass(frozen=True, slots=True)
class RecordHistory:
    first: Match
    steps: tuple[RecordStep, ...]
    broke_off: str = ""
    """Why the history stops before the end of the match. Empty: it is complete."""


def read_record_history(path: Path, find_game: Callable[[str], Game]) -> RecordHistory:
    """Return the history of the match up to its end, or up to the first entry that makes no sense.

    Raises RecordInvalid if the file cannot be read, or the match cannot be created from its first entry.
    """
    try:
        with path.open("rb") as file:
            entries = list(_entries(read_raw_lines(file)))
    except OSError as error:
        raise RecordInvalid(RecordStatus.UNREADABLE, f"it cannot be read: {error.strerror}") from None
    if not entries:
        raise RecordInvalid(RecordStatus.NO_RECORD, "the entry that opens the match cannot be read")
    return _told(_opened(entries[0], find_game), entries[1:])


def _entries(lines: Iterator[bytes]) -> Iterator[Entry]:
    """Yield the entries that can be read, up to the first that is missing."""
    number = 1
    for line in lines:
        part = split_line(line)
        found = parse_entry(part.body) if part else None
        if found is None or found.number != number:
            continue
        try:
            event = decode_event(found.event)
        except MalformedEntry:
            continue
        yield Entry("", number, found.at_ms, event)
        number += 1


def _opened(entry: Entry, find_game: Callable[[str], Game]) -> Match:
    if not isinstance(entry.event, MatchCreated):
        raise RecordInvalid(RecordStatus.NO_RECORD, "its first entry opens no match")
    setup = entry.event.setup
    try:
        game = find_game(setup.game)
    except UnknownGame as unknown:
        raise RecordInvalid(RecordStatus.UNKNOWN_GAME, str(unknown)) from None
    try:
        # An unverified file may contain options that the game does not know.
        game.settings(dict(setup.settings.values))
        setup.completed(game).check(game)
        return create_match(entry.event, game)
    except Exception as broken:
        raise RecordInvalid(RecordStatus.RULES_DIFFER, f"the match cannot be opened: {broken}") from None


def _told(first: Match, entries: Sequence[Entry]) -> RecordHistory:
    steps: list[RecordStep] = []
    match = first
    for entry in entries:
        try:
            after = evolve(match, entry.event)
        except Exception as broken:  # An unverified file may contain anything.
            return RecordHistory(
                first, tuple(steps), f"entry {entry.number} makes no sense: {str(broken) or type(broken).__name__}"
            )
        steps.append(RecordStep(match, entry, after))
        match = after
    return RecordHistory(first, tuple(steps), "" if match.result else "the end of the match cannot be read")
