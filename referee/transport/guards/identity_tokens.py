"""Tokens of an identity provider (OpenID Connect): what the server is told about it, and how it is connected.

The provider is off by default. The library that verifies its tokens is then not imported; it is installed with
`referee[oidc]`.
"""

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Protocol
from urllib.parse import urlsplit

from referee.accounts.tokens import Token
from referee.live.ports import Time


@dataclass(frozen=True, slots=True)
class IdentityProvider:
    """An issuer of tokens, and what their claims mean."""

    issuer: str
    """URL, exactly as in the claim `iss`."""
    audience: str
    """What the claim `aud` must be or contain."""
    role_claim: str
    holder_claim: str
    names_admins: bool
    """Whether a token may have the role admin."""


class IdentityTokens(Protocol):
    """Verifies tokens of the provider."""

    def knows(self, secret: str) -> bool:
        """Return whether the token has been verified before, and is remembered."""

    async def find_token(self, secret: str) -> Token | None:
        """Return what the token permits; None: it is invalid. Raises StoreUnavailable if there are no keys yet."""


class OidcUnavailable(Exception):
    """A provider is set, but its library is not installed. `str()` is one sentence."""


def create_identity_tokens(provider: IdentityProvider, time: Time) -> IdentityTokens | None:
    """Return None if the provider has no issuer. Raises OidcUnavailable."""
    if not provider.issuer:
        return None
    try:
        from referee.transport.guards.oidc import OidcTokens  # noqa: PLC0415  # Optional dependencies.
        from referee.transport.guards.provider_keys import ProviderKeys, fetch_keys  # noqa: PLC0415
    except ImportError as why:
        raise OidcUnavailable(f"oidc_issuer requires the package {why.name}: pip install 'referee[oidc]'") from None
    return OidcTokens(provider, ProviderKeys(lambda: fetch_keys(provider.issuer), time))


def looks_like_jwt(secret: str) -> bool:
    """Return whether a bearer token has three parts; the secrets of stored tokens contain no full stops."""
    return secret.count(".") == 2


def is_safe_url(url: str) -> bool:
    """Return whether what is read from a URL cannot be changed on its way: https, or http on this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
        parts.port  # noqa: B018  # Raises ValueError if it is not a port.
    except ValueError:
        return False
    if not host or parts.username is not None or not url.isascii() or not url.isprintable() or " " in url:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(host))


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
