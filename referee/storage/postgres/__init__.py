"""Storage in PostgreSQL, for referees that consist of several processes.

A log is continued by a compare-and-set in the database, so any process may append to any match or contest. Times that
are stored are those of the clock of PostgreSQL.
"""
