"""Who may call what: one table, and the gate that holds to it.

Role and method decide before anything is looked up, so that who may not ask learns no names.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass

from referee.app.lag import Arrival
from referee.app.ports import LogUnavailable, Time
from referee.app.tokens import Role, Token, Tokens, sha256_of, used
from referee.core.clock import SECOND, Micros
from referee.transport.refused import BadToken, NoToken, NotYours

ALL = frozenset(Role)
BOTS = frozenset({Role.BOT})
ADMINS = frozenset({Role.ADMIN})
ORGANISERS = frozenset({Role.ORGANISER, Role.ADMIN})
OWN_BOTS = ORGANISERS | BOTS
"""A bot for itself, an organiser for all its bots; the servicer looks at whose it is."""

RULES: Mapping[str, Mapping[str, frozenset[Role]]] = {
    "GameService": {"ListGames": ALL, "GetGame": ALL, "ReadPosition": ALL},
    "MatchService": {
        "CreateMatch": ORGANISERS,
        "JoinMatch": OWN_BOTS,
        "GetMatch": ALL,
        "ListMatches": ALL,
        "ListTurns": BOTS,
        "SubmitMove": BOTS,
        "Resign": BOTS,
        "OfferDraw": BOTS,
        "AnswerDraw": BOTS,
        "ClaimDraw": BOTS,
        "AbortMatch": ORGANISERS,
        "WatchMatch": ALL,
        "GetRecord": ALL,
    },
    "PlayService": {"Play": BOTS},
    "BotService": {
        "RegisterBot": ORGANISERS,
        "UpdateBot": ORGANISERS,
        "GetBot": ALL,
        "ListBots": ALL,
        "RegisterVersion": OWN_BOTS,
        "ListVersions": ALL,
        "CreateBotToken": ORGANISERS,
        "ListBotTokens": ORGANISERS,
        "RevokeBotToken": ORGANISERS,
        "ReturnBot": OWN_BOTS,
        "ListBotLog": OWN_BOTS,
    },
    "AdminService": {
        "Drain": ADMINS,
        "AdjudicateMatch": ADMINS,
        "VoidMatch": ADMINS,
        "PauseBot": ADMINS,
        "ResumeBot": ADMINS,
        "GetQuota": ADMINS,
        "SetQuota": ADMINS,
        "CreateToken": ADMINS,
        "ListTokens": ADMINS,
        "RevokeToken": ADMINS,
    },
    "LadderService": {
        "CreateLadder": ORGANISERS,
        "GetLadder": ALL,
        "ListLadders": ALL,
        "JoinLadder": OWN_BOTS,
        "LeaveLadder": OWN_BOTS,
        "Challenge": OWN_BOTS,
        "StartSeason": ORGANISERS,
        "PauseLadder": ORGANISERS,
        "ResumeLadder": ORGANISERS,
        "CloseLadder": ORGANISERS,
        "ListLadderStandings": ALL,
        "ListRatingHistory": ALL,
        "WatchLadder": ALL,
    },
    "TournamentService": {
        "CreateTournament": ORGANISERS,
        "GetTournament": ALL,
        "ListTournaments": ALL,
        "EnterTournament": OWN_BOTS,
        "WithdrawEntrant": OWN_BOTS,
        "StartTournament": ORGANISERS,
        "CancelTournament": ORGANISERS,
        "ListPairings": ALL,
        "GetTournamentStandings": ALL,
        "GetCrossTable": ALL,
        "ExportTournament": ALL,
        "WatchTournament": ALL,
    },
}
"""By service and method. What stands not here is called by nobody."""

BEARER = "bearer "
KEPT_US: Micros = 10 * SECOND
"""After so long a known token is read again, in the background. What is revoked here is forgotten at once."""
KEPT_AT_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls."""

    token: Token

    @property
    def role(self) -> Role:
        return self.token.role

    @property
    def holder(self) -> str:
        return self.token.holder

    @property
    def bot(self) -> str:
        """With role bot: for which it speaks. Empty otherwise."""
        return self.token.bot


CALLER: ContextVar[Caller] = ContextVar("caller")
"""Of the call that is being answered."""
ARRIVAL: ContextVar[Arrival] = ContextVar("arrival")
"""When the message of that call was read; of a stream from the client, when it was opened."""


class Gate:
    """Lets in who shows a good token, and may do what it asks for."""

    def __init__(self, tokens: Tokens, time: Time) -> None:
        self._tokens = tokens
        self._time = time
        self._known: OrderedDict[bytes, tuple[Token, Micros]] = OrderedDict()
        """And until when it is known; the one asked for last at the end."""
        self._renewing: dict[bytes, asyncio.Task[None]] = {}

    async def caller(self, authorization: str, service: str, method: str) -> Caller:
        """Raises NoToken, BadToken, NotYours or LogUnavailable."""
        if authorization[: len(BEARER)].lower() != BEARER:
            raise NoToken
        token = await self._token(sha256_of(authorization[len(BEARER) :].strip()))
        if token is None or not token.good_at(self._time.wall_ms()):
            raise BadToken
        if token.role not in RULES.get(service, {}).get(method, frozenset()):
            raise NotYours(method)
        return Caller(token)

    def forget(self, token: Token) -> None:
        """It has changed."""
        self._known.pop(token.sha256, None)

    async def _token(self, sha256: bytes) -> Token | None:
        """A known token is good at once: a call may be a move on its clock, and the disk may be busy."""
        if sha256 not in self._known:
            token = await self._tokens.token_of(sha256)
            if token is None:
                return None
            self._known.setdefault(sha256, (token, self._time.monotonic_us()))
        token, until_us = self._known[sha256]
        self._known.move_to_end(sha256)
        if len(self._known) > KEPT_AT_MOST:
            self._known.popitem(last=False)
        if until_us <= self._time.monotonic_us() and sha256 not in self._renewing:
            self._renewing[sha256] = asyncio.create_task(self._renew(sha256))
            self._renewing[sha256].add_done_callback(lambda _: self._renewing.pop(sha256))
        return token

    async def _renew(self, sha256: bytes) -> None:
        """Read a known token again, and write that it was used."""
        known, now_ms = self._known.get(sha256), self._time.wall_ms()
        with suppress(LogUnavailable):  # It will be tried again.
            token = await self._tokens.token_of(sha256)
            if token and token.good_at(now_ms) and used(token, now_ms) != token:
                token = await self._tokens.change_token(token.id, lambda fresh: used(fresh, now_ms))
            if token and self._known.get(sha256) is known:  # Else it was forgotten meanwhile.
                self._known[sha256] = token, self._time.monotonic_us() + KEPT_US
