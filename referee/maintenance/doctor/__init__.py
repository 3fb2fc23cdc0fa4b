"""Checks of a server's environment: `referee doctor`. They change nothing.

- `examination`: runs all checks, including those of the settings and the process
- `finding`: a finding and its severity
- `data_checks`: data directory, disk, database and contest logs
- `token_checks`: tokens
- `clock_checks`: monotonic clock and wall clock
- `port_checks`: ports
- `certificate_checks`: TLS files
"""
