"""Appends to the logs of matches and contests, encoded for a database."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from referee.hosting.contest_log import ContestEvent
from referee.live.ports import Append, CoAppend
from referee.storage.codec import CONTEST_CODEC, MATCH_CODEC, encode_request


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
