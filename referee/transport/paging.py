"""Pages of a long list: how many, and where to go on.

A page token is the name of the last thing on the page, and the question it was given for, in disguise:
nobody is to build one by hand, and none fits another question.
"""

import asyncio
import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from google.protobuf.message import Message

from referee.app.refusals import BadField
from referee.transport.refused import BadPageToken

T = TypeVar("T")
M = TypeVar("M", bound=Message)

USUAL = 100
AT_MOST = 1_000
MAX_PAGE_BYTES = 262_144
"""Largest answer to one list call: this much stays in memory while a slow caller reads."""
MARK_BYTES = 8
NUMBER_DIGITS = 18
"""All numbers of so many digits fit into a column of a database."""


def page_size(asked: int, field: str = "page_size") -> int:
    """0 stands for the usual one. Raises BadField."""
    if asked > AT_MOST:
        raise BadField(field, f"it is {asked}; up to {AT_MOST} are right")
    return asked or USUAL


def after(request: Message) -> str:
    """The name of the last thing on the page before; empty: this is the first. Raises BadPageToken."""
    token: str = request.page_token  # type: ignore[attr-defined]  # Every request with pages has one.
    if not token:
        return ""
    try:
        read = urlsafe_b64decode(token.encode())
        mark, name = read[:MARK_BYTES], read[MARK_BYTES:].decode()
    except (Error, ValueError):
        raise BadPageToken from None
    if mark != _mark(request) or not name:
        raise BadPageToken
    return name


def number_after(request: Message) -> int:
    """The same of things that are named by numbers; 0: this is the first. Raises BadPageToken."""
    name = after(request)
    if name and not (name.isdecimal() and len(name) <= NUMBER_DIGITS):
        raise BadPageToken
    return int(name or 0)


CONVERTED_AT_ONCE = 50
"""Things of a page; a pairing takes up to 0.1 ms."""


async def page(
    request: Message, found: Sequence[T], size: int, name: Callable[[T], str], told: Callable[[T], M]
) -> tuple[list[M], str]:
    """The page, as messages, of things of which one more than its size was asked for; and the token of the next one.

    It ends before `size` where it has as many bytes as a page may have, but it has one thing at least. The event loop
    goes on between some of them and the next ones.
    """
    shown: list[M] = []
    size_bytes = 0
    for number, thing in enumerate(found[:size], 1):
        if number % CONVERTED_AT_ONCE == 0:
            await asyncio.sleep(0)
        message = told(thing)
        size_bytes += message.ByteSize()
        if shown and size_bytes > MAX_PAGE_BYTES:
            break
        shown.append(message)
    if len(shown) == len(found):
        return shown, ""
    return shown, page_token(request, name(found[len(shown) - 1]))


def page_token(request: Message, name: str) -> str:
    """Return the token of the page that begins after the item of that name."""
    return urlsafe_b64encode(_mark(request) + name.encode()).decode()


def parted_by_bytes(lines: Iterable[bytes], at_most: int) -> Iterator[list[bytes]]:
    """All of them, with up to so many in a message, and no more bytes than a page has, but one line at least."""
    some: list[bytes] = []
    size_bytes = 0
    for line in lines:
        if some and (len(some) == at_most or size_bytes + len(line) > MAX_PAGE_BYTES):
            yield some
            some, size_bytes = [], 0
        some.append(line)
        size_bytes += len(line)
    if some:
        yield some


def parted(things: Sequence[T], at_most: int) -> Iterator[Sequence[T]]:
    """All of them, so many in a message."""
    return (things[first : first + at_most] for first in range(0, len(things), at_most))


def _mark(request: Message) -> bytes:
    """Of the question, whichever page of it is asked for."""
    question = type(request)()
    question.CopyFrom(request)
    question.ClearField("page_token")
    question.ClearField("page_size")
    name = request.DESCRIPTOR.full_name.encode()
    return hashlib.sha256(name + question.SerializeToString(deterministic=True)).digest()[:MARK_BYTES]
