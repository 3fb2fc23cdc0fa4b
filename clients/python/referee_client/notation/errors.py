"""What is said of a text that is none of a game's."""


class Unreadable(ValueError):
    """The text is no move, or no position, of this game."""

    def __init__(self, what: str, text: str) -> None:
        super().__init__(f"this is no {what}: {text!r}")
