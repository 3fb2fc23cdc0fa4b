"""Faults of the rules of a game, by the id under which the referee's own log says more.

A fault makes its match void, so that a match has one at the most and its id follows from the match's: it
is the same for whoever asks, now or after a restart.
"""


def fault_id(match_id: str) -> str:
    """Of the fault that made this match void."""
    return f"fault-{match_id}"
