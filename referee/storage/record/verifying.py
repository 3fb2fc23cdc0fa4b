"""Is this file the record of a match, whole, unchanged, signed, and true?"""

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from engines.api import Game
from engines.refusals import UnknownGame
from referee.core.events import Opened
from referee.core.match import Match
from referee.storage.record.again import Differs, decided_again
from referee.storage.record.keys import fingerprint
from referee.storage.record.reading import Record, read
from referee.storage.record.verdict import Status, Trouble, Verdict

FindGame = Callable[[str], Game]


def verify(path: Path, expected_key: str | None, find_game: FindGame) -> Verdict:
    """What there is to say of this file. It needs no server; `find_game` raises UnknownGame.

    `expected_key` is the public key, in hexadecimal, that must have signed it; None: any may have.
    """
    try:
        with path.open("rb") as file:
            return verified(file, expected_key, find_game)
    except OSError as error:
        return Verdict(Status.UNREADABLE, f"it cannot be read: {error.strerror}")


def verified(file: BinaryIO, expected_key: str | None, find_game: FindGame) -> Verdict:
    """As `verify`, of a file that is open. Raises OSError."""
    try:
        record = read(file)
        _check_key(record, expected_key)
        match = _played_again(record, find_game)
    except Trouble as trouble:
        return trouble.verdict
    compared = "the key expected" if expected_key else "not compared with any key you trust"
    return Verdict(
        Status.FINE,
        f"match {match.setup.match_id}, {match.game.name}, {len(record.entries)} entries, {match.result}; "
        f"signed by {fingerprint(record.key)}, {compared}",
    )


def _check_key(record: Record, expected: str | None) -> None:
    if expected not in (None, record.key):
        raise Trouble(
            Status.OTHER_KEY,
            f"it is whole, but signed by {fingerprint(record.key)}, not by {fingerprint(expected)} as expected",
        )


def _played_again(record: Record, find_game: FindGame) -> Match:
    game = _game(record, find_game)
    try:
        _check_header(record)
        return decided_again([entry.event for entry in record.entries], game)
    except Differs as differs:
        raise Trouble(Status.RULES_DIFFER, str(differs)) from None


def _game(record: Record, find_game: FindGame) -> Game:
    header = record.header
    try:
        game = find_game(header.game)
    except UnknownGame as unknown:
        raise Trouble(Status.UNKNOWN_GAME, f"it is whole and signed, but cannot be played again: {unknown}") from None
    if game.version != header.game_version:
        raise Trouble(
            Status.OTHER_GAME_VERSION,
            f"it is whole and signed, but was played by version {header.game_version} of {game.name}; "
            f"known here: {game.version}",
        )
    return game


def _check_header(record: Record) -> None:
    opened, header = record.entries[0].event, record.header
    if not isinstance(opened, Opened):
        return
    says = (opened.setup.match_id, opened.setup.game, opened.setup.game_version)
    if says != (header.match_id, header.game, header.game_version):
        raise Differs(1, "it opens another match, or another game, than the first line names")
