"""Why something was not done to a referee's memory."""


class NotDone(Exception):
    """Nothing was changed. `str()` is one sentence that says why, and what to do."""
