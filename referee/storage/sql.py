"""What both databases offer to the operations that are written once for them: statements, rows, and turns.

Parameters are `$1`, `$2`, … in the SQL, which must be understood by both. An operation is a coroutine on a connection:
in PostgreSQL it waits for each statement, and in SQLite a thread of the database runs it to its end.
"""

from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from enum import IntEnum
from typing import Any, Protocol, TypeAlias, TypeVar

T = TypeVar("T")

MAX_INTEGER = 2**63 - 1
"""Databases cannot bind larger integers."""


class TurnKind(IntEnum):
    """What operations take turns for."""

    HOLDER = 1
    BOT_LOG = 2


class SqlConnection(Protocol):
    """A connection of either database."""

    async def change(self, query: str, *values: Any) -> int:
        """Run a statement, and return how many rows it has changed."""

    async def executemany(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each row of parameters."""

    async def fetch(self, query: str, *values: Any) -> list[Any]:
        """Return all rows."""

    async def fetchrow(self, query: str, *values: Any) -> Any:
        """Return the first row; None: there is none."""

    async def fetchval(self, query: str, *values: Any) -> Any:
        """Return the first value of the first row; None: there is none."""

    def snapshot(self) -> AbstractAsyncContextManager[Any]:
        """Return a context in which all statements see the same state of the database, and change nothing."""

    def scan(self, query: str, *values: Any) -> AsyncGenerator[Any, None]:
        """Return a generator of rows that need not all be read, within a snapshot."""

    async def take_turns(self, kind: TurnKind, *names: str) -> None:
        """Wait until no other operation of this kind that has one of these names is in progress.

        An operation that locks rows, too, takes its turn first, and once, so that no two wait for each other.
        """

    async def lock_row(self, query: str, *values: Any) -> Any:
        """Return the first row, which no other operation changes until this one ends; None: there is none.

        What other statements read must be read afterwards: they see what the operation before has committed.
        """


Operation: TypeAlias = Callable[[SqlConnection], Coroutine[Any, Any, T]]


class Read(Protocol):
    async def __call__(self, query: Operation[T]) -> T:
        """Return the result of an operation that changes nothing. Raises StoreUnavailable, or what it raises."""


class Database(Protocol):
    """Runs operations. Both methods raise StoreUnavailable, or what the operation raises."""

    async def read(self, query: Operation[T]) -> T:
        """Return the result of an operation that changes nothing."""

    async def write(self, operation: Operation[T], *, durable: bool = True) -> T:
        """Return the result of an operation, which is one transaction, once it is committed.

        If it raises, nothing was changed. It is completed even if the caller is cancelled meanwhile. A power cut may
        undo what need not be `durable`.
        """


def row_limit(limit: int | None) -> int:
    """Return the value of LIMIT. None: all rows."""
    return MAX_INTEGER if limit is None else limit


def is_storable(text: str) -> bool:
    """Return whether both databases can store this text. If not, nothing is found by it."""
    return "\0" not in text


def numbered(values: Sequence[object]) -> str:
    """Return the parameters of a list of values, such as `$1, $2`."""
    return ", ".join(f"${number}" for number in range(1, len(values) + 1))
