"""Verifies tokens of an identity provider: JSON web tokens that the provider signed for this server."""

from collections import OrderedDict
from typing import Any

import jwt
import structlog

from referee.accounts.account_errors import BadField
from referee.accounts.tokens import PROVIDER_HOLDER, Role, Token, sha256_of
from referee.transport.guards.identity_tokens import IdentityProvider
from referee.transport.guards.provider_keys import ALGORITHMS, ProviderKeys

MAX_JWT_CHARS = 6_000
KEY_ID_CHARS = 200
LEEWAY_S = 10
"""How far the clock of the provider may be wrong."""
MAX_LIFETIME_S = 86_400
"""A token cannot be revoked, so it must end by itself."""
CACHE_SIZE = 10_000
CLAIMS = ["exp", "iat", "iss", "aud"]
"""Claims that every token must have."""
UNREADABLE = (jwt.PyJWTError, ValueError, TypeError)
"""Errors that texts chosen by strangers can cause in the decoder."""

log = structlog.get_logger("referee")


class OidcTokens:
    """Verifies the tokens of one provider, with an LRU cache of valid ones."""

    def __init__(self, provider: IdentityProvider, keys: ProviderKeys) -> None:
        self._provider = provider
        self._keys = keys
        named = {Role.SPECTATOR, Role.AUTHOR, Role.ORGANISER} | ({Role.ADMIN} if provider.names_admins else set())
        self._roles = {role.value: role for role in named}
        self._cache: OrderedDict[bytes, Token] = OrderedDict()
        """Tokens that are signed by the current keys, by their hashes; the most recently used last."""
        self._verified_by = keys.current

    def knows(self, secret: str) -> bool:
        return self._cached(sha256_of(secret)) is not None

    async def find_token(self, secret: str) -> Token | None:
        if len(secret) > MAX_JWT_CHARS:
            return None
        sha256 = sha256_of(secret)
        if token := self._cached(sha256):
            self._cache.move_to_end(sha256)
            return token
        key_id = _key_id(secret)
        key = await self._keys.find_key(key_id) if key_id else None
        token = self._verify(secret, key) if key else None
        # A key can be withdrawn while this call waits: what it signed is not remembered.
        if token and self._keys.current.get(key_id) is key:
            self._drop_outdated()
            self._cache[sha256] = token
            if len(self._cache) > CACHE_SIZE:
                self._cache.popitem(last=False)
        return token

    def _cached(self, sha256: bytes) -> Token | None:
        self._drop_outdated()
        return self._cache.get(sha256)

    def _drop_outdated(self) -> None:
        """Forget all tokens when the keys were fetched again: one of these may have been withdrawn."""
        if self._keys.current is not self._verified_by:
            self._verified_by = self._keys.current
            self._cache.clear()

    def _verify(self, secret: str, key: jwt.PyJWK) -> Token | None:
        try:
            claims = jwt.decode(
                secret,
                key,
                [key.algorithm_name],
                {"require": CLAIMS, "enforce_minimum_key_length": True},
                audience=self._provider.audience,
                issuer=self._provider.issuer,
                leeway=LEEWAY_S,
            )
            return self._token(sha256_of(secret), claims)
        except (BadField, *UNREADABLE) as why:
            log.debug("token of the identity provider refused", reason=str(why))
            return None

    def _token(self, sha256: bytes, claims: dict[str, Any]) -> Token:
        """Return the token that the claims describe. Raises BadField or ValueError."""
        role, holder = claims.get(self._provider.role_claim), claims.get(self._provider.holder_claim)
        if not isinstance(role, str) or role not in self._roles:
            raise BadField(self._provider.role_claim, f"it must be one of {', '.join(sorted(self._roles))}")
        if not isinstance(holder, str) or not holder:
            raise BadField(self._provider.holder_claim, "it must be a text")
        expires_s = int(claims["exp"])
        if expires_s - int(claims["iat"]) > MAX_LIFETIME_S:
            raise BadField("exp", f"it must be at most {MAX_LIFETIME_S} s after iat")
        expires_ms = (expires_s + LEEWAY_S) * 1_000
        return Token(sha256, self._roles[role], PROVIDER_HOLDER + holder, 0, expires_ms=expires_ms)


def _key_id(secret: str) -> str:
    """Return the id of the key that signed a token; empty: the token is unreadable, or signed in a way not accepted."""
    try:
        header = jwt.get_unverified_header(secret)
    except UNREADABLE:
        return ""
    key_id = header.get("kid")
    acceptable = header.get("alg") in ALGORITHMS and isinstance(key_id, str) and len(key_id) <= KEY_ID_CHARS
    return str(key_id) if acceptable else ""
