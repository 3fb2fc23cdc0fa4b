"""Checks of what a server stands on: `referee doctor`. They change nothing.

- `examination`: runs all checks
- `finding`: a finding and its severity
- `data_checks`: disk, lock, schema and key of a data directory
- `database_checks`: PostgreSQL, if it is used instead
- `port_checks`: the ports
"""
