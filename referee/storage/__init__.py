"""Storage adapters: the ports of `live`, `hosting` and `accounts` in SQLite files or in memory.

- `codec`: encodes match events and contest events as lines of JSON
- `value_codec`: converts Structs to JSON values and back by msgspec, strictly, with bytes in hexadecimal
- `sqlite/`: adapters for a database file
- `memory`, `memory_accounts`: adapters that keep everything in memory
- `migrations/`: the SQL files that make the schema of a database
"""
