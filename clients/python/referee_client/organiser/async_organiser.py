"""Client for organisers that use asyncio: registers bots, creates matches and watches them."""

import os
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from types import TracebackType

from referee_api.conversion import enum_number, to_message, to_value
from referee_api.v1 import (
    bot_pb2,
    bot_service_pb2,
    game_pb2,
    game_service_pb2,
    match_pb2,
    match_service_pb2,
    token_service_pb2,
)
from referee_api.v1.bot_service_pb2_grpc import BotServiceStub
from referee_api.v1.game_service_pb2_grpc import GameServiceStub
from referee_api.v1.match_service_pb2_grpc import MatchServiceStub
from referee_api.v1.token_service_pb2_grpc import TokenServiceStub
from referee_values import (
    Bot,
    BotLogEntry,
    Consent,
    Entry,
    Game,
    HolderQuota,
    Match,
    MatchPhase,
    MatchSnapshot,
    MatchTerms,
    Opening,
    PlayEnded,
    Result,
    Rules,
    Token,
)

from referee_client.address import address
from referee_client.organiser.administration import AsyncAdministration
from referee_client.organiser.bot_accounts import AsyncBotAccounts
from referee_client.organiser.calls import PAGE_SIZE, Calls, request_id
from referee_client.organiser.entrants import bot_ref
from referee_client.organiser.invitations import AsyncInvitations
from referee_client.organiser.ladders import AsyncLadders
from referee_client.organiser.responses import PositionReading
from referee_client.organiser.terms import Terms
from referee_client.organiser.tournaments import AsyncTournaments
from referee_client.organiser.transport import AsyncTransport
from referee_client.organiser.unary_play import AsyncUnaryPlay
from referee_client.organiser.watch import AsyncWatch

PATIENCE_S = 60.0


