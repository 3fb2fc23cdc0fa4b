"""Resolves entrants of ladders and tournaments: their names, and whether their bots may play."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from referee.accounts.account_errors import BadField, BotPaused, UnknownBot
from referee.accounts.bots import Accounts
from referee.accounts.names import NAME, NAME_RULE
from referee.contests.contest_errors import WrongParticipantCount
from referee.contests.tournament.events import TournamentEntrant
from referee.hosting.hosting_errors import AlreadyIn
from referee.match.setup import Player


async def resolve_entrant(entrant: TournamentEntrant, bots_per_entrant: int, accounts: Accounts) -> TournamentEntrant:
    """Return the entrant with its name, if all of its bots may play.

    Raises BadField, WrongParticipantCount, AlreadyIn, UnknownBot, UnknownVersion, BotPaused or LogUnavailable.
    """
    if len(entrant.bots) != bots_per_entrant:
        what = "an entrant, which has one bot for each seat of a side,"
        raise WrongParticipantCount(what, len(entrant.bots), bots_per_entrant)
    if not entrant.name and bots_per_entrant > 1:
        raise BadField("entrant.name", "an entrant of several bots needs a name")
    entrant = with_default_name(entrant)
    await _check_name(entrant, accounts)
    for place, player in enumerate(entrant.bots):
        _check_different(player, entrant.bots[:place], entrant.name)
        await _check_player(player, accounts)
    return entrant


def with_default_name(entrant: TournamentEntrant) -> TournamentEntrant:
    """Return the entrant, named as its first bot if it has no name."""
    return entrant if entrant.name or not entrant.bots else replace(entrant, name=entrant.bots[0].bot)


def check_not_entered(entrant: TournamentEntrant, other: TournamentEntrant) -> None:
    """Raise AlreadyIn if a bot plays for both entrants, unless both name its version and the versions differ."""
    for player in entrant.bots:
        _check_different(player, other.bots, other.name)


def _check_different(player: Player, others: Sequence[Player], entrant: str) -> None:
    for other in others:
        if player.bot == other.bot and ("" in (player.version, other.version) or player == other):
            raise AlreadyIn(player.bot, entrant)


async def _check_name(entrant: TournamentEntrant, accounts: Accounts) -> None:
    """Raises BadField if the name is malformed, or that of a bot that does not play for the entrant."""
    if not NAME.fullmatch(entrant.name):
        raise BadField("entrant.name", NAME_RULE)
    with suppress(UnknownBot):
        bot = await accounts.bot(entrant.name)
        if bot.name not in {player.bot for player in entrant.bots}:
            raise BadField("entrant.name", "it is the name of a bot that does not play for this entrant")


async def _check_player(player: Player, accounts: Accounts) -> None:
    bot = await accounts.bot(player.bot)
    if bot.pause:
        raise BotPaused(bot.name, bot.pause.cause.value)
    if player.version:
        await accounts.versions(bot.name, player.version, 1)
