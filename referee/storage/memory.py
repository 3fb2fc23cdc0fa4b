"""All storage ports in memory, for one event loop: for tests and for servers with `ephemeral`."""

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from engines.api import Seat
from referee.accounts.account_errors import NameTaken, TooManyNames, UnknownBot, UnknownToken, UnknownVersion
from referee.accounts.bot_log import ALL_LINES, LineFilter, Note, NumberedNote
from referee.accounts.bots import Bot, MaxNames, Registration, Version
from referee.accounts.tokens import ALL_TOKENS, Quota, Token, TokenFilter
from referee.hosting.contest_log import ContestEntry, ContestEvent, co_appended
from referee.live.match_request import EVERY_MATCH, LADDER, TOURNAMENT, MatchFilter
from referee.live.outbox import MatchEnded
from referee.live.ports import CoAppend, Conflict, Entry, LogUnavailable, Request, Summaries
from referee.match.events import Event, MatchCreated, PlayEnded, PlayStarted, seated_bots
from referee.match.match_errors import RequestIdReused
from referee.match.state import MatchPhase


class MemoryEventLog:
    """An EventLog for one event loop."""

    def __init__(self, wall_ms: Callable[[], int]) -> None:
        self._wall_ms = wall_ms
        self._logs: dict[str, list[Entry]] = {}
        self.undelivered: dict[str, dict[Seat, str]] = {}
        """Bots that have not confirmed the result of a match, by match (finished or not) and seat."""
        self.contests = MemoryContestLog(wall_ms, self._check_open)
        """The contest log, which can be written together with this one."""
        self._closed = False

    async def append(
        self,
        match_id: str,
        after: int,
        events: Sequence[Event],
        request: Request | None = None,
        co_append: CoAppend[Any] | None = None,
    ) -> list[Entry]:
        self._check_open()
        last = len(self._logs.get(match_id, ()))
        if last != after:
            raise Conflict(match_id, after, last)
        at_ms = self._wall_ms()
        if co_append:
            self.contests.check(co_append)
            self.contests.write(co_append, at_ms)
        entries = [Entry(match_id, number, at_ms, event) for number, event in enumerate(events, after + 1)]
        if entries:
            entries[-1] = replace(entries[-1], request=request)
            self._logs.setdefault(match_id, []).extend(entries)
            self._add_undelivered(match_id, events)
        return entries

    async def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        self._check_open()
        return self._logs.get(match_id, [])[after:][:limit]

    async def unfinished(self) -> list[str]:
        self._check_open()
        return [match_id for match_id in self._logs if not self.is_over(match_id)]

    async def summaries(self, wanted: MatchFilter = EVERY_MATCH, before: str = "", limit: int = 100) -> Summaries:
        self._check_open()
        matches = list(self._logs)
        older = matches[: matches.index(before)] if before in self._logs else [] if before else matches
        every = (_summary(self._logs[match_id]) for match_id in reversed(older))
        found = list(islice((summary for summary in every if _matches_filter(summary, wanted)), limit))
        return Summaries(found, found[-1][0].match_id if len(found) == limit else "")

    def is_over(self, match_id: str) -> bool:
        return isinstance(self._logs[match_id][-1].event, PlayEnded)

    async def close(self) -> None:
        self._closed = True

    def _add_undelivered(self, match_id: str, events: Sequence[Event]) -> None:
        for event in events:
            if bots := {seat: bot for seat, bot in seated_bots(event).items() if bot}:
                self.undelivered.setdefault(match_id, {}).update(bots)

    def _check_open(self) -> None:
        if self._closed:
            raise LogUnavailable("the log is closed")


