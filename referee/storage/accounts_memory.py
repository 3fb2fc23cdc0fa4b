"""The books of all bots, tokens and quotas in memory, for one event loop."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice

from referee.app.accounts import Bot, NamesAtMost, Registered, Version
from referee.app.quotas import Quota
from referee.app.refusals import NameTaken, TooManyNames, UnknownBot, UnknownToken, UnknownVersion
from referee.app.tokens import EVERY_TOKEN, Token, WantedTokens
from referee.core.errors import RequestIdReused


class MemoryTokens:
    """Tokens."""

    def __init__(self) -> None:
        self._tokens: dict[str, Token] = {}
        """By id, the oldest first."""

    async def add_token(self, token: Token, good_at_most: int) -> None:
        self.add(token, good_at_most)

    def add(self, token: Token, good_at_most: int) -> None:
        if len(self._listed(WantedTokens(token.holder, good_at_ms=token.created_ms))) >= good_at_most:
            raise TooManyNames("tokens", good_at_most)
        self._tokens[token.id] = token

    def first_of(self, bot: str) -> Token:
        """The token that was made when the bot was registered."""
        return self._listed(WantedTokens(bot=bot))[0]

    async def token_of(self, sha256: bytes) -> Token | None:
        return next((token for token in self._tokens.values() if token.sha256 == sha256), None)

    async def tokens(
        self, wanted: WantedTokens = EVERY_TOKEN, before: str = "", at_most: int | None = None
    ) -> list[Token]:
        if before:
            self._known(before)
        older = _before(list(self._tokens), before)
        return [token for token in reversed(self._listed(wanted)) if token.id in older][:at_most]

    async def change_token(self, token_id: str, change: Callable[[Token], Token]) -> Token:
        token = self._known(token_id)
        changed = change(token)
        self._tokens[token_id] = replace(token, used_ms=changed.used_ms, revoked=changed.revoked)
        return self._tokens[token_id]

    def _listed(self, wanted: WantedTokens) -> list[Token]:
        return [token for token in self._tokens.values() if _is(token, wanted)]

    def _known(self, token_id: str) -> Token:
        if token_id not in self._tokens:
            raise UnknownToken(token_id)
        return self._tokens[token_id]


class MemoryAccounts:
    """Accounts; their first tokens stand in `tokens`."""

    def __init__(self, tokens: MemoryTokens) -> None:
        self._tokens = tokens
        self._bots: dict[str, Bot] = {}
        self._requests: dict[tuple[str, str], str] = {}
        """By owner and request id, the bot that was registered."""
        self._versions: dict[str, dict[str, Version]] = {}
        """By bot and name, the oldest first."""

    async def register(self, request_id: str, bot: Bot, token: Token, at_most: NamesAtMost) -> Registered:
        before = self._requests.get((bot.owner, request_id))
        if before == bot.name:
            return Registered(self._known(before), self._tokens.first_of(before), again=True)
        if before:
            raise RequestIdReused(request_id)
        if bot.name in self._bots:
            raise NameTaken(bot.name)
        if len(await self.bots(bot.owner)) >= at_most.bots:
            raise TooManyNames("bots", at_most.bots)
        self._tokens.add(token, at_most.tokens)
        self._bots[bot.name] = replace(bot, pause=None, latest_version="", faults=0)
        self._versions[bot.name] = {}
        self._requests[bot.owner, request_id] = bot.name
        return Registered(self._bots[bot.name], token, again=False)

    async def bot(self, name: str) -> Bot:
        return self._known(name)

    async def bots(self, owner: str = "", after: str = "", at_most: int | None = None) -> list[Bot]:
        names = (name for name in sorted(self._bots) if name > after and owner in ("", self._bots[name].owner))
        return [self._bots[name] for name in islice(names, at_most)]

    async def change_bot(self, name: str, change: Callable[[Bot], Bot]) -> Bot:
        bot = self._known(name)
        changed = change(bot)
        self._bots[name] = replace(bot, description=changed.description, pause=changed.pause, faults=changed.faults)
        return self._bots[name]

    async def add_version(self, version: Version, at_most: int) -> Version:
        bot = self._known(version.bot)
        known = self._versions[version.bot]
        if version.version in known:
            return known[version.version]
        if len(known) >= at_most:
            raise TooManyNames("versions", at_most)
        known[version.version] = version
        self._bots[version.bot] = replace(bot, latest_version=version.version)
        return version

    async def versions(self, bot: str, before: str = "", at_most: int | None = None) -> list[Version]:
        self._known(bot)
        known = self._versions[bot]
        if before and before not in known:
            raise UnknownVersion(bot, before)
        return [known[name] for name in reversed(_before(list(known), before))][:at_most]

    def _known(self, name: str) -> Bot:
        if name not in self._bots:
            raise UnknownBot(name)
        return self._bots[name]


class MemoryQuotas:
    """Quotas."""

    def __init__(self) -> None:
        self._quotas: dict[str, Quota | None] = {}

    async def quota(self, holder: str) -> Quota | None:
        return self._quotas.get(holder)

    async def stored_bytes(self, holder: str) -> int:
        return 0

    async def set_quota(self, holder: str, quota: Quota | None) -> None:
        self._quotas[holder] = quota


def _before(names: Sequence[str], name: str) -> Sequence[str]:
    """Those that come before `name`, or all if it is empty."""
    return names[: names.index(name)] if name else names


def _is(token: Token, wanted: WantedTokens) -> bool:
    return (
        wanted.holder in ("", token.holder)
        and wanted.bot in ("", token.bot)
        and (wanted.good_at_ms is None or token.good_at(wanted.good_at_ms))
    )
