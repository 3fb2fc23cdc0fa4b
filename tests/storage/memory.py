"""What is stored in memory, for one event loop: databases of SQLite whose calls do not wait for a thread."""

from collections.abc import Callable
from functools import partial

from referee.accounts.tokens import Token
from referee.storage.sql import Operation, T
from referee.storage.sqlite.connection import run_to_end
from referee.storage.sqlite.database import BUSY_MS, Durability, Place, in_memory, open_for_writing, transaction
from referee.storage.sqlite.event_log import SqliteEventLog
from referee.storage.stored_accounts import StoredTokens, insert_token
from referee.storage.stored_undelivered_ends import StoredUndeliveredEnds


class MemoryDatabase:
    """A Database whose operations end at once."""

    def __init__(self, place: Place | None = None) -> None:
        self._connection = open_for_writing(place or in_memory(), Durability.NORMAL, BUSY_MS)

    async def read(self, query: Operation[T]) -> T:
        return self.execute(query)

    async def write(self, operation: Operation[T], *, durable: bool = True) -> T:
        with transaction(self._connection):
            return self.execute(operation)

    def execute(self, operation: Operation[T]) -> T:
        return run_to_end(operation, self._connection)


class MemoryEventLog(SqliteEventLog):
    """The logs of matches and contests."""

    def __init__(self, wall_ms: Callable[[], int]) -> None:
        self.place = in_memory()
        super().__init__(self.place, wall_ms)


class MemoryUndeliveredEnds(StoredUndeliveredEnds):
    """The results of the matches in one log that bots have not confirmed yet."""

    def __init__(self, log: MemoryEventLog) -> None:
        super().__init__(MemoryDatabase(log.place))


class MemoryTokens(StoredTokens):
    """A store with these tokens."""

    def __init__(self, *tokens: Token) -> None:
        database = MemoryDatabase()
        super().__init__(database)
        for token in tokens:
            database.execute(partial(insert_token, token=token))
