"""What a record tells, proven or not: the match before and after each entry, for those who want to look."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.api import Game
from engines.refusals import UnknownGame
from referee.app.ports import Entry
from referee.core.events import Opened
from referee.core.match import Match, evolve, opened
from referee.storage.line import MalformedEntry
from referee.storage.record.lines import read_entry, whole
from referee.storage.record.reading import raw_lines
from referee.storage.record.recorded import decode
from referee.storage.record.verdict import Status, Trouble


@dataclass(frozen=True, slots=True)
class Step:
    """One entry, and the match before and after it."""

    before: Match
    entry: Entry
    after: Match


@dataclass(frozen=True, slots=True)
class Story:
    first: Match
    steps: tuple[Step, ...]
    broke_off: str = ""
    """Why it was not told to its end; empty: it was."""


def story(path: Path, find_game: Callable[[str], Game]) -> Story:
    """What this file tells, up to its end or to the first entry that makes no sense.

    Raises Trouble if it does not even say how the match began.
    """
    try:
        with path.open("rb") as file:
            entries = list(_entries(raw_lines(file)))
    except OSError as error:
        raise Trouble(Status.UNREADABLE, f"it cannot be read: {error.strerror}") from None
    if not entries:
        raise Trouble(Status.NO_RECORD, "the entry that opens the match cannot be read")
    return _told(_opened(entries[0], find_game), entries[1:])


def _entries(lines: Iterator[bytes]) -> Iterator[Entry]:
    """The entries that can be read, up to the first that is missing."""
    number = 1
    for line in lines:
        part = whole(line)
        found = read_entry(part.body) if part else None
        if found is None or found.number != number:
            continue
        try:
            event = decode(found.event)
        except MalformedEntry:
            continue
        yield Entry("", number, found.at_ms, event)
        number += 1


def _opened(entry: Entry, find_game: Callable[[str], Game]) -> Match:
    if not isinstance(entry.event, Opened):
        raise Trouble(Status.NO_RECORD, "its first entry opens no match")
    setup = entry.event.setup
    try:
        game = find_game(setup.game)
    except UnknownGame as unknown:
        raise Trouble(Status.UNKNOWN_GAME, str(unknown)) from None
    try:
        # An unproven file may hold options that the game does not know.
        game.settings(dict(setup.settings.values))
        setup.completed(game).check(game)
        return opened(entry.event, game)
    except Exception as broken:
        raise Trouble(Status.RULES_DIFFER, f"the match cannot be opened: {broken}") from None


def _told(first: Match, entries: Sequence[Entry]) -> Story:
    steps: list[Step] = []
    match = first
    for entry in entries:
        try:
            after = evolve(match, entry.event)
        except Exception as broken:  # An unproven file may say anything.
            return Story(
                first, tuple(steps), f"entry {entry.number} makes no sense: {str(broken) or type(broken).__name__}"
            )
        steps.append(Step(match, entry, after))
        match = after
    return Story(first, tuple(steps), "" if match.result else "the end of the match cannot be read")
