"""SQLite adapters of the storage ports, all on one database file with a write-ahead log.

- `database`: lock of a data directory; connections, transactions and migrations
- `event_log`: match log, and undelivered results of matches
- `group_commit`: writes a batch of appends in one transaction
- `match_summaries`: rows by which matches are listed and filtered
- `contests`: contest log, written by the thread of the match log
- `store`: the writing and reading threads, which work in batches; runs functions for the adapters below
- `accounts`: bots, versions, tokens (stored as hashes) and quotas
- `bot_log`: the private log of each bot
- `invitations`, `quotas`: invitations; quotas, and what counts against them
"""
