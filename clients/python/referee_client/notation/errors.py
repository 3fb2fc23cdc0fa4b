"""The error for text that is not in the notation of a game."""


class Unreadable(ValueError):
    """The text is not a move, or not a position, of this game."""

    def __init__(self, what: str, text: str) -> None:
        super().__init__(f"this is not a {what}: {text!r}")
