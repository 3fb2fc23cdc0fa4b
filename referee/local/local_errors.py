"""Errors in the input of local contests."""

from engines.refusals import Refusal, quoted


class BadPlan(Refusal):
    """Invalid value in a plan."""

    def __init__(self, where: str, wrong: str) -> None:
        super().__init__(f"{where}: {wrong}", where=where, wrong=wrong)


class BadEntrant(Refusal):
    """Invalid notation of a bot."""

    def __init__(self, given: str, wrong: str) -> None:
        super().__init__(f"the bot {quoted(given)} {wrong}", given=given, wrong=wrong)


class BadClock(Refusal):
    """Invalid time control."""

    def __init__(self, given: object, wrong: str) -> None:
        super().__init__(f"the clock {quoted(given)} {wrong}", given=str(given), wrong=wrong)


class TermsChanged(Refusal):
    """The results folder contains a match of this name with other terms."""

    def __init__(self, file: str, differing: str) -> None:
        super().__init__(
            f"{file} was played with other {differing}; choose another folder with --out",
            file=file,
            differing=differing,
        )


class InvalidRecordFile(Refusal):
    """A file of the results folder is not a record."""

    def __init__(self, file: str, verdict: str) -> None:
        super().__init__(f"{file} is not a valid record ({verdict}); remove it", file=file, verdict=verdict)
