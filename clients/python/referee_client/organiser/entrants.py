"""Entrants of contests as text: one bot, or several partners."""

from referee_api.v1 import contest_pb2, match_pb2


def entrant(given: str | contest_pb2.Entrant) -> contest_pb2.Entrant:
    """Parse an entrant: a bot, as `anna` or with a version `anna/1.4`; or partners by seat, as `reds=anna,bert`."""
    if isinstance(given, contest_pb2.Entrant):
        return given
    name, equals, bots = given.rpartition("=")
    return contest_pb2.Entrant(name=name if equals else "", bots=map(bot_ref, bots.split(",")))


def bot_ref(given: str) -> match_pb2.BotRef:
    bot, _, version = given.partition("/")
    return match_pb2.BotRef(bot=bot, version=version)
