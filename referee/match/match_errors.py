"""Errors of commands and setups. An error changes nothing."""

from engines.game_errors import DetailedError, quoted


class MatchError(DetailedError):
    """Base class of the errors of a match. Errors of the game are subclasses of `engines.game_errors.GameError`."""


class BadTimeControl(MatchError):
    def __init__(self, field: str, wrong: str) -> None:
        super().__init__(f"invalid time control: {field} {wrong}", field=field, wrong=wrong)


class BadSetup(MatchError):
    """Terms of a match that are invalid or do not fit together."""

    def __init__(self, field: str, wrong: str, **details: str) -> None:
        super().__init__(f"invalid match terms: {field} {wrong}", field=field, wrong=wrong, **details)


class NotAllowedNow(MatchError):
    """A command that is not allowed in this phase of the match."""

    def __init__(self, command: str, phase: str, open_seats: str) -> None:
        sentence = f"{command} is not possible while the match is {phase}"
        super().__init__(sentence, command=command, waiting_for=open_seats or "bots")


class MatchOver(MatchError):
    def __init__(self, result: str) -> None:
        super().__init__(f"the match is over: {result}", result=result)


class NoSuchSeat(MatchError):
    def __init__(self, seat: int, seats: int) -> None:
        super().__init__(
            f"there is no seat {seat}; seats are 0 to {seats - 1}", field="seat", wrong="there is no such seat"
        )


class SeatHeld(MatchError):
    def __init__(self, seat: int, by: str) -> None:
        super().__init__(f"seat {seat} is held by {by}", seat=str(seat), by=by)


class SeatsOpen(MatchError):
    def __init__(self, seats: tuple[int, ...]) -> None:
        listed = ", ".join(map(str, seats))
        super().__init__(f"seats are still open: {listed}", waiting_for=listed)


class SeatOut(MatchError):
    def __init__(self, seat: int) -> None:
        super().__init__(f"seat {seat} has dropped out of the match", seat=str(seat))


class NotWithdrawable(MatchError):
    """A bot that cannot be taken out of this match."""

    def __init__(self, bot: str, why: str) -> None:
        super().__init__(f"{bot} cannot be withdrawn: {why}", bot=bot, why=why)


class StaleTurn(MatchError):
    """An answer to a turn that is not pending, or no longer pending, for the seat."""

    def __init__(self, token: str, current: str) -> None:
        now = f"the pending turn is {current}" if current else "the seat has no pending turn"
        super().__init__(f"{quoted(token)} is not the token of a pending turn; {now}", token=token, current=current)


class NonceRefused(MatchError):
    def __init__(self, wrong: str) -> None:
        super().__init__(f"nonce rejected: {wrong}", field="nonce", wrong=wrong)


class DrawNotClaimable(MatchError):
    """A draw was offered, accepted, declined or claimed where that is not possible."""

    def __init__(self, why: str) -> None:
        super().__init__(f"no draw is possible: {why}", why=why)


class DrawOfferedBefore(MatchError):
    """The seat has a pending draw offer, or its offer was declined in this position."""

    def __init__(self, why: str) -> None:
        super().__init__(f"the seat has already offered a draw: {why}", why=why)


class TooLateToAbort(MatchError):
    def __init__(self) -> None:
        super().__init__("a seat can abort the match only before its first move; resign instead")


class BadVerdict(MatchError):
    """An adjudication that does not fit the match."""

    def __init__(self, wrong: str) -> None:
        super().__init__(f"invalid adjudication: {wrong}", field="side_scores", wrong=wrong)


class ClockExpired(MatchError):
    """The answer arrived after the flag had fallen. `details` contains the clock charge that proves it."""

    def __init__(self, row: dict[str, str]) -> None:
        super().__init__("the answer arrived after the flag had fallen", **row)


class RequestIdReused(MatchError):
    def __init__(self, request_id: str) -> None:
        super().__init__("this request id was already used for a different request", request_id=request_id)
