"""The front: every service that strangers can call, behind one door."""

import secrets
from collections.abc import Callable

from referee_api.v1.admin_service_pb2_grpc import add_AdminServiceServicer_to_server
from referee_api.v1.bot_service_pb2_grpc import add_BotServiceServicer_to_server
from referee_api.v1.game_service_pb2_grpc import add_GameServiceServicer_to_server
from referee_api.v1.ladder_service_pb2_grpc import add_LadderServiceServicer_to_server
from referee_api.v1.match_service_pb2_grpc import add_MatchServiceServicer_to_server
from referee_api.v1.play_service_pb2_grpc import add_PlayServiceServicer_to_server
from referee_api.v1.tournament_service_pb2_grpc import add_TournamentServiceServicer_to_server

from engines.registry import games
from referee.app.ports import Time
from referee.app.quota_near import QuotaNear
from referee.app.tokens import SECRET_BYTES, Role, WantedTokens
from referee.settings.declared import Settings
from referee.storage.record.writing import written
from referee.telemetry.metrics import Metrics
from referee.telemetry.tracing import Tracing
from referee.transport import server as grpc_server
from referee.transport.admin import Admin
from referee.transport.admission import Admission
from referee.transport.auth import Gate
from referee.transport.bots import Bots
from referee.transport.convert.matches import Aside
from referee.transport.convert.terms import Customs
from referee.transport.door import Door, counted
from referee.transport.games import Games
from referee.transport.keys import Keys
from referee.transport.labelled import Labelled
from referee.transport.ladders import Ladders
from referee.transport.matches import Matches, Terms
from referee.transport.noting import Noting
from referee.transport.open_calls import OpenCalls
from referee.transport.play import Play
from referee.transport.quota import Allowances
from referee.transport.rated_matches import RatedMatches
from referee.transport.records import Records
from referee.transport.server import Server
from referee.transport.strangers import Strangers
from referee.transport.tournaments import Tournaments
from referee.wiring import bounds
from referee.wiring.books import Books
from referee.wiring.hall import Hall

FIRST_ADMIN = "admin"
MS_PER_S = 1_000


class Front:
    def __init__(
        self,
        settings: Settings,
        books: Books,
        hall: Hall,
        metrics: Metrics,
        time: Time,
        tracing: Tracing,
        go: Callable[[int | None], None],
    ) -> None:
        """`go` is for administrators, with the grace that they give."""
        self._books = books
        self._time = time
        quota_near = QuotaNear(books.accounts, hall.notices, hall.referee.sessions.of_bot)
        allowances = Allowances(
            books.quotas,
            bounds.usual_quota(settings),
            settings.streams_at_most,
            time,
            quota_near.used,
            settings.calls_in_flight_per_holder_at_most,
        )
        gate = Gate(books.tokens, time)
        self._keys = keys = Keys(books.tokens, gate, allowances, time, lambda: secrets.token_bytes(SECRET_BYTES))
        known, referee = games(), hall.referee
        served = Games(known, settings.legal_moves_at_most, hall.pool.run)
        noting = Noting(hall.scribe, time)
        customs = Customs(known, bounds.credit(settings), bounds.limits(settings))
        aside = Aside(referee.sessions.present, hall.sealed)
        say = counted(metrics.refused)
        at_once = settings.items_per_message_at_most
        records = Records(hall.events, lambda entries: written(entries, books.key, bounds.VERSION), hall.match_broke)
        matches = Matches(
            referee,
            customs,
            books.accounts,
            records,
            allowances,
            noting,
            Terms(settings.legal_moves_at_most, at_once),
            RatedMatches(hall.ladders, known),
            Labelled(hall.ladders, hall.tournaments),
            aside,
        )
        play = Play(referee, known, books.accounts, noting, allowances, time, say, aside, bounds.table(settings))
        bots = Bots(
            referee,
            books.accounts,
            books.tokens,
            hall.scribe,
            hall.notices,
            keys,
            allowances,
            time,
            settings.versions_per_bot_at_most,
        )
        admin = Admin(referee, books.accounts, books.tokens, books.quotas, hall.notices, keys, allowances, time, go)
        ladders = Ladders(hall.ladders, books.accounts, customs, allowances, at_once)
        tournaments = Tournaments(hall.tournaments, books.accounts, customs, allowances, at_once)
        calls = OpenCalls(settings.read_within_ms / MS_PER_S)
        strangers = Strangers(settings.calls_without_token_at_most, settings.calls_without_token_per_address_at_most)
        admission = Admission(gate, allowances, calls, strangers, settings.hello_within_ms)
        door = Door(hall.lag, settings.message_at_most_bytes, say)
        self.server = Server(
            [
                lambda server: add_GameServiceServicer_to_server(served, server),
                lambda server: add_MatchServiceServicer_to_server(matches, server),
                lambda server: add_PlayServiceServicer_to_server(play, server),
                lambda server: add_BotServiceServicer_to_server(bots, server),
                lambda server: add_AdminServiceServicer_to_server(admin, server),
                lambda server: add_LadderServiceServicer_to_server(ladders, server),
                lambda server: add_TournamentServiceServicer_to_server(tournaments, server),
            ],
            [admission, *tracing.interceptors(), metrics.interceptor(time, grpc_server.METHODS), door],
            bounds.grpc_limits(settings),
            calls,
        )

    async def has_admin(self) -> bool:
        """Is there a valid token of an administrator?"""
        tokens = await self._books.tokens.tokens(WantedTokens(good_at_ms=self._time.wall_ms()))
        return any(token.role is Role.ADMIN for token in tokens)

    async def make_admin(self) -> str:
        """Return the secret of a new administrator's token."""
        secret, _ = await self._keys.make(Role.ADMIN, FIRST_ADMIN, label="made at the first start")
        return secret
