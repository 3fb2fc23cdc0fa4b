"""Maintenance of a data directory: the implementation of the commands for operators.

- `data_dir`: checks a data directory, and fills an empty one atomically
- `backup`: a consistent copy of a data directory while its server is running, and restoring it into an empty one
- `integrity_check`: replays every match, verifies the records of finished ones, and reads every contest
- `migrate`: the schema version of a database, and applying missing migrations
- `store_migration`: copies everything from a data directory to PostgreSQL, or back
- `copied_tables`, `sqlite_tables`, `postgres_tables`: the tables that it copies, and how each database stores them
- `archive`: writes old matches as record files and removes them from the database
- `token_recovery`: replaces a lost administrator token or signing key
- `postgres_upkeep`: migration and recovery in PostgreSQL
- `doctor/`: checks of a server's environment
"""
