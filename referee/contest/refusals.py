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


class WrongEntrantCount(ContestError):
    def __init__(self, entrants: int, wanted: str) -> None:
        sentence = f"this tournament takes {wanted} entrants, and this would be {entrants}"
        super().__init__(sentence, entrants=str(entrants), wanted=wanted)


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


class LadderClosed(ContestError):
    def __init__(self, ladder: str) -> None:
        super().__init__(f"{ladder} is closed, and pairs nobody any more", ladder=ladder)


class NotAMember(ContestError):
    def __init__(self, ladder: str, name: str) -> None:
        shown = shortened(name)
        super().__init__(f"{quoted(name)} is not on {ladder}", ladder=ladder, bot=shown)


class AlreadyOn(ContestError):
    def __init__(self, ladder: str, bot: str, entrant: str) -> None:
        super().__init__(f"{bot} is on {ladder} already, as {entrant}", ladder=ladder, bot=bot, entrant=entrant)


class WrongSeats(ContestError):
    def __init__(self, what: str, given: int, wanted: int) -> None:
        super().__init__(f"{what} takes {wanted}, not {given}", given=str(given), wanted=str(wanted))
