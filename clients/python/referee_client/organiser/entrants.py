"""Entrants of contests as text: one bot, or several partners."""

from collections.abc import Iterable

from referee_api.v1 import contest_pb2, match_pb2

from referee_client.errors import Refused


def entrant(given: str | contest_pb2.Entrant) -> contest_pb2.Entrant:
    """Parse an entrant: a bot, as `anna` or with a version `anna/1.4`; or partners by seat, as `reds=anna,bert`."""
    if isinstance(given, contest_pb2.Entrant):
        return given
    name, equals, bots = given.rpartition("=")
    return contest_pb2.Entrant(name=name if equals else "", bots=map(bot_ref, bots.split(",")))


def is_entered(wanted: contest_pb2.Entrant | None, refused: Refused, entered: Iterable[contest_pb2.Entrant]) -> bool:
    """Return whether the repeated call that was rejected has succeeded before, by an attempt without a response.

    `wanted`: the entrant of the call; None: the bot of the token. `entered`: the entrants of the contest.
    """
    if refused.reason != "ALREADY_IN":
        return False
    bots = wanted.bots if wanted else [match_pb2.BotRef(bot=refused.metadata["bot"])]
    name = wanted.name if wanted else ""
    return contest_pb2.Entrant(name=name or bots[0].bot, bots=bots) in entered


def bot_ref(given: str) -> match_pb2.BotRef:
    bot, _, version = given.partition("/")
    return match_pb2.BotRef(bot=bot, version=version)
