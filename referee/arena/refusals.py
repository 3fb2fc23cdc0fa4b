"""What an arena says to bad input: where it stands, and what would have been right."""

from engines.refusals import Refusal, quoted


class BadPlan(Refusal):
    """Something in the plan cannot be."""

    def __init__(self, where: str, wrong: str) -> None:
        super().__init__(f"{where}: {wrong}", where=where, wrong=wrong)


class BadEntrant(Refusal):
    """A bot that is not given in any of the ways in which a bot can be given."""

    def __init__(self, given: str, wrong: str) -> None:
        super().__init__(f"the bot {quoted(given)} {wrong}", given=given, wrong=wrong)


class BadClock(Refusal):
    """A clock that cannot be read, or by which nobody could play."""

    def __init__(self, given: object, wrong: str) -> None:
        super().__init__(f"the clock {quoted(given)} {wrong}", given=str(given), wrong=wrong)


class OtherTerms(Refusal):
    """The folder holds a match of this name that was played otherwise."""

    def __init__(self, file: str, differing: str) -> None:
        super().__init__(
            f"{file} was played with other {differing} than are asked for now; choose another folder by --out",
            file=file,
            differing=differing,
        )


class NoRecord(Refusal):
    """The folder holds a file where a record should be."""

    def __init__(self, file: str, verdict: str) -> None:
        super().__init__(f"{file} is not the record of a match ({verdict}); take it away", file=file, verdict=verdict)
