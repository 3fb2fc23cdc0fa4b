"""Storage adapters: the ports of `live`, `hosting` and `accounts` in SQLite, in a file or in memory, and in PostgreSQL.

- `codec`: encodes match events and contest events as lines of JSON
- `value_codec`: converts Structs to JSON values and back by msgspec, strictly, with bytes in hexadecimal
- `encoded_appends`, `account_rows`: what all databases store, as rows
- `shared_time`: clocks of a process that shares its database
- `sqlite/`: adapters for a database of one server
- `postgres/`: adapters for a database that several nodes share
- `migrations/`: the SQL files that make the schema of a database
"""
