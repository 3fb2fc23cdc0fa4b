"""Errors of ladders and tournaments.

Each error is a class with one sentence and details for programs. An error changes nothing.
"""

from engines.game_errors import DetailedError, quoted, shortened


class ContestError(DetailedError):
    """Base class of the errors of contests."""


class BadTerms(ContestError):
    def __init__(self, field: str, wrong: str) -> None:
        super().__init__(f"invalid tournament terms: {field} {wrong}", field=field, wrong=wrong)


class EntrantNameTaken(ContestError):
    def __init__(self, name: str) -> None:
        super().__init__(f"an entrant named {quoted(name)} already exists", name=shortened(name))


class NotAnEntrant(ContestError):
    def __init__(self, tournament: str, entrant: str) -> None:
        shown = shortened(entrant)
        super().__init__(f"{tournament} has no entrant {quoted(entrant)}", tournament=tournament, entrant=shown)


class TournamentStarted(ContestError):
    def __init__(self, tournament: str) -> None:
        super().__init__(f"{tournament} has started and accepts no more entrants", tournament=tournament)


class TournamentNotStarted(ContestError):
    def __init__(self, tournament: str) -> None:
        super().__init__(f"{tournament} has not started", tournament=tournament)


class TournamentOver(ContestError):
    def __init__(self, tournament: str, phase: str) -> None:
        super().__init__(f"{tournament} is {phase}", tournament=tournament, phase=phase)


class WrongEntrantCount(ContestError):
    def __init__(self, tournament: str, entrants: int, wanted: str) -> None:
        sentence = f"{tournament} takes {wanted} entrants, not {entrants}"
        super().__init__(sentence, tournament=tournament, entrants=str(entrants), wanted=wanted)


class NotExportable(ContestError):
    def __init__(self, tournament: str, form: str, why: str) -> None:
        sentence = f"{tournament} cannot be exported as {form}: {why}"
        super().__init__(sentence, tournament=tournament, format=form, why=why)


class NoSuchPairing(ContestError):
    def __init__(self, pairing: str) -> None:
        super().__init__(f"there is no pairing {quoted(pairing)}", pairing=shortened(pairing))


class BadPairings(ContestError):
    """Pairings by hand that do not fit the round."""

    def __init__(self, wrong: str) -> None:
        super().__init__(f"invalid pairings: they {wrong}", field="pairings", wrong=wrong)


class PairingNotChangeable(ContestError):
    def __init__(self, pairing: str, why: str) -> None:
        super().__init__(f"pairing {pairing} cannot be changed so: {why}", pairing=pairing, why=why)


class ByeNotPossible(ContestError):
    def __init__(self, entrant: str, number: int, why: str) -> None:
        sentence = f"{entrant} cannot change its bye in round {number}: {why}"
        super().__init__(sentence, entrant=entrant, round=str(number), why=why)


class BadScore(ContestError):
    def __init__(self, pairing: str, why: str) -> None:
        super().__init__(f"invalid score of pairing {pairing}: it {why}", pairing=pairing, why=why)


class MalformedTrf(ContestError):
    """A tournament report that cannot be read."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line} of the tournament report {why}", line=str(line), why=why)


class BadRanks(ContestError):
    """The ranks of a corrected result are invalid."""

    def __init__(self, wrong: str) -> None:
        super().__init__(f"invalid ranks: they {wrong}", field="ranks", wrong=wrong)


class MatchNotCounted(ContestError):
    """A correction names a match that the contest has not counted."""

    def __init__(self, match_id: str) -> None:
        shown = shortened(match_id)
        super().__init__(f"this contest has no finished match {quoted(match_id)}", match_id=shown)


class LadderClosed(ContestError):
    def __init__(self, ladder: str) -> None:
        super().__init__(f"ladder {ladder} is closed", ladder=ladder)


class NotAMember(ContestError):
    def __init__(self, ladder: str, name: str) -> None:
        shown = shortened(name)
        super().__init__(f"{quoted(name)} is not on ladder {ladder}", ladder=ladder, bot=shown)


class AlreadyOnLadder(ContestError):
    def __init__(self, ladder: str, bot: str, entrant: str) -> None:
        super().__init__(f"{bot} is already on ladder {ladder}, as {entrant}", ladder=ladder, bot=bot, entrant=entrant)


class SameOwner(ContestError):
    """A rated match between bots of one owner: one of them could lose on purpose."""

    def __init__(self, ladder: str, entrant: str, other: str) -> None:
        sentence = f"{entrant} and {other} have the same owner, so they play no rated match on ladder {ladder}"
        super().__init__(sentence, ladder=ladder, entrants=f"{entrant}, {other}")


class WrongParticipantCount(ContestError):
    def __init__(self, what: str, given: int, wanted: int) -> None:
        super().__init__(f"{what} takes {wanted}, not {given}", given=str(given), wanted=str(wanted))
