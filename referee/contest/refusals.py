"""What a contest refuses. A refusal has a class, a reason and a sentence; it changes nothing."""

from engines.refusals import Refusal, quoted, shortened


class ContestError(Refusal):
    """Base of what is said here."""


class BadTerms(ContestError):
    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"this tournament cannot be: its {field} {why}", field=field, why=why)


class NotInThisPhase(ContestError):
    def __init__(self, command: str, phase: str) -> None:
        super().__init__(f"{command} is not possible while the tournament is {phase}", command=command, phase=phase)


class NameTaken(ContestError):
    def __init__(self, name: str) -> None:
        super().__init__(f"an entrant {quoted(name)} is there already", name=shortened(name))


class NoSuchEntrant(ContestError):
    def __init__(self, name: str) -> None:
        super().__init__(f"there is no entrant {quoted(name)}", name=shortened(name))


class TooLate(ContestError):
    def __init__(self, name: str) -> None:
        super().__init__(f"{quoted(name)} comes too late to enter", name=shortened(name))


class TooFewEntrants(ContestError):
    def __init__(self, there: int, least: int) -> None:
        sentence = f"this tournament takes at least {least} entrants, and there are {there}"
        super().__init__(sentence, there=str(there), least=str(least))


class NoSuchPairing(ContestError):
    def __init__(self, pairing: str) -> None:
        super().__init__(f"there is no pairing {quoted(pairing)}", pairing=shortened(pairing))


class BadScore(ContestError):
    def __init__(self, pairing: str, why: str) -> None:
        super().__init__(f"this cannot be the score of {pairing}: it {why}", pairing=pairing, why=why)


class MalformedTrf(ContestError):
    """A tournament report that cannot be read."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line} of the tournament report {why}", line=str(line), why=why)


class NoReport(ContestError):
    def __init__(self, why: str) -> None:
        super().__init__(f"there is no TRF report of this tournament: {why}", why=why)
