"""Rows of the tables of matches as entries, the same for every database."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from referee.live.ports import UNREADABLE, Entry, LogDamaged
from referee.storage.codec import MATCH_CODEC, decode_request


def entry_of(row: Sequence[Any]) -> Entry:
    """Return the entry of a row. Raises LogDamaged if it cannot be decoded."""
    match_id, number, at_ms, line, request = row
    try:
        return Entry(match_id, number, at_ms, MATCH_CODEC.decode(line), decode_request(request))
    except ValueError as why:
        raise LogDamaged(match_id, number, UNREADABLE) from why


def log_of(rows: Iterable[Sequence[Any]]) -> list[Entry] | LogDamaged:
    """Return the entries of a log, or the error if one of them cannot be decoded."""
    try:
        return [entry_of(row) for row in rows]
    except LogDamaged as error:
        return error


def bots_by_match(rows: Iterable[Sequence[str]]) -> dict[str, list[str]]:
    """Return the bots of each match, from rows of a match and a bot."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for match_id, bot in rows:
        found[match_id].append(bot)
    return found
