"""Errors of accounts. The `details` of each are the metadata that the contract promises for its reason."""

from engines.game_errors import DetailedError, quoted, shortened


class BadName(DetailedError):
    def __init__(self, name: str, wrong: str) -> None:
        super().__init__(f"{quoted(name)} cannot be a name: {wrong}", name=shortened(name), wrong=wrong)


class BadField(DetailedError):
    """A field of a request has an invalid value."""

    def __init__(self, field: str, wrong: str) -> None:
        super().__init__(f"{field}: {wrong}", field=field, wrong=wrong)


class BadSeats(DetailedError):
    def __init__(self, what: str, given: int, wanted: int) -> None:
        super().__init__(f"the number of {what} must be {wanted}, not {given}", given=str(given), wanted=str(wanted))


class NameTaken(DetailedError):
    def __init__(self, name: str) -> None:
        super().__init__(f"the name {name} is taken", name=name)


class TooManyNames(DetailedError):
    def __init__(self, what: str, limit: int) -> None:
        super().__init__(f"there can be no more {what}: the limit is {limit}", what=what, limit=str(limit))


class NoSuchBot(DetailedError):
    def __init__(self, bot: str) -> None:
        super().__init__(f"there is no bot {quoted(bot)}", bot=shortened(bot))


class NoSuchVersion(DetailedError):
    def __init__(self, bot: str, version: str) -> None:
        super().__init__(f"{bot} has no version {quoted(version)}", bot=bot, version=shortened(version))


class NoSuchToken(DetailedError):
    def __init__(self, token_id: str) -> None:
        super().__init__(f"there is no token {quoted(token_id)}", token_id=shortened(token_id))


class NoSuchInvitation(DetailedError):
    def __init__(self, invitation_id: str) -> None:
        super().__init__(f"there is no invitation {quoted(invitation_id)}", invitation_id=shortened(invitation_id))


class BadInvitation(DetailedError):
    """A code cannot be redeemed. `why` is `unknown`, `revoked`, `expired` or `used_up`."""

    def __init__(self, why: str) -> None:
        sentence = "there is no invitation with this code" if why == "unknown" else f"the invitation is {why}"
        super().__init__(sentence.replace("_", " "), why=why)


class BotPaused(DetailedError):
    def __init__(self, bot: str, cause: str) -> None:
        remedy = f"resume it by `referee bot return {bot}`" if cause == "faults" else "an administrator can resume it"
        super().__init__(f"{bot} is paused ({cause}); {remedy}", bot=bot, cause=cause)


class BotNotPaused(DetailedError):
    def __init__(self, bot: str) -> None:
        super().__init__(f"{bot} is not paused", bot=bot)


class ConsentMissing(DetailedError):
    """A match or contest that the bot does not take; `condition` is the field of its consent that is not met."""

    def __init__(self, bot: str, condition: str, why: str) -> None:
        super().__init__(f"the consent of {bot} is missing: {why}", bot=bot, condition=condition, why=why)
