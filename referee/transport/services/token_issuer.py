"""Creates and revokes tokens, for the servicers and for the first token of an administrator."""

from collections.abc import Callable

from referee.accounts.account_errors import BadField
from referee.accounts.tokens import MintedSecret, Role, Token, Tokens, mint_secret, revoked
from referee.hosting.contest_log import LADDER, TOURNAMENT, contest_id
from referee.live.ports import Time
from referee.transport.guards.authentication import Authenticator
from referee.transport.guards.rate_limit import RateLimiter

CONTESTS = (contest_id(LADDER, ""), contest_id(TOURNAMENT, ""))


class TokenIssuer:
    def __init__(
        self,
        tokens: Tokens,
        authenticator: Authenticator,
        rate_limiter: RateLimiter,
        time: Time,
        random_bytes: Callable[[], bytes],
    ) -> None:
        """`random_bytes` returns 32 bytes from a secure random source."""
        self._tokens = tokens
        self._authenticator = authenticator
        self._rate_limiter = rate_limiter
        self._time = time
        self._random_bytes = random_bytes

    def mint(self) -> MintedSecret:
        return mint_secret(self._random_bytes())

    def token(
        self,
        minted: MintedSecret,
        role: Role,
        holder: str,
        bot: str = "",
        label: str = "",
        expires_ms: int | None = None,
    ) -> Token:
        """Return the token of a secret, as it is stored. Raises BadName or BadField."""
        if holder.startswith(CONTESTS):  # Reserved: matches that a contest creates have it as their holder.
            raise BadField("holder", f"the prefixes {', '.join(CONTESTS)} are reserved for contests")
        return Token(minted.sha256, role, holder, self._time.wall_ms(), bot, label, expires_ms)

    async def issue(
        self, role: Role, holder: str, bot: str = "", label: str = "", expires_ms: int | None = None
    ) -> tuple[str, Token]:
        """Store a new token; return its secret and the token. Raises BadName, BadField or TooManyNames."""
        minted = self.mint()
        token = self.token(minted, role, holder, bot, label, expires_ms)
        await self._tokens.add_token(token, (await self._rate_limiter.quota(holder)).tokens_at_most)
        return minted.secret, token

    async def revoke(self, token_id: str) -> Token:
        """Revoke a token, and end the streams that were opened with it. Raises UnknownToken."""
        token = await self._tokens.change_token(token_id, revoked)
        self._authenticator.forget(token)
        self._rate_limiter.end_streams(token.id)
        return token
