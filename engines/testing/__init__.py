"""The suite that every game passes, for games of this distribution and of others.

`suite.py` runs all checks of a game; the other modules have the checks, as functions that raise a `CheckFailure` with
the position and the move that show what is wrong. They need the extra `referee[kit]`, for JSON Schema, but no test
runner.
"""
