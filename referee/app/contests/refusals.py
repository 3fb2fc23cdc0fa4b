"""What contests refuse beyond what their pure values refuse (`contest.refusals`).

The `details` of each are the metadata that the contract promises for its reason.
"""

from engines.refusals import Refusal, quoted, shortened
from referee.app.faults import fault_id


class ContestDamaged(Refusal):
    """Its log cannot be followed: somebody has touched the database, or the disk has. Nothing of it is changed."""

    def __init__(self, contest: str) -> None:
        fault = fault_id(contest)
        super().__init__(f"the log of {contest} is damaged; the fault is {fault} in the referee's log", fault_id=fault)


class UnknownLadder(Refusal):
    def __init__(self, name: str) -> None:
        super().__init__(f"there is no ladder {quoted(name)}", ladder=shortened(name))


class UnknownTournament(Refusal):
    def __init__(self, name: str) -> None:
        super().__init__(f"there is no tournament {quoted(name)}", tournament=shortened(name))


class AlreadyIn(Refusal):
    def __init__(self, bot: str, entrant: str) -> None:
        super().__init__(f"{bot} plays here already, as {entrant}", bot=bot, entrant=entrant)


class NotAnEntrant(Refusal):
    def __init__(self, tournament: str, entrant: str) -> None:
        shown = shortened(entrant)
        super().__init__(f"{tournament} has no entrant {quoted(entrant)}", tournament=tournament, entrant=shown)


class TournamentStarted(Refusal):
    def __init__(self, tournament: str) -> None:
        super().__init__(f"{tournament} has begun, and takes no more entrants", tournament=tournament)


class TournamentNotStarted(Refusal):
    def __init__(self, tournament: str) -> None:
        super().__init__(f"{tournament} has not begun", tournament=tournament)


class TournamentOver(Refusal):
    def __init__(self, tournament: str, phase: str) -> None:
        super().__init__(f"{tournament} is {phase}", tournament=tournament, phase=phase)


class WrongEntrantCount(Refusal):
    def __init__(self, tournament: str, entrants: str, wanted: str) -> None:
        super().__init__(
            f"{tournament} has {entrants} entrants; {wanted} are right",
            tournament=tournament,
            entrants=entrants,
            wanted=wanted,
        )


class NotExportable(Refusal):
    def __init__(self, tournament: str, form: str, why: str) -> None:
        super().__init__(f"{tournament} cannot be told as {form}: {why}", tournament=tournament, format=form, why=why)
