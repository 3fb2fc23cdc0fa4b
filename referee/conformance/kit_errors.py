"""Exceptions of clauses."""


class ClauseFailed(Exception):
    """The bot violates the clause. `str()` says what was expected and what was received."""


class ClauseNotApplicable(Exception):
    """The clause needs something that the bot does not support, such as a game."""
