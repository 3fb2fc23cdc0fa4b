"""Entrants of contests as text: one bot, or several partners."""

from referee_values import BotRef, Entrant


def entrant(given: str | Entrant) -> Entrant:
    """Parse an entrant: a bot, as `anna` or with a version `anna/1.4`; or partners by seat, as `reds=anna,bert`."""
    if isinstance(given, Entrant):
        return given
    name, equals, bots = given.rpartition("=")
    return Entrant(name=name if equals else "", bots=tuple(map(bot_ref, bots.split(","))))


def bot_ref(given: str) -> BotRef:
    bot, _, version = given.partition("/")
    return BotRef(bot=bot, version=version)
