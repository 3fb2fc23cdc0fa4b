"""Checks of the consent of bots, before a caller seats them in a match or enters them in a contest."""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from msgspec.structs import replace

from engines.api import Game
from referee.accounts.account_errors import ConsentMissing
from referee.accounts.bots import Accounts, Bot
from referee.accounts.consent import MatchOffer, check_match_count, check_offer
from referee.accounts.tokens import Role
from referee.hosting.ladder_host import LadderHost
from referee.live.match_request import DEFAULT_OPENING, LADDER, MAKER, MatchRequest, find_game
from referee.live.referee import Referee
from referee.match.match_terms import SHOWN_LIVE, MatchTerms
from referee.match.setup import Player, Setup
from referee.transport.guards.authentication import Caller


@dataclass(eq=False)
class ConsentGuard:
    """All methods raise ConsentMissing, which names the bot and the condition, or NoSuchBot."""

    _accounts: Accounts
    _referee: Referee
    _ladders: LadderHost
    _games: Mapping[str, Game]
    _being_made: Counter[tuple[str, str]] = field(default_factory=Counter, init=False)
    """Matches that are being created or joined, by bot and maker, so that concurrent calls count each other."""

    @asynccontextmanager
    async def create_match(self, caller: Caller, request: MatchRequest) -> AsyncIterator[None]:
        """Check the bots of a new match, and count it for them until it exists."""
        start_given = request.opening != DEFAULT_OPENING or request.seed is not None
        offer = MatchOffer((request.terms,), start_given)
        bots = [await self._accounts.bot(name) for name in sorted({seat.bot for seat in request.players if seat.bot})]
        for bot in bots:
            await self._check_seat(caller, bot, caller.holder, offer, request.labels.get(LADDER, ""))
        with self._counted(caller.holder, bots):
            yield

    @asynccontextmanager
    async def join_match(self, caller: Caller, name: str, setup: Setup) -> AsyncIterator[None]:
        """Check a bot that takes a seat of a match, and count the match for it until it has the seat."""
        if name in {player.bot for player in setup.players}:
            yield
            return
        bot, labels = await self._accounts.bot(name), dict(setup.labels)
        maker = labels.get(MAKER, "")
        offer = MatchOffer((setup.terms,), bool(setup.opening) or setup.seed_given)
        await self._check_seat(caller, bot, maker, offer, labels.get(LADDER, ""))
        with self._counted(maker, [bot]):
            yield

    async def enter_contest(
        self, caller: Caller, organiser: str, players: Iterable[Player], terms: Sequence[MatchTerms]
    ) -> bool:
        """Check bots that the caller enters in a contest; return whether it invites a bot of another holder."""
        invited = False
        for player in players:
            bot = await self._accounts.bot(player.bot)
            by_bot = _acts_for(caller, bot)
            invited |= not by_bot
            _check(bot, organiser, MatchOffer(tuple(terms), by_bot=by_bot))
        return invited

    async def challenge(self, organiser: str, players: Iterable[Player], terms: Sequence[MatchTerms]) -> None:
        """Check bots of a challenge. They have joined the ladder, but their consent may have changed since."""
        for player in players:
            _check(await self._accounts.bot(player.bot), organiser, MatchOffer(tuple(terms), by_bot=True))

    async def _check_seat(self, caller: Caller, bot: Bot, maker: str, offer: MatchOffer, ladder: str) -> None:
        by_bot = _acts_for(caller, bot)
        if ladder and not by_bot:
            # The bot has joined the ladder, and so has agreed to be rated, but under the terms of the ladder only.
            await self._check_ladder_terms(bot, offer.terms[0], ladder)
            by_bot = True
        _check(bot, maker, replace(offer, by_bot=by_bot))

    async def _check_ladder_terms(self, bot: Bot, terms: MatchTerms, ladder: str) -> None:
        known = (await self._ladders.get(ladder)).terms.match_terms
        if self._as_played(terms) not in map(self._as_played, known):
            why = f"it takes rated matches only with the terms of the ladder {ladder}"
            raise ConsentMissing(bot.name, "ladder", why)

    def _as_played(self, terms: MatchTerms) -> MatchTerms:
        """Return the terms with all defaults, without those that no result depends on."""
        filled = terms.with_defaults(find_game(self._games, terms.game), 0)
        return replace(filled, visibility=SHOWN_LIVE, random_seats=False, nonce_timeout_us=0, start_timeout_us=0)

    @contextmanager
    def _counted(self, maker: str, bots: Sequence[Bot]) -> Iterator[None]:
        """Count one more match of that maker for these bots, unless one of them takes no more."""
        for bot in bots:
            matches = self._referee.count_unfinished_of(bot.name, maker) + self._being_made[bot.name, maker]
            if maker != bot.owner:
                check_match_count(bot.name, bot.consent, matches)
        keys = [(bot.name, maker) for bot in bots]
        self._being_made.update(keys)
        try:
            yield
        finally:
            self._being_made.subtract(keys)
            for key in keys:
                if not self._being_made[key]:
                    del self._being_made[key]


def _check(bot: Bot, maker: str, offer: MatchOffer) -> None:
    if not (offer.by_bot and maker == bot.owner):
        check_offer(bot.name, bot.consent, offer)


def _acts_for(caller: Caller, bot: Bot) -> bool:
    """Return whether the caller is the bot or its owner."""
    return caller.bot == bot.name if caller.role is Role.BOT else caller.holder == bot.owner
