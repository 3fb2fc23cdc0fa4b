"""The storage ports of accounts in memory, for one event loop."""

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Sequence
from itertools import islice

from msgspec.structs import replace

from referee.accounts.account_errors import NameTaken, NoSuchBot, NoSuchToken, NoSuchVersion, TooManyNames
from referee.accounts.bot_log import ALL_LINES, LineFilter, Note, NumberedNote
from referee.accounts.bots import Bot, MaxNames, Registration, Version
from referee.accounts.tokens import ALL_TOKENS, MAX_INVALID_TOKENS_PER_BOT, Quota, Role, Token, TokenFilter
from referee.match.match_errors import RequestIdReused


class MemoryTokens:
    """A Tokens port in memory."""

    def __init__(self) -> None:
        self._tokens: dict[str, Token] = {}
        """Tokens by id, the oldest first."""

    async def add_token(self, token: Token, max_valid: int) -> None:
        self.add(token, max_valid)

    def add(self, token: Token, max_valid: int) -> None:
        if len(self._select(TokenFilter(token.holder, valid_at_ms=token.created_ms))) >= max_valid:
            raise TooManyNames("tokens", max_valid)
        self.insert(token)
        if token.bot:
            self._drop_oldest_invalid(token.bot, token.created_ms)

    def insert(self, token: Token) -> None:
        self._tokens[token.id] = token

    def _drop_oldest_invalid(self, bot: str, now_ms: int) -> None:
        _, *later = self._select(TokenFilter(bot=bot))
        invalid = [token for token in later if not token.is_valid_at(now_ms)]
        for token in invalid[: max(0, len(invalid) - MAX_INVALID_TOKENS_PER_BOT)]:
            del self._tokens[token.id]

    @property
    def holders(self) -> set[str]:
        return {token.holder for token in self._tokens.values()}

    def first_of(self, bot: str) -> Token:
        """Return the token that was issued when the bot was registered."""
        return self._select(TokenFilter(bot=bot))[0]

    async def find_token(self, sha256: bytes) -> Token | None:
        return next((token for token in self._tokens.values() if token.sha256 == sha256), None)

    async def tokens(self, wanted: TokenFilter = ALL_TOKENS, before: str = "", limit: int | None = None) -> list[Token]:
        if before:
            self.get(before)
        older = _up_to(list(self._tokens), before)
        return [token for token in reversed(self._select(wanted)) if token.id in older][:limit]

    async def revoked(self, token_ids: Collection[str]) -> set[str]:
        return {token_id for token_id in token_ids if token_id not in self._tokens or self._tokens[token_id].revoked}

    async def change_token(self, token_id: str, change: Callable[[Token], Token]) -> Token:
        token = self.get(token_id)
        changed = change(token)
        self._tokens[token_id] = replace(token, used_ms=changed.used_ms, revoked=changed.revoked)
        return self._tokens[token_id]

    def _select(self, wanted: TokenFilter) -> list[Token]:
        return [token for token in self._tokens.values() if _matches_token(token, wanted)]

    def get(self, token_id: str) -> Token:
        """Return the token with that id. Raises NoSuchToken."""
        if token_id not in self._tokens:
            raise NoSuchToken(token_id)
        return self._tokens[token_id]