class OrganiserCoroutines:
    """The methods of AsyncOrganiser, which wait as the transport of their calls does."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._bots = BotServiceStub(calls.channel)
        self._games = GameServiceStub(calls.channel)
        self._matches = MatchServiceStub(calls.channel)
        self._tokens = TokenServiceStub(calls.channel)
        self.accounts = AsyncBotAccounts(calls)
        self.play = AsyncUnaryPlay(calls)
        self.ladders = AsyncLadders(calls)
        self.tournaments = AsyncTournaments(calls)
        self.invitations = AsyncInvitations(calls)
        self.administration = AsyncAdministration(calls)

    async def close(self) -> None:
        await self._calls.close()

    async def games(self) -> list[Game]:
        """Return all games that the referee has."""
        response = await self._calls.call(self._games.ListGames, game_service_pb2.ListGamesRequest())
        return [to_value(game, Game) for game in response.games]

    async def game(self, name: str) -> Game:
        request = game_service_pb2.GetGameRequest(name=name)
        return await self._calls.fetch(Game, self._games.GetGame, request, "game")

    async def read_position(
        self,
        rules: Rules | str,
        opening: Opening | str = "",
        *,
        seed: bytes = b"",
        seat: int | None = None,
        max_legal_moves: int = 0,
        include_view: bool = False,
    ) -> PositionReading:
        """Return the seats to move, the legal moves and the result of a position, after the moves of the opening.

        `rules` may be the name of a game, and `opening` a position. `seat`: the seat that sees the position; None: all.
        """
        request = game_service_pb2.ReadPositionRequest(
            rules=to_message(Rules(game=rules) if isinstance(rules, str) else rules, game_pb2.Rules),
            opening=_opening(opening),
            seed=seed,
            seat=seat,
            max_legal_moves=max_legal_moves,
            include_view=include_view,
        )
        return await self._calls.fetch(PositionReading, self._games.ReadPosition, request)

    async def own_token(self) -> Token:
        """Return the token of this organiser without its secret: its role, its holder, and when it expires."""
        return await self._calls.fetch(Token, self._tokens.GetOwnToken, token_service_pb2.GetOwnTokenRequest(), "token")

    async def own_quota(self) -> HolderQuota:
        """Return the limits of the holder of the token, and how much of them it and its bots use."""
        request = token_service_pb2.GetOwnQuotaRequest()
        return await self._calls.fetch(HolderQuota, self._tokens.GetOwnQuota, request, "quota")

    async def register_bot(self, name: str, description: str = "", consent: Consent | None = None) -> str:
        """Register a bot and return its token. `consent` says from whom it takes matches; None: the defaults."""
        request = bot_service_pb2.RegisterBotRequest(
            request_id=request_id(),
            name=name,
            description=description,
            consent=to_message(consent, bot_pb2.Consent) if consent else None,
        )
        registered = await self._calls.call(self._bots.RegisterBot, request)
        # The secret is returned only once, and that answer may have been lost.
        return registered.secret or await self.create_token(name)

    async def create_token(self, name: str, label: str = "") -> str:
        """Create and return another token of a bot."""
        return (await self.accounts.make_token(name, label)).secret

    async def bots(self, owner: str = "", online_only: bool = False) -> AsyncIterator[Bot]:
        request = bot_service_pb2.ListBotsRequest(owner=owner, online_only=online_only, page_size=PAGE_SIZE)
        async for bot in self._calls.list_values(Bot, self._bots.ListBots, request, "bots"):
            yield bot

    async def bot_log(
        self, name: str, after: int = 0, version: str = "", match_id: str = ""
    ) -> AsyncIterator[BotLogEntry]:
        """Return the log of one of your own bots, the oldest entry first. Default: of all versions and matches."""
        request = bot_service_pb2.ListBotLogEntriesRequest(
            bot=name, version=version, match_id=match_id, after_number=after, page_size=PAGE_SIZE
        )
        more = True
        while more:
            page = await self._calls.call(self._bots.ListBotLogEntries, request)
            for entry in page.entries:
                yield to_value(entry, BotLogEntry)
            more = page.has_more
            request.after_number = page.entries[-1].number if page.entries else request.after_number

    async def create_match(
        self,
        terms: Terms | MatchTerms | str,
        bots: Sequence[str] = (),
        *,
        title: str = "",
        seed: bytes = b"",
        position: str | Opening = "",
        ladder: str = "",
    ) -> Match:
        """Create a match with the given terms, or of the named game with its defaults.

        `bots` are names, seat by seat, as `anna` or `anna/1.4` with a version; an empty name leaves its seat open.
        `seed`: 32 bytes to repeat the same match. `position`: the position to start from, also with moves from
        there. `ladder`: the ladder that rates the match.
        """
        terms = Terms(terms) if isinstance(terms, str) else terms
        terms = terms.match_terms() if isinstance(terms, Terms) else terms
        request = match_service_pb2.CreateMatchRequest(
            request_id=request_id(),
            terms=to_message(terms, match_pb2.MatchTerms),
            seats=[to_message(bot_ref(bot), match_pb2.BotRef) for bot in bots],
            opening=_opening(position),
            seed=seed,
            title=title,
            ladder=ladder,
        )
        return await self._calls.fetch(Match, self._matches.CreateMatch, request, "match")

    async def abort(self, match_id: str, message: str = "") -> Result:
        """Abort a match."""
        request = match_service_pb2.AbortMatchRequest(request_id=request_id(), match_id=match_id, message=message)
        return await self._calls.fetch(Result, self._matches.AbortMatch, request, "result")

    async def withdraw_bot(self, match_id: str, bot: str) -> None:
        """Take one of your own bots out of an unrated match. Its seat becomes open, or it forfeits in play."""
        request = match_service_pb2.WithdrawBotRequest(request_id=request_id(), match_id=match_id, bot=bot)
        await self._calls.call(self._matches.WithdrawBot, request)

    async def standing(self, match_id: str) -> MatchSnapshot:
        """Return a match and its current state."""
        return await self._calls.fetch(
            MatchSnapshot, self._matches.GetMatch, match_service_pb2.GetMatchRequest(match_id=match_id)
        )

    async def matches(
        self, bot: str = "", game: str = "", phase: MatchPhase = "", open_only: bool = False, tournament: str = ""
    ) -> AsyncIterator[Match]:
        """Return matches, the newest first. Empty arguments match any."""
        request = match_service_pb2.ListMatchesRequest(
            bot=bot,
            game=game,
            phase=enum_number(match_pb2.MatchPhase, phase),
            open_only=open_only,
            tournament=tournament,
            page_size=PAGE_SIZE,
        )
        async for match in self._calls.list_values(Match, self._matches.ListMatches, request, "matches"):
            yield match

    def watch(self, match_id: str, after: int = 0) -> AsyncWatch[Entry]:
        """Watch every entry after the number `after`, once and in order, until the match is over.

        The watch resumes by itself after the referee could not be reached, or after it was ended because the watcher
        was too slow.
        """
        request = match_service_pb2.WatchMatchRequest(match_id=match_id)
        return AsyncWatch(Entry, self._calls, self._matches.WatchMatch, request, after)

    async def result(self, match_id: str) -> Result:
        """Wait for the end of a match and return its result."""
        async for entry in self.watch(match_id):
            if isinstance(entry.event, PlayEnded):
                return entry.event.result
        raise AssertionError("the last entry of a match is its end")

    async def record(self, match_id: str, file: str | os.PathLike[str]) -> Path:
        """Write the record of a finished match to a file, which is replaced atomically, and return its path."""
        content = await self.record_bytes(match_id)
        return await self._calls.transport.run_apart(lambda: _replace_file(Path(file), content))

    async def record_bytes(self, match_id: str) -> bytes:
        """Return the record of a finished match, as its file contains it."""
        messages = await self._calls.all(self._matches.GetRecord, match_service_pb2.GetRecordRequest(match_id=match_id))
        return b"".join(f"{line}\n".encode() for message in messages for line in message.lines)


class AsyncOrganiser(OrganiserCoroutines):
    """Organiser for programs that use asyncio: all methods are coroutines or return asynchronous iterators.

    All methods raise Refused (or a subclass: NotAllowed, NotServed), or Unreachable if no retry has succeeded.
    Cancelling a task cancels its call.
    """

    def __init__(
        self,
        target: str | None = None,
        token: str | None = None,
        *,
        ca: str | os.PathLike[str] | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """`target`, `token` and `ca` as for `run`; `patience_s`: how long calls are retried.

        It must be created and used on one running event loop; otherwise it raises RuntimeError.
        """
        super().__init__(Calls(address(target, token, ca), patience_s, AsyncTransport))

    async def __aenter__(self) -> "AsyncOrganiser":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _opening(given: Opening | str) -> game_pb2.Opening:
    """`given`: an opening, or only the position that it begins with."""
    return to_message(Opening(position=given) if isinstance(given, str) else given, game_pb2.Opening)


def _replace_file(file: Path, content: bytes) -> Path:
    temporary = file.with_name(f"{file.name}.part")
    temporary.write_bytes(content)
    return temporary.replace(file)
