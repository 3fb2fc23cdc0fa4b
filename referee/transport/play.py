"""PlayService: one conversation for all matches of a bot. The referee asks, the bot answers."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog
from referee_api.v1 import play_pb2, play_service_pb2
from referee_api.v1.play_service_pb2_grpc import PlayServiceServicer

from engines.api import Game
from referee.app.accounts import Accounts, Version
from referee.app.ports import Time
from referee.app.referee import Referee
from referee.app.sessions import Hello, Session
from referee.app.wish import find_game
from referee.core.clock import MS, SECOND
from referee.core.setup import Player
from referee.transport.admission import readable
from referee.transport.auth import CALLER
from referee.transport.conversation import Conversation, Pace
from referee.transport.convert.matches import Aside
from referee.transport.convert.turns import read_wishes
from referee.transport.field_limits import check_fields
from referee.transport.noting import Noting
from referee.transport.quota import Allowances
from referee.transport.refusals import Say
from referee.transport.refused import HelloExpected

FIRST_VERSION = "1"
"""Of a bot that has registered none, and names none."""

log = structlog.get_logger("referee.transport")


@dataclass(frozen=True, slots=True)
class Table:
    """What holds for every conversation."""

    hello_within_ms: int
    pace: Pace
    legal_moves_at_most: int
    matches_per_bot_at_most: int
    versions_per_bot_at_most: int
    message_at_most_bytes: int
    referee_version: str


class Play(PlayServiceServicer):
    def __init__(
        self,
        referee: Referee,
        games: Mapping[str, Game],
        accounts: Accounts,
        noting: Noting,
        allowances: Allowances,
        time: Time,
        say: Say,
        aside: Aside,
        table: Table,
    ) -> None:
        self.say = say
        self.aside = aside
        self._referee = referee
        self._games = games
        self._accounts = accounts
        self._noting = noting
        self._allowances = allowances
        self._time = time
        self._table = table

    async def Play(self, request_iterator: Any, context: Any) -> None:  # type: ignore[override]  # It writes by itself.
        caller = CALLER.get()
        async with self._allowances.stream(caller):
            first, rest = await self._first_words(context)
            hello = self.hello(first)
            player = Player(caller.bot, await self._version(caller.bot, first.version))
            session = self._referee.sessions.open(player, hello, caller.holder)
            try:
                with structlog.contextvars.bound_contextvars(bot=player.bot, session_id=session.id):
                    log.info("a session has begun", version=player.version, client=first.client[:64])
                    await self._talk(session, context, rest, caller.holder)
            except (Exception, asyncio.CancelledError) as why:
                self._noting.lost(session, why)
                raise
            finally:
                self._referee.sessions.close(session)

    def hello(self, said: play_pb2.Hello) -> Hello:
        """Raises UnknownGame."""
        at_most = said.matches_at_most if said.HasField("matches_at_most") else 1
        return Hello(
            frozenset(find_game(self._games, name).name for name in said.games),
            min(at_most, self._table.matches_per_bot_at_most),
            read_wishes(said.wishes, self._table.legal_moves_at_most),
        )

    def welcome(self, session: Session) -> play_pb2.Welcome:
        pace = self._table.pace
        return play_pb2.Welcome(
            bot=session.player.bot,
            version=session.player.version,
            session_id=session.id,
            referee_version=self._table.referee_version,
            matches_at_most=session.hello.matches_at_most,
            matches_in_play=self._referee.in_play_of(session.player.bot),
            ping_every_ms=pace.ping_every_ms,
            gone_after_ms=pace.gone_after_us // MS,
            message_at_most_bytes=self._table.message_at_most_bytes,
        )

    async def _talk(self, session: Session, context: Any, rest: list[play_pb2.FromBot], holder: str) -> None:
        # The answer to Hello goes first, before what waited for the session to begin.
        welcome = play_pb2.FromReferee(welcome=self.welcome(session))
        await context.write(play_service_pb2.PlayResponse(items=[welcome]))
        talk = Conversation(
            self._referee, session, holder, self, self._allowances, self._noting, self._time, self._table.pace
        )
        await talk.go_on(context, rest)

    async def _first_words(self, context: Any) -> tuple[play_pb2.Hello, list[play_pb2.FromBot]]:
        """The Hello, and what came with it. Raises HelloExpected or BadField."""
        try:
            async with asyncio.timeout(self._table.hello_within_ms * MS / SECOND):
                message = await context.read()
        except TimeoutError:
            raise HelloExpected("") from None
        items = list(getattr(readable(message), "items", ()))  # Who hangs up at once has said nothing.
        said = items[0].WhichOneof("item") if items else None
        if said != "hello":
            raise HelloExpected(said or "")
        check_fields(items[0])
        return items[0].hello, items[1:]

    async def _version(self, bot: str, said: str) -> str:
        """The version that plays; a new one is registered. Raises TooManyNames."""
        version = said or (await self._accounts.bot(bot)).latest_version or FIRST_VERSION
        entered = Version(bot, version, self._time.wall_ms())
        return (await self._accounts.add_version(entered, self._table.versions_per_bot_at_most)).version
