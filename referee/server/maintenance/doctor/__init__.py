"""Checks of a server's environment: `referee doctor`. They change nothing.

- `examination`: runs all checks, including those of the settings and of tokens
- `finding`: a finding and its severity
- `data_checks`: data directory, disk, database and contest logs
- `database_checks`: PostgreSQL, if it is used instead
- `machine_checks`: monotonic clock, wall clock, open files and event loop
- `network_checks`: ports and TLS files
"""
