"""What a game says to bad input: what was wrong, and what would have been right.

Each refusal has a class, a sentence, and `details`: every variable of the sentence under its name,
so that a program can read what a person does. A refusal changes nothing.
"""

SHOWN_CHARS = 80


def quoted(text: object) -> str:
    """Bad input as a sentence may repeat it: in quotes, in ASCII, and not for pages on end."""
    return ascii(shortened(str(text)))


def shortened(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}..."


class Refusal(ValueError):
    """Bad input. `str()` is one sentence for a person."""

    def __init__(self, sentence: str, **details: str) -> None:
        super().__init__(sentence)
        self.details = details


class UnknownGame(Refusal):
    def __init__(self, name: str, known: str) -> None:
        super().__init__(f"unknown game {quoted(name)}; known: {known}", game=shortened(name), known=known)


class UnknownOption(Refusal):
    def __init__(self, option: str, known: str) -> None:
        super().__init__(f"unknown option {quoted(option)}; known: {known}", option=shortened(option), known=known)


class UnknownPreset(Refusal):
    def __init__(self, preset: str, known: str) -> None:
        super().__init__(f"unknown preset {quoted(preset)}; known: {known}", preset=shortened(preset), known=known)


class BadOption(Refusal):
    """A known option with a value that it, or its neighbours, cannot take."""

    def __init__(self, option: str, value: object, known: str) -> None:
        sentence = f"option {option} cannot be {quoted(value)}; it takes {known}"
        super().__init__(sentence, option=option, value=shortened(str(value)), known=known)


class MalformedPosition(Refusal):
    """A text that describes no position of this game under these settings."""

    def __init__(self, text: str, wrong: str) -> None:
        super().__init__(f"cannot read the position {quoted(text)}: {wrong}", position=shortened(text), wrong=wrong)


class MalformedMove(Refusal):
    """A text that no position of this game knows as a move."""

    def __init__(self, move: str, right: str) -> None:
        super().__init__(f"cannot read the move {quoted(move)}: {right}", move=shortened(move), right=right)


class IllegalMove(Refusal):
    """A move that can be read, but not played here."""

    def __init__(self, move: str, rule: str, why: str) -> None:
        shown = shortened(move)
        super().__init__(f"{shown} is not legal: {why} ({rule})", move=shown, rule=rule, why=why)


class NotYourTurn(Refusal):
    def __init__(self, seat: int, owing: tuple[int, ...]) -> None:
        who = "the game is over" if not owing else f"to move: seat {', '.join(map(str, owing))}"
        super().__init__(f"seat {seat} owes no move; {who}", seat=str(seat), owing=",".join(map(str, owing)))
