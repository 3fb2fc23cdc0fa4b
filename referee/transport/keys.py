"""Tokens made and revoked, whoever asks for it."""

from collections.abc import Callable

from referee.app.contests.log import LADDER, TOURNAMENT, contest_id
from referee.app.ports import Time
from referee.app.refusals import BadField
from referee.app.tokens import Minted, Role, Token, Tokens, mint, revoked
from referee.transport.auth import Gate
from referee.transport.quota import Allowances

CONTESTS = (contest_id(LADDER, ""), contest_id(TOURNAMENT, ""))


class Keys:
    def __init__(
        self, tokens: Tokens, gate: Gate, allowances: Allowances, time: Time, random_bytes: Callable[[], bytes]
    ) -> None:
        """`random_bytes` gives 32 that nobody knows."""
        self._tokens = tokens
        self._gate = gate
        self._allowances = allowances
        self._time = time
        self._random_bytes = random_bytes

    def mint(self) -> Minted:
        return mint(self._random_bytes())

    def token(
        self, minted: Minted, role: Role, holder: str, bot: str = "", label: str = "", expires_ms: int | None = None
    ) -> Token:
        """What is kept of a secret. Raises BadName or BadField."""
        if holder.startswith(CONTESTS):  # What contests make bears their names: nobody else may.
            raise BadField("holder", f"contests are named so; any other beginning than {', '.join(CONTESTS)} is right")
        return Token(minted.sha256, role, holder, self._time.wall_ms(), bot, label, expires_ms)

    async def make(
        self, role: Role, holder: str, bot: str = "", label: str = "", expires_ms: int | None = None
    ) -> tuple[str, Token]:
        """A new secret, shown once, and its token. Raises BadName, BadField or TooManyNames."""
        minted = self.mint()
        token = self.token(minted, role, holder, bot, label, expires_ms)
        await self._tokens.add_token(token, (await self._allowances.quota(holder)).tokens_at_most)
        return minted.secret, token

    async def revoke(self, token_id: str) -> Token:
        """It is good for nothing from now on, and streams that were opened with it end. Raises UnknownToken."""
        token = await self._tokens.change_token(token_id, revoked)
        self._gate.forget(token)
        self._allowances.end_streams(token.id)
        return token