class MemoryContestLog:
    """A ContestLog for one event loop, created by the match log that belongs to it."""

    def __init__(self, wall_ms: Callable[[], int], check_open: Callable[[], None]) -> None:
        """`check_open` raises LogUnavailable once the match log is closed."""
        self._wall_ms = wall_ms
        self._check_open = check_open
        self._logs: dict[str, list[ContestEntry]] = {}

    async def append(self, contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        self._check_open()
        co_append = CoAppend(contest, after, tuple(events))
        self.check(co_append)
        return self.write(co_append, self._wall_ms())

    async def read(self, contest: str, after: int = 0, limit: int | None = None) -> list[ContestEntry]:
        self._check_open()
        return self._logs.get(contest, [])[after:][:limit]

    async def first_entries(self, kind: str) -> list[ContestEntry]:
        self._check_open()
        return [entries[0] for contest, entries in self._logs.items() if contest.startswith(f"{kind}/")]

    async def last_entries(self, kind: str) -> list[ContestEntry]:
        self._check_open()
        return [entries[-1] for contest, entries in self._logs.items() if contest.startswith(f"{kind}/")]

    def check(self, co_append: CoAppend[ContestEvent]) -> None:
        """Raise Conflict if the append does not continue its log."""
        last = len(self._logs.get(co_append.contest, ()))
        if last != co_append.after:
            raise Conflict(co_append.contest, co_append.after, last)

    def write(self, co_append: CoAppend[ContestEvent], at_ms: int) -> list[ContestEntry]:
        """Append entries that `check` has accepted, and return them."""
        entries = co_appended(co_append, at_ms)
        if entries:
            self._logs.setdefault(co_append.contest, []).extend(entries)
        return entries


class MemoryUndeliveredEnds:
    """The results that bots have not confirmed yet, of the matches in one log."""

    def __init__(self, log: MemoryEventLog) -> None:
        self._log = log

    async def list_for(self, bot: str, limit: int) -> list[MatchEnded]:
        ends = [
            MatchEnded(match_id, seat)
            for match_id, seats in self._log.undelivered.items()
            for seat in sorted(seats)
            if seats[seat] == bot and self._log.is_over(match_id)
        ]
        return ends[-limit:]

    async def mark_delivered(self, ends: Sequence[MatchEnded]) -> None:
        for ended in ends:
            seats = self._log.undelivered.get(ended.match_id, {})
            seats.pop(ended.seat, None)
            if not seats:
                self._log.undelivered.pop(ended.match_id, None)


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
        self._tokens[token.id] = token

    def first_of(self, bot: str) -> Token:
        """Return the token that was issued when the bot was registered."""
        return self._select(TokenFilter(bot=bot))[0]

    async def find_token(self, sha256: bytes) -> Token | None:
        return next((token for token in self._tokens.values() if token.sha256 == sha256), None)

    async def tokens(self, wanted: TokenFilter = ALL_TOKENS, before: str = "", limit: int | None = None) -> list[Token]:
        if before:
            self._get(before)
        older = _up_to(list(self._tokens), before)
        return [token for token in reversed(self._select(wanted)) if token.id in older][:limit]

    async def change_token(self, token_id: str, change: Callable[[Token], Token]) -> Token:
        token = self._get(token_id)
        changed = change(token)
        self._tokens[token_id] = replace(token, used_ms=changed.used_ms, revoked=changed.revoked)
        return self._tokens[token_id]

    def _select(self, wanted: TokenFilter) -> list[Token]:
        return [token for token in self._tokens.values() if _matches_token(token, wanted)]

    def _get(self, token_id: str) -> Token:
        if token_id not in self._tokens:
            raise UnknownToken(token_id)
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
        self._bots[name] = replace(bot, description=changed.description, pause=changed.pause, faults=changed.faults)
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
            raise UnknownVersion(bot, before)
        return [known[name] for name in reversed(_up_to(list(known), before))][:limit]

    def _get(self, name: str) -> Bot:
        if name not in self._bots:
            raise UnknownBot(name)
        return self._bots[name]


class MemoryQuotas:
    """A Quotas port in memory."""

    def __init__(self) -> None:
        self._quotas: dict[str, Quota | None] = {}

    async def quota(self, holder: str) -> Quota | None:
        return self._quotas.get(holder)

    async def stored_bytes(self, holder: str) -> int:
        return 0

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


def _summary(log: Sequence[Entry]) -> list[Entry]:
    """Return all entries until play began, and the end."""
    began = next((entry.number for entry in log if isinstance(entry.event, PlayStarted)), len(log))
    return [*log[:began], *(entry for entry in log[began:][-1:] if isinstance(entry.event, PlayEnded))]


def _matches_filter(summary: Sequence[Entry], wanted: MatchFilter) -> bool:
    opening = summary[0]
    if not isinstance(opening.event, MatchCreated):
        return False
    setup, labels = opening.event.setup, dict(opening.event.setup.labels)
    by_seat: dict[Seat, str] = {}
    for entry in summary:
        by_seat.update(seated_bots(entry.event))
    return (
        wanted.game in ("", setup.game)
        and wanted.ladder in ("", labels.get(LADDER))
        and wanted.tournament in ("", labels.get(TOURNAMENT))
        and wanted.bot in ("", *by_seat.values())
        and (not wanted.open_only or "" in by_seat.values())
        and wanted.phase in (None, _phase(summary))
        and opening.at_ms >= wanted.since_ms
    )


def _phase(summary: Sequence[Entry]) -> MatchPhase:
    if isinstance(summary[-1].event, PlayEnded):
        return MatchPhase.OVER
    return MatchPhase.PLAYING if isinstance(summary[-1].event, PlayStarted) else MatchPhase.WAITING


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
