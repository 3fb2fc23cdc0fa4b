"""Who takes part, as text: one bot, or several that stand together."""

from referee_api.v1 import contest_pb2, match_pb2


def entrant(given: str | contest_pb2.Entrant) -> contest_pb2.Entrant:
    """One bot, as `anna` or `anna/1.4` for a version; or partners, as `reds=anna,bert`, in the order of their seats."""
    if isinstance(given, contest_pb2.Entrant):
        return given
    name, equals, bots = given.rpartition("=")
    return contest_pb2.Entrant(name=name if equals else "", bots=map(bot_ref, bots.split(",")))


def bot_ref(given: str) -> match_pb2.BotRef:
    bot, _, version = given.partition("/")
    return match_pb2.BotRef(bot=bot, version=version)
