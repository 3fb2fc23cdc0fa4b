"""Pagination: page sizes, page tokens, and chunks of long streams.

A page token encodes the name of the last item of a page, and a hash of the request: it is opaque to callers, and is
rejected with a request that has other filters.
"""

import asyncio
import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from google.protobuf.message import Message

from referee.accounts.account_errors import BadField, NoSuchInvitation, NoSuchToken, NoSuchVersion
from referee.contests.contest_errors import NoSuchPairing
from referee.transport.wire.wire_errors import BadPageToken

T = TypeVar("T")
M = TypeVar("M", bound=Message)

DEFAULT_PAGE_SIZE = 100
MAX_PAGE_SIZE = 1_000
MAX_PAGE_BYTES = 262_144
"""Largest answer to one list call: this much stays in memory while a slow caller reads."""
HASH_BYTES = 8
NUMBER_DIGITS = 18
"""Numbers with this many digits fit into a database column."""


def page_size(requested: int, field: str = "page_size") -> int:
    """Return the page size; 0 stands for the default. Raises BadField."""
    if requested > MAX_PAGE_SIZE:
        raise BadField(field, f"it is {requested}; the limit is {MAX_PAGE_SIZE}")
    return requested or DEFAULT_PAGE_SIZE


def parse_page_token(request: Message) -> str:
    """Return the name of the last item of the previous page; empty: this is the first page. Raises BadPageToken."""
    token: str = request.page_token  # type: ignore[attr-defined]  # Every request with pages has one.
    if not token:
        return ""
    try:
        decoded = urlsafe_b64decode(token.encode())
        request_hash, name = decoded[:HASH_BYTES], decoded[HASH_BYTES:].decode()
    except (Error, ValueError):
        raise BadPageToken from None
    if request_hash != _hash_of(request) or not name:
        raise BadPageToken
    return name


def parse_page_number(request: Message) -> int:
    """Like `parse_page_token`, for items that are named by numbers; 0: this is the first page. Raises BadPageToken."""
    name = parse_page_token(request)
    if name and not (name.isdecimal() and len(name) <= NUMBER_DIGITS):
        raise BadPageToken
    return int(name or 0)


@contextmanager
def page_after_last() -> Iterator[None]:
    """Raise BadPageToken if the last item of the previous page does not exist."""
    try:
        yield
    except (NoSuchInvitation, NoSuchPairing, NoSuchToken, NoSuchVersion):
        raise BadPageToken from None


ITEMS_PER_YIELD = 50
"""Items converted before the event loop may run other tasks; a pairing takes up to 0.1 ms."""


async def convert_page(
    request: Message, found: Sequence[T], size: int, name: Callable[[T], str], convert: Callable[[T], M]
) -> tuple[list[M], str]:
    """Convert a page, and return its messages and the token of the next page; empty: there is none.

    `found` has one item more than `size` if there are more. The page ends early at MAX_PAGE_BYTES, but has at least one
    item. Yields to the event loop between chunks.
    """
    shown: list[M] = []
    size_bytes = 0
    for number, item in enumerate(found[:size], 1):
        if number % ITEMS_PER_YIELD == 0:
            await asyncio.sleep(0)
        message = convert(item)
        size_bytes += message.ByteSize()
        if shown and size_bytes > MAX_PAGE_BYTES:
            break
        shown.append(message)
    if len(shown) == len(found):
        return shown, ""
    return shown, make_page_token(request, name(found[len(shown) - 1]))


def make_page_token(request: Message, name: str) -> str:
    """Return the token of the page that begins after the item of that name."""
    return urlsafe_b64encode(_hash_of(request) + name.encode()).decode()


def chunks_by_bytes(lines: Iterable[bytes], max_lines: int) -> Iterator[list[bytes]]:
    """Split lines into chunks of at most `max_lines` and MAX_PAGE_BYTES, with at least one line each."""
    chunk: list[bytes] = []
    size_bytes = 0
    for line in lines:
        if chunk and (len(chunk) == max_lines or size_bytes + len(line) > MAX_PAGE_BYTES):
            yield chunk
            chunk, size_bytes = [], 0
        chunk.append(line)
        size_bytes += len(line)
    if chunk:
        yield chunk


def chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Split items into chunks of this size; the last one may be shorter."""
    return (items[first : first + size] for first in range(0, len(items), size))


def _hash_of(request: Message) -> bytes:
    """Return a hash of the request without its page."""
    filters = type(request)()
    filters.CopyFrom(request)
    filters.ClearField("page_token")
    filters.ClearField("page_size")
    name = request.DESCRIPTOR.full_name.encode()
    return hashlib.sha256(name + filters.SerializeToString(deterministic=True)).digest()[:HASH_BYTES]