class MemoryAccounts:
    """An Accounts port in memory; the first token of each bot is added to `tokens`."""

    def __init__(self, tokens: MemoryTokens) -> None:
        self._tokens = tokens
        self._bots: dict[str, Bot] = {}
        self._requests: dict[tuple[str, str], str] = {}
        """Name of the registered bot, by owner and request id."""
        self._versions: dict[str, dict[str, Version]] = {}
        """Versions by bot and name, the oldest first."""

    @property
    def owners(self) -> set[str]:
        return {bot.owner for bot in self._bots.values()}

    async def register(self, request_id: str, bot: Bot, token: Token, limits: MaxNames) -> Registration:
        before = self._requests.get((bot.owner, request_id))
        if before == bot.name:
            return Registration(self._get(before), self._tokens.first_of(before), repeated=True)
        if before:
            raise RequestIdReused(request_id)
        if bot.name in self._bots:
            raise NameTaken(bot.name)
        if len(await self.bots(bot.owner)) >= limits.bots:
            raise TooManyNames("bots", limits.bots)
        self._tokens.add(token, limits.tokens)
        self._bots[bot.name] = replace(bot, pause=None, latest_version="", faults=0)
        self._versions[bot.name] = {}
        self._requests[bot.owner, request_id] = bot.name
        return Registration(self._bots[bot.name], token, repeated=False)

    async def bot(self, name: str) -> Bot:
        return self._get(name)

    async def bots(self, owner: str = "", after: str = "", limit: int | None = None) -> list[Bot]:
        names = (name for name in sorted(self._bots) if name > after and owner in ("", self._bots[name].owner))
        return [self._bots[name] for name in islice(names, limit)]

    async def change_bot(self, name: str, change: Callable[[Bot], Bot]) -> Bot:
        bot = self._get(name)
        changed = change(bot)
        self._bots[name] = replace(
            bot, description=changed.description, pause=changed.pause, faults=changed.faults, consent=changed.consent
        )
        return self._bots[name]

    async def add_version(self, version: Version, limit: int) -> Version:
        bot = self._get(version.bot)
        known = self._versions[version.bot]
        if version.version in known:
            return known[version.version]
        if len(known) >= limit:
            raise TooManyNames("versions", limit)
        known[version.version] = version
        self._bots[version.bot] = replace(bot, latest_version=version.version)
        return version

    async def versions(self, bot: str, before: str = "", limit: int | None = None) -> list[Version]:
        self._get(bot)
        known = self._versions[bot]
        if before and before not in known:
            raise NoSuchVersion(bot, before)
        return [known[name] for name in reversed(_up_to(list(known), before))][:limit]

    def _get(self, name: str) -> Bot:
        if name not in self._bots:
            raise NoSuchBot(name)
        return self._bots[name]


class MemoryQuotas:
    """A Quotas port in memory."""

    def __init__(self, tokens: MemoryTokens, accounts: "MemoryAccounts | None" = None) -> None:
        self._tokens = tokens
        self._accounts = accounts or MemoryAccounts(tokens)
        self._quotas: dict[str, Quota | None] = {}

    @property
    def limited_holders(self) -> set[str]:
        """Holders that have a quota."""
        return {holder for holder, quota in self._quotas.items() if quota is not None}

    async def quota(self, holder: str) -> Quota | None:
        return self._quotas.get(holder)

    async def holders(self, after: str = "", limit: int | None = None) -> list[str]:
        known = self._tokens.holders | self._accounts.owners | self.limited_holders
        return sorted(holder for holder in known if holder > after)[:limit]

    async def stored_bytes(self, holder: str) -> int:
        return 0

    async def is_author(self, holder: str) -> bool:
        tokens = await self._tokens.tokens(TokenFilter(holder))
        organises = any(token.role in (Role.ORGANISER, Role.ADMIN) and not token.revoked for token in tokens)
        return not organises and any(token.role is Role.AUTHOR for token in tokens)

    async def set_quota(self, holder: str, quota: Quota | None) -> None:
        self._quotas[holder] = quota


class MemoryBotLog:
    """A BotLog that keeps the last `max_lines` lines of each bot."""

    def __init__(self, max_lines: int) -> None:
        assert max_lines >= 1
        self._logs: defaultdict[str, deque[NumberedNote]] = defaultdict(lambda: deque(maxlen=max_lines))

    async def append(self, bot: str, notes: Sequence[Note]) -> None:
        log = self._logs[bot]
        last = log[-1].number if log else 0
        log.extend(NumberedNote(number, note) for number, note in enumerate(notes, last + 1))

    async def read(
        self, bot: str, wanted: LineFilter = ALL_LINES, after: int = 0, limit: int | None = None
    ) -> list[NumberedNote]:
        lines = self._logs.get(bot, ())
        return list(islice((line for line in lines if line.number > after and _matches_note(line.note, wanted)), limit))


def _up_to(names: Sequence[str], name: str) -> Sequence[str]:
    """Return the names in front of `name`, or all if it is empty."""
    return names[: names.index(name)] if name else names


def _matches_token(token: Token, wanted: TokenFilter) -> bool:
    return (
        wanted.holder in ("", token.holder)
        and wanted.bot in ("", token.bot)
        and (wanted.valid_at_ms is None or token.is_valid_at(wanted.valid_at_ms))
    )


def _matches_note(note: Note, wanted: LineFilter) -> bool:
    return wanted.version in ("", note.version) and wanted.match_id in ("", note.match_id)
