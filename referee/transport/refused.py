"""What is refused on the wire itself, before the app is asked or in words that only the wire has."""

from engines.refusals import Refusal, shortened


class NoToken(Refusal):
    def __init__(self) -> None:
        super().__init__("this call carries no token; it travels as `authorization: Bearer TOKEN`")


class BadToken(Refusal):
    """Unknown, expired or revoked: a stranger is not told which."""

    def __init__(self) -> None:
        super().__init__("this token is good for nothing here")


class NotYours(Refusal):
    """The role does not allow it, or the thing belongs to another, or is not there; a stranger is not told which."""

    def __init__(self, method: str) -> None:
        super().__init__(f"this token does not allow {method}", method=method)


class TooManyCalls(Refusal):
    def __init__(self, limit: int, retry_after_ms: int) -> None:
        sentence = f"the limit is {limit} calls a minute; try again in {retry_after_ms} ms"
        super().__init__(sentence, limit=str(limit), retry_after_ms=str(retry_after_ms))


class TooManyCallsInFlight(Refusal):
    def __init__(self, limit: int) -> None:
        super().__init__(
            f"{limit} calls are open already, and that is the limit; wait until one of them has its answer",
            limit=str(limit),
        )


class TooManyStreams(Refusal):
    def __init__(self, limit: int) -> None:
        super().__init__(f"there can be no more open streams: the limit is {limit}", limit=str(limit))


class MessageTooLarge(Refusal):
    def __init__(self, size: int, limit: int) -> None:
        sentence = f"the message has {size} bytes; up to {limit} are read"
        super().__init__(sentence, size_bytes=str(size), limit_bytes=str(limit))


class BadPageToken(Refusal):
    def __init__(self) -> None:
        super().__init__("this page token was not given by this referee, or for another question")


class HelloExpected(Refusal):
    def __init__(self, item: str) -> None:
        said = f"not {shortened(item)}" if item else "and none came in time"
        super().__init__(f"the first item of a Play stream is a Hello, {said}", item=item)


class HeartbeatLost(Refusal):
    def __init__(self, silent_ms: int) -> None:
        super().__init__(f"no pong has come for {silent_ms} ms", silent_ms=str(silent_ms))


class NoDrawsHere(Refusal):
    def __init__(self, game: str, why: str) -> None:
        super().__init__(why, game=game)


class NoDrawOffered(Refusal):
    def __init__(self, match_id: str) -> None:
        super().__init__("there is no offer of a draw to answer", match_id=match_id)


class MatchNotOver(Refusal):
    def __init__(self, match_id: str, why: str = "it is not over: its record is written when it is") -> None:
        super().__init__(f"match {match_id} has no record to show yet: {why}", match_id=match_id)


class BadSeats(Refusal):
    def __init__(self, what: str, given: int, wanted: int) -> None:
        super().__init__(f"{given} {what} are given, and {wanted} are wanted", given=str(given), wanted=str(wanted))


class TooMuchStored(Refusal):
    def __init__(self, limit: int) -> None:
        sentence = f"the terms of your matches and contests take all of the {limit} bytes that they may"
        super().__init__(sentence, limit_bytes=str(limit))


class TooManyMatches(Refusal):
    def __init__(self, limit: int) -> None:
        super().__init__(f"there can be no more matches: the limit is {limit}", limit=str(limit))
