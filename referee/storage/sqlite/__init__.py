"""The storage ports in one SQLite database, in a file with a write-ahead log or in memory.

- `database`: lock of a data directory; connections, transactions and migrations
- `connection`: runs operations that are written for both databases
- `store`: the writing and reading threads, which work in batches
- `event_log`: match log
- `group_commit`, `contests`: write a batch of appends to matches and contests in one transaction
"""
