"""Appends to the logs of matches and contests, encoded for a database; and rows of a database, decoded."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from referee.hosting.contest_log import ContestEvent
from referee.live.ports import UNREADABLE, Append, CoAppend, Entry, LogDamaged
from referee.storage.codec import CONTEST_CODEC, MATCH_CODEC, decode_request, encode_request


class ContestAppend(NamedTuple):
    """An append to the log of one contest, encoded."""

    co_append: CoAppend[ContestEvent]
    lines: Sequence[str]


class EncodedAppend(Struct, frozen=True):
    """An append to the log of one match, encoded."""

    append: Append
    lines: Sequence[str]
    """One for each event."""
    request: str | None
    contest_append: ContestAppend | None
    """The encoded `co_append`."""


def encode_append(append: Append) -> EncodedAppend:
    """Encode the events. Raises what makes one impossible to write."""
    return EncodedAppend(
        append,
        list(map(MATCH_CODEC.encode, append.events)),
        encode_request(append.request) if append.request else None,
        encode_contest_append(append.co_append) if append.co_append else None,
    )


def encode_contest_append(co_append: CoAppend[ContestEvent]) -> ContestAppend:
    """Encode the events. Raises MalformedEntry."""
    return ContestAppend(co_append, [CONTEST_CODEC.encode(event) for event in co_append.events])


def contest_append_of(append: EncodedAppend | ContestAppend) -> ContestAppend | None:
    """Return the part that is written to a contest; None: there is none."""
    return append.contest_append if isinstance(append, EncodedAppend) else append


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
