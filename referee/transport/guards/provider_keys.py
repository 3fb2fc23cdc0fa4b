"""Public keys of an identity provider: fetched by discovery, cached, and fetched again when a key is unknown."""

import asyncio
import json
from collections.abc import Callable, Mapping
from http.client import HTTPException
from typing import Any, TypeAlias
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, build_opener

import structlog
from jwt import PyJWK, PyJWTError

from referee.live.ports import StoreUnavailable, Time
from referee.match.clock import SECOND, Micros
from referee.transport.guards.identity_tokens import is_safe_url

DISCOVERY = "/.well-known/openid-configuration"
FETCH_TIMEOUT_S = 5
ANSWER_BYTES = 262_144
MAX_KEYS = 64
MIN_INTERVAL_US: Micros = 5 * SECOND
"""Least time between two fetches, whatever key ids callers make up."""
MAX_AGE_US: Micros = 600 * SECOND
"""Age at which the keys are fetched again, so that a key that the provider withdraws is not used for long."""
ALGORITHMS = frozenset({"RS256", "ES256"})
"""Signatures by private keys. With others, such as HS256, whoever knows the public key could sign."""

Keys: TypeAlias = Mapping[str, PyJWK]

log = structlog.get_logger("referee")


class ProviderFailed(Exception):
    """The provider cannot be reached, or its answer is unusable. `str()` says why."""


class ProviderKeys:
    """The keys of one provider, by their ids."""

    def __init__(self, fetch: Callable[[], Keys], time: Time) -> None:
        """`fetch` is called in a thread, and may raise ProviderFailed."""
        self._fetch = fetch
        self._time = time
        self._keys: Keys = {}
        self._fetched_us: Micros | None = None
        self._tried_us: Micros | None = None
        self._refreshing: asyncio.Task[None] | None = None

    @property
    def current(self) -> Keys:
        """The keys that were fetched last. Fetches them again, in the background, if they are old."""
        if self._fetched_us is not None and self._time.monotonic_us() >= self._fetched_us + MAX_AGE_US:
            self._refresh()
        return self._keys

    async def find_key(self, key_id: str) -> PyJWK | None:
        """Return the key; None: the provider has no such key. Raises StoreUnavailable if no keys could be fetched."""
        if key_id not in self._keys:
            self._refresh()
            if self._refreshing:
                await asyncio.shield(self._refreshing)
        if self._fetched_us is None:
            raise StoreUnavailable("the keys of the identity provider could not be fetched")
        return self._keys.get(key_id)

    def _refresh(self) -> None:
        """Start to fetch the keys, unless that was tried just before."""
        now_us = self._time.monotonic_us()
        if self._refreshing or (self._tried_us is not None and now_us < self._tried_us + MIN_INTERVAL_US):
            return
        self._tried_us = now_us
        self._refreshing = asyncio.create_task(self._replace_keys())

    async def _replace_keys(self) -> None:
        try:
            self._keys = await asyncio.to_thread(self._fetch)
            self._fetched_us = self._time.monotonic_us()
        except ProviderFailed as why:
            log.warning("keys of the identity provider not fetched", reason=str(why))
        finally:
            self._refreshing = None


def fetch_keys(issuer: str) -> Keys:
    """Return the keys of an issuer. Blocks. Raises ProviderFailed."""
    described = _read_json(issuer.rstrip("/") + DISCOVERY)
    if described.get("issuer") != issuer:
        raise ProviderFailed(f"the provider at {issuer} names another issuer")
    listed = _read_json(described.get("jwks_uri")).get("keys")
    if not isinstance(listed, list):
        raise ProviderFailed(f"the provider at {issuer} lists no keys")
    return {key.key_id: key for key in map(_usable_key, listed[:MAX_KEYS]) if key and key.key_id}


def _read_json(url: object) -> dict[str, Any]:
    if not isinstance(url, str) or not is_safe_url(url):
        raise ProviderFailed("the provider names a URL that has no TLS")
    try:
        with _opener(url).open(url, timeout=FETCH_TIMEOUT_S) as response:
            answer = response.read(ANSWER_BYTES + 1)
        if len(answer) > ANSWER_BYTES:
            raise ProviderFailed(f"the answer of {url} has more than {ANSWER_BYTES} bytes")
        read = json.loads(answer)
    except (OSError, HTTPException, ValueError, RecursionError) as why:
        raise ProviderFailed(f"{url} cannot be read: {why}") from None
    if not isinstance(read, dict):
        raise ProviderFailed(f"the answer of {url} is no JSON object")
    return read


class _NoRedirects(HTTPRedirectHandler):
    """A redirect is an error: it could lead to a URL without TLS."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _opener(url: str) -> OpenerDirector:
    """Return what opens a URL: directly on this machine, and as the environment says elsewhere."""
    return build_opener(_NoRedirects, *([ProxyHandler({})] if url.startswith("http:") else []))


def _usable_key(described: object) -> PyJWK | None:
    """Return the key; None: it has no id, is not for signatures, or not of a type that is accepted."""
    if not isinstance(described, dict) or not isinstance(described.get("kid"), str):
        return None
    if described.get("use", "sig") != "sig":
        return None
    try:
        key = PyJWK(described)
    except (PyJWTError, LookupError, ValueError, TypeError):
        return None
    return key if key.algorithm_name in ALGORITHMS else None
