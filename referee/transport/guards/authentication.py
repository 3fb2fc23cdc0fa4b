"""Authentication by bearer token, and the check of the role.

The role is checked before any object is looked up, so that a caller without permission cannot probe for names.
"""

import asyncio
from collections import OrderedDict
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass

from referee.accounts.tokens import BudgetOwner, Role, Token, Tokens, sha256_of, used
from referee.live.loop_lag import MessageArrival
from referee.live.ports import StoreUnavailable, Time
from referee.match.clock import SECOND, Micros
from referee.transport.contract_options import CallRule
from referee.transport.guards.identity_tokens import IdentityTokens, looks_like_jwt
from referee.transport.wire.wire_errors import BadToken, NoToken, NotYours

BEARER = "bearer "
CACHE_US: Micros = 10 * SECOND
"""Age at which a cached token is read again, in the background. A token revoked on this server is removed at once."""
MAX_UNCONFIRMED_US: Micros = 3 * SECOND
"""Time after the last confirmation for which cached tokens are used that another node may have revoked."""
TOKEN_CACHE_SIZE = 10_000


@dataclass(frozen=True, slots=True)
class Caller:
    """The holder of a valid token."""

    token: Token

    @property
    def role(self) -> Role:
        return self.token.role

    @property
    def holder(self) -> str:
        return self.token.holder

    @property
    def bot(self) -> str:
        """Name of the bot, for the role bot; empty otherwise."""
        return self.token.bot

    @property
    def budget_owner(self) -> BudgetOwner:
        return BudgetOwner(self.token.holder, self.token.bot)


CALLER: ContextVar[Caller] = ContextVar("caller")
"""Caller of the current call."""
ARRIVAL: ContextVar[MessageArrival] = ContextVar("arrival")
"""Time at which the message of the current call was read, or a client stream was opened."""


class Authenticator:
    """Verifies tokens and roles, with an LRU cache of tokens."""

    def __init__(
        self, tokens: Tokens, time: Time, identity: IdentityTokens | None = None, is_shared: bool = False
    ) -> None:
        """`identity`: verifies tokens of an identity provider; None: there is none.

        `is_shared`: other nodes revoke tokens too, and somebody calls `confirm` again and again.
        """
        self._identity = identity
        self._tokens = tokens
        self._time = time
        self._is_shared = is_shared
        self._cache: OrderedDict[bytes, tuple[Token, Micros]] = OrderedDict()
        """Tokens and when they are due to be read again; the most recently used last."""
        self._confirmed_us: Micros | None = None
        """When `confirm` was called last."""
        self._renewing: dict[bytes, asyncio.Task[None]] = {}

    async def caller(self, authorization: str, rule: CallRule) -> Caller:
        """Return the caller by its `authorization` header. Raises NoToken, BadToken, NotYours or StoreUnavailable."""
        if authorization[: len(BEARER)].lower() != BEARER:
            raise NoToken
        secret = _secret(authorization)
        if self._identity and looks_like_jwt(secret):
            token = await self._identity.find_token(secret)
        else:
            token = await self._token(sha256_of(secret))
        if token is None or not token.is_valid_at(self._time.wall_ms()):
            raise BadToken
        if token.role not in rule.callers:
            raise NotYours(rule.method, _right_token(rule))
        return Caller(token)

    def must_verify(self, authorization: str) -> bool:
        """Return whether the call costs the verification of a signature, and perhaps the wait for a key."""
        secret = _secret(authorization)
        return self._identity is not None and looks_like_jwt(secret) and not self._identity.knows(secret)

    def forget(self, token: Token) -> None:
        """Remove a token that has changed from the cache."""
        self._cache.pop(token.sha256, None)

    @property
    def cached_tokens(self) -> list[Token]:
        return [token for token, _ in self._cache.values()]

    def confirm(self, asked_us: Micros) -> None:
        """Note that, at a time, no cached token was revoked except those that were removed since."""
        self._confirmed_us = asked_us

    @property
    def _trusts_cache(self) -> bool:
        if not self._is_shared:
            return True
        confirmed_us = self._confirmed_us
        return confirmed_us is not None and self._time.monotonic_us() - confirmed_us <= MAX_UNCONFIRMED_US

    async def _token(self, sha256: bytes) -> Token | None:
        """Return a cached token without waiting for the store, since the call may be a move with a running clock."""
        if not self._trusts_cache:
            self._cache.pop(sha256, None)
        if sha256 not in self._cache:
            token = await self._tokens.find_token(sha256)
            if token is None:
                return None
            self._cache.setdefault(sha256, (token, self._time.monotonic_us()))
        token, until_us = self._cache[sha256]
        self._cache.move_to_end(sha256)
        if len(self._cache) > TOKEN_CACHE_SIZE:
            self._cache.popitem(last=False)
        if until_us <= self._time.monotonic_us() and sha256 not in self._renewing:
            self._renewing[sha256] = asyncio.create_task(self._renew(sha256))
            self._renewing[sha256].add_done_callback(lambda _: self._renewing.pop(sha256))
        return token

    async def _renew(self, sha256: bytes) -> None:
        """Read a cached token again, and store when it was used last."""
        cached, now_ms = self._cache.get(sha256), self._time.wall_ms()
        with suppress(StoreUnavailable):  # The next call tries again.
            token = await self._tokens.find_token(sha256)
            if token and token.is_valid_at(now_ms) and used(token, now_ms) != token:
                token = await self._tokens.change_token(token.id, lambda fresh: used(fresh, now_ms))
            if token and self._cache.get(sha256) is cached:  # Otherwise `forget` was called meanwhile.
                self._cache[sha256] = token, self._time.monotonic_us() + CACHE_US


def _right_token(rule: CallRule) -> str:
    if Role.BOT in rule.callers:
        return "the bot's token"
    return f"a token of the role {' or '.join(role.value for role in Role if role in rule.callers)}"


def _secret(authorization: str) -> str:
    return authorization[len(BEARER) :].strip()
