"""Entrants of contests as text: one bot, or several partners."""

from collections.abc import Iterable

from referee_client.errors import Refused
from referee_client.values import BotRef, Entrant


def entrant(given: str | Entrant) -> Entrant:
    """Parse an entrant: a bot, as `anna` or with a version `anna/1.4`; or partners by seat, as `reds=anna,bert`."""
    if isinstance(given, Entrant):
        return given
    name, equals, bots = given.rpartition("=")
    return Entrant(name=name if equals else "", bots=tuple(map(bot_ref, bots.split(","))))


def is_entered(wanted: Entrant | None, refused: Refused, entered: Iterable[Entrant]) -> bool:
    """Return whether the repeated call that was rejected has succeeded before, by an attempt without a response.

    `wanted`: the entrant of the call; None: the bot of the token. `entered`: the entrants of the contest.
    """
    if refused.reason != "ALREADY_IN":
        return False
    bots = wanted.bots if wanted else (BotRef(bot=refused.metadata["bot"]),)
    name = wanted.name if wanted else ""
    return Entrant(name=name or bots[0].bot, bots=bots) in entered


def bot_ref(given: str) -> BotRef:
    bot, _, version = given.partition("/")
    return BotRef(bot=bot, version=version)
