"""Storage adapters: the ports of `live`, `hosting` and `accounts` in SQLite, in a file or in memory, and in PostgreSQL.

- `sql`: what both databases offer to the operations that are written once for them
- `stored_accounts`, `stored_invitations`, `stored_quotas`, `stored_bot_log`: accounts and what has limits
- `stored_event_log`, `stored_contest_log`: what is read of the logs alike
- `match_summaries`: rows by which matches are listed and filtered
- `stored_undelivered_ends`: results that bots have not confirmed
- `codec`: encodes match events and contest events as lines of JSON
- `value_codec`: converts Structs to JSON values and back by msgspec, strictly, with bytes in hexadecimal
- `encoded_appends`, `account_rows`: what all databases store, as rows
- `shared_time`: clocks of a process that shares its database
- `sqlite/`: a database of one server
- `postgres/`: a database that several nodes share
- `migrations/`: the SQL files that make the schema of a database
"""
