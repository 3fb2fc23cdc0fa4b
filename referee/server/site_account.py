"""The token with which the site of this server, or of each node of a cluster, reads as a spectator."""

import hashlib

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.accounts.tokens import Quota, Quotas, Role, Token, TokenFilter, Tokens, mint_secret

SITE_HOLDER = "referee-site"
QUOTA = Quota(max_streams=8_000, calls_per_minute=200_000)
"""Quota of the site unless an administrator has set another one: its visitors share it."""
MAX_TOKENS = 10


async def site_secret(tokens: Tokens, quotas: Quotas, key: Ed25519PrivateKey, now_ms: int) -> str:
    """Return the secret of the site's token, which is stored if it is not yet.

    It is derived from the signing key, so that all starts and all nodes use one token, and none has to keep its secret.
    A token that an administrator has revoked stays revoked.
    """
    minted = mint_secret(hashlib.sha256(b"token of the site\0" + key.private_bytes_raw()).digest())
    known = await tokens.tokens(TokenFilter(holder=SITE_HOLDER))
    if all(token.sha256 != minted.sha256 for token in known):
        token = Token(minted.sha256, Role.SPECTATOR, SITE_HOLDER, now_ms, label="the web site of this server")
        await tokens.add_token(token, MAX_TOKENS)
    if await quotas.quota(SITE_HOLDER) is None:
        await quotas.set_quota(SITE_HOLDER, QUOTA)
    return minted.secret
