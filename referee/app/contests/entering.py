"""Who may enter a tournament, and in what words those are refused who may not."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from engines.refusals import Refusal
from referee.app.accounts import Accounts
from referee.app.contests.held import Held
from referee.app.contests.refusals import (
    AlreadyIn,
    NotAnEntrant,
    TournamentOver,
    TournamentStarted,
    WrongEntrantCount,
)
from referee.app.contests.round_pairing import decide_and_pair
from referee.app.names import NAME, NAME_RULE
from referee.app.refusals import BadField, BotPaused, NameTaken, UnknownBot
from referee.app.worker_pool import Run
from referee.contest import refusals as pure
from referee.contest.directing import Command, Enter, decide
from referee.contest.tournament_events import Entrant, Event
from referee.core.setup import Player


def named(entrant: Entrant) -> Entrant:
    """Who has no name is called as its bot."""
    return entrant if entrant.name or not entrant.bots else replace(entrant, name=entrant.bots[0].bot)


async def checked(entrant: Entrant, many: int, accounts: Accounts) -> Entrant:
    """With its name, if all of its bots, as `many` as a side has seats, may play.

    Raises BadField, WrongSeats, AlreadyIn, UnknownBot, UnknownVersion, BotPaused or LogUnavailable.
    """
    if len(entrant.bots) != many:
        raise pure.WrongSeats("an entrant, who brings one bot for each seat of a side,", len(entrant.bots), many)
    if not entrant.name and many > 1:
        raise BadField("entrant.name", "bots that stand together need a name")
    entrant = named(entrant)
    await _check_named(entrant, accounts)
    for place, player in enumerate(entrant.bots):
        _check_new(player, entrant.bots[:place], entrant.name)
        await _check_player(player, accounts)
    return entrant


def entered(held: Held, entrant: Entrant) -> list[Event]:
    """Raises AlreadyIn, or what `decided` raises."""
    for other in () if held.over else held.tournament.entrants.values():
        for player in entrant.bots:
            _check_new(player, other.bots, other.name)
    with _contract_refusals(held):
        return decide(held.tournament, Enter(entrant))


async def decided(held: Held, command: Command, run: Run) -> list[Event]:
    """The events that follow from a caller's command. Raises a refusal in the words of the contract."""
    with _contract_refusals(held):
        return await decide_and_pair(held.tournament, command, run)


@contextmanager
def _contract_refusals(held: Held) -> Iterator[None]:
    """Raise the refusals of a tournament as the contract names them."""
    try:
        yield
    except pure.ContestError as why:
        say = WORDS.get(type(why))
        raise (say(held, why.details) if say else why) from None


def _check_new(player: Player, there: Sequence[Player], entrant: str) -> None:
    """One bot may play as two entrants only by two versions of it."""
    for other in there:
        if player.bot == other.bot and ("" in (player.version, other.version) or player == other):
            raise AlreadyIn(player.bot, entrant)


async def _check_named(entrant: Entrant, accounts: Accounts) -> None:
    """As bots are named, and not as somebody else's bot."""
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


WORDS: dict[type[pure.ContestError], Callable[[Held, Mapping[str, str]], Refusal]] = {
    pure.NotInThisPhase: lambda held, _: TournamentOver(held.name, held.tournament.phase.value),
    pure.TooLate: lambda held, _: TournamentStarted(held.name),
    pure.NameTaken: lambda _, said: NameTaken(said["name"]),
    pure.NoSuchEntrant: lambda held, said: NotAnEntrant(held.name, said["name"]),
    pure.WrongEntrantCount: lambda held, said: WrongEntrantCount(held.name, said["entrants"], said["wanted"]),
}
"""What the pure tournament refuses, in the words of the contract. What is not here is in them already."""
