"""Where things are kept: in memory, or in a SQLite file."""
