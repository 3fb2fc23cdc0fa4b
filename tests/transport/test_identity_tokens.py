"""Verification of tokens of an identity provider, its keys, and what forged tokens cost. The issuer is a real one."""

import asyncio
import base64
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from referee.accounts.tokens import PROVIDER_HOLDER, Role, Token
from referee.live.ports import StoreUnavailable
from referee.match.clock import MS
from referee.transport.contract_options import CALL_RULES
from referee.transport.guards import oidc
from referee.transport.guards.authentication import Authenticator
from referee.transport.guards.identity_tokens import (
    IdentityProvider,
    create_identity_tokens,
    is_safe_url,
)
from referee.transport.guards.oidc import LEEWAY_S, MAX_JWT_CHARS, MAX_LIFETIME_S, OidcTokens
from referee.transport.guards.provider_keys import (
    ANSWER_BYTES,
    MAX_AGE_US,
    MIN_INTERVAL_US,
    ProviderFailed,
    ProviderKeys,
    fetch_keys,
)
from referee.transport.wire.wire_errors import BadToken
from tests.e2e.issuer import AUDIENCE, Issuer, SigningKey, run_issuer
from tests.live.fake_time import FakeTime
from tests.storage.memory import MemoryTokens

pytestmark = pytest.mark.slow


class Harness:
    """An authenticator that accepts the tokens of an issuer. Its monotonic clock is a fake one."""

    def __init__(self, issuer: Issuer, **changed: Any) -> None:
        self.issuer = issuer
        self.time = FakeTime()
        self.time.wall_offset_ms = int(time.time() * 1_000) - self.time.us // MS
        provider = replace(IdentityProvider(issuer.url, AUDIENCE, "referee_role", "sub", False), **changed)
        self.tokens = OidcTokens(provider, ProviderKeys(lambda: fetch_keys(issuer.url), self.time))
        self.authenticator = Authenticator(MemoryTokens(), self.time, self.tokens)

    async def token(self, secret: str) -> Token:
        """Authenticate a call. Raises BadToken or StoreUnavailable."""
        return (await self.authenticator.caller(f"Bearer {secret}", CALL_RULES["GameService/ListGames"])).token

    async def is_valid(self, secret: str) -> bool:
        try:
            await self.token(secret)
        except BadToken:
            return False
        return True


@pytest.fixture(scope="module")
def shared_issuer() -> Iterator[Issuer]:
    with run_issuer() as running:
        yield running


@pytest.fixture
def issuer(shared_issuer: Issuer) -> Iterator[Issuer]:
    keys = list(shared_issuer.keys)
    shared_issuer.fetches = 0
    yield shared_issuer
    shared_issuer.keys, shared_issuer.up, shared_issuer.named = keys, True, None
    shared_issuer.redirects = False


def forged(issuer: Issuer, header: str) -> str:
    """Return a token with a given header and an empty signature."""
    parts = (header, json.dumps(issuer.claims()))
    return ".".join(base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts) + "."


@pytest.mark.parametrize("role", [Role.SPECTATOR, Role.AUTHOR, Role.ORGANISER])
@pytest.mark.parametrize("number", [0, 1], ids=["RS256", "ES256"])
def test_a_signed_token_has_the_role_and_the_holder_of_its_claims(issuer: Issuer, role: Role, number: int) -> None:
    secret = issuer.token(issuer.keys[number], referee_role=role.value, sub="ann")
    token = asyncio.run(Harness(issuer).token(secret))
    assert (token.role, token.holder, token.bot) == (role, f"{PROVIDER_HOLDER}ann", "")
    assert token.expires_ms == (jwt.decode(secret, options={"verify_signature": False})["exp"] + LEEWAY_S) * 1_000


def test_the_claims_of_role_and_holder_can_have_other_names(issuer: Issuer) -> None:
    harness = Harness(issuer, role_claim="https://example.org/role", holder_claim="team", names_admins=True)
    claims: dict[str, Any] = {"https://example.org/role": "admin", "team": "red"}
    token = asyncio.run(harness.token(issuer.token(**claims)))
    assert (token.role, token.holder) == (Role.ADMIN, f"{PROVIDER_HOLDER}red")


@pytest.mark.parametrize(
    "changed",
    [
        {"exp": int(time.time()) - LEEWAY_S - 1},
        {"exp": None},
        {"exp": "soon"},
        {"exp": 1e400},
        {"iat": 1e400},
        {"iat": -1e400},
        {"nbf": 1e400},
        {"iat": None},
        {"exp": int(time.time()) + 2 * MAX_LIFETIME_S},
        {"nbf": int(time.time()) + 50_000},
        {"aud": "another-server"},
        {"aud": None},
        {"iss": "https://id.example.org"},
        {"iss": None},
        {"referee_role": "admin"},
        {"referee_role": "bot"},
        {"referee_role": "public"},
        {"referee_role": ["organiser"]},
        {"referee_role": None},
        {"sub": None},
        {"sub": ""},
        {"sub": "x" * 60},
        {"sub": "two\nlines"},
        {"padding": "x" * MAX_JWT_CHARS},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_signed_token_with_unacceptable_claims_is_refused(issuer: Issuer, changed: dict[str, Any]) -> None:
    assert not asyncio.run(Harness(issuer).is_valid(issuer.token(**changed)))


def hs256_with_the_public_key(issuer: Issuer) -> str:
    public = issuer.keys[0].private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signed = forged(issuer, json.dumps({"alg": "HS256", "kid": "key-1"})).rstrip(".")
    algorithm = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256)
    signature = base64.urlsafe_b64encode(algorithm.sign(signed.encode(), public)).decode().rstrip("=")
    return f"{signed}.{signature}"


FORGERIES: dict[str, Callable[[Issuer], str]] = {
    "alg none": lambda issuer: forged(issuer, '{"alg": "none", "kid": "key-1"}'),
    "no alg": lambda issuer: forged(issuer, '{"kid": "key-1"}'),
    "no key id": lambda issuer: forged(issuer, '{"alg": "RS256"}'),
    "HS256": hs256_with_the_public_key,
    "long key id": lambda issuer: forged(issuer, json.dumps({"alg": "RS256", "kid": "x" * 1_000})),
    "deep header": lambda issuer: forged(issuer, "[" * 3_000),
    "large number": lambda issuer: forged(issuer, '{"alg": "RS256", "kid": ' + "9" * 4_000),
    "no base64": lambda _: "ä.ö.ü",
    "dots": lambda _: "..",
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_token_that_cannot_be_genuine_is_refused_without_a_fetch(issuer: Issuer, forgery: str) -> None:
    harness = Harness(issuer)
    assert not asyncio.run(harness.is_valid(FORGERIES[forgery](issuer)))
    assert issuer.fetches == 0


def test_a_signature_by_another_key_of_the_same_id_or_an_empty_one_is_refused(issuer: Issuer) -> None:
    harness = Harness(issuer)
    other = SigningKey(issuer.keys[0].key_id)
    assert not asyncio.run(harness.is_valid(issuer.token(other)))
    assert not asyncio.run(harness.is_valid(forged(issuer, '{"alg": "RS256", "kid": "key-1"}')))
    crossed = SigningKey(issuer.keys[0].key_id, "ES256")
    assert not asyncio.run(harness.is_valid(issuer.token(crossed)))


def test_a_short_key_of_the_provider_is_not_accepted(issuer: Issuer) -> None:
    issuer.keys = [SigningKey("short", private=rsa.generate_private_key(65_537, 1024))]
    with pytest.warns(jwt.InsecureKeyLengthWarning):
        secret = issuer.token()
    assert not asyncio.run(Harness(issuer).is_valid(secret))


def test_keys_for_other_purposes_or_without_an_id_are_skipped(issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    usable = issuer.keys[0].published()
    listed = [
        usable,
        {**usable, "kid": "encrypts", "use": "enc"},
        {**usable, "kid": 7},
        {**usable, "kid": "other", "alg": "PS256"},
        {"kid": "secret", "kty": "oct", "k": "AAAA"},
        {"kid": "empty"},
        {"kid": "half", "kty": "RSA"},
        "text",
    ]
    monkeypatch.setattr(issuer, "answer", answering(issuer, {"keys": listed}))
    assert set(fetch_keys(issuer.url)) == {usable["kid"]}


def answering(issuer: Issuer, keys: Any, jwks_uri: Any = None) -> Any:
    discovery = {"issuer": issuer.url, "jwks_uri": jwks_uri or f"{issuer.url}/keys"}
    return lambda path: keys if path == "/keys" else discovery


@pytest.mark.parametrize(
    ("keys", "jwks_uri"),
    [
        ({}, None),
        ([1], None),
        ({"keys": "none"}, None),
        ({"keys": [], "padding": "x" * ANSWER_BYTES}, None),
        ({"keys": []}, "http://id.example.org/keys"),
        ({"keys": []}, "file:///etc/hostname"),
        ({"keys": []}, 7),
    ],
)
def test_an_unusable_answer_of_the_provider_gives_no_keys(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch, keys: Any, jwks_uri: Any
) -> None:
    monkeypatch.setattr(issuer, "answer", answering(issuer, keys, jwks_uri))
    with pytest.raises(ProviderFailed):
        fetch_keys(issuer.url)


def test_the_discovery_of_another_issuer_gives_no_keys(issuer: Issuer) -> None:
    issuer.named = "https://id.example.org"
    with pytest.raises(ProviderFailed, match="names another issuer"):
        fetch_keys(issuer.url)


def test_a_redirect_is_not_followed(issuer: Issuer) -> None:
    issuer.redirects = True
    with pytest.raises(ProviderFailed, match="302"):
        fetch_keys(issuer.url)


async def test_a_new_key_is_fetched_when_a_token_names_it(issuer: Issuer) -> None:
    harness = Harness(issuer)
    old = issuer.token()
    await harness.token(old)
    issuer.keys = [SigningKey("key-3")]
    new = issuer.token()
    assert not await harness.is_valid(new), "the keys were fetched just before"
    harness.time.us += MIN_INTERVAL_US
    assert await harness.is_valid(new)
    assert not await harness.is_valid(old), "its key was withdrawn"
    assert issuer.fetches == 2


async def test_old_keys_are_fetched_again_so_that_a_withdrawn_key_is_not_used_for_long(issuer: Issuer) -> None:
    harness = Harness(issuer)
    old = issuer.token()
    await harness.token(old)
    issuer.keys = issuer.keys[1:]
    assert await harness.is_valid(old)
    harness.time.us += MAX_AGE_US
    harness.time.wall_offset_ms -= MAX_AGE_US // MS
    async with asyncio.timeout(60):
        while await harness.is_valid(old):
            await asyncio.sleep(0)
    assert issuer.fetches == 2


async def test_a_flood_of_unknown_key_ids_fetches_the_keys_once(issuer: Issuer) -> None:
    harness = Harness(issuer)
    flood = [issuer.token(replace(issuer.keys[1], key_id=f"unknown-{number}")) for number in range(200)]
    assert not any(await asyncio.gather(*map(harness.is_valid, flood)))
    assert not any([await harness.is_valid(secret) for secret in flood])
    assert await harness.is_valid(issuer.token())
    assert issuer.fetches == 1


async def test_while_the_issuer_is_down_known_keys_are_enough(issuer: Issuer) -> None:
    harness = Harness(issuer)
    issuer.up = False
    with pytest.raises(StoreUnavailable):
        await harness.token(issuer.token())
    issuer.up = True
    with pytest.raises(StoreUnavailable):
        await harness.token(issuer.token())
    harness.time.us += MIN_INTERVAL_US
    await harness.token(issuer.token())
    issuer.up = False
    harness.time.us += MIN_INTERVAL_US
    assert not await harness.is_valid(issuer.token(SigningKey("unknown", "ES256")))
    await harness.token(issuer.token(sub="another"))
    assert issuer.fetches == 1


async def test_a_verified_token_is_remembered_and_a_refused_one_is_not(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = Harness(issuer)
    valid, refused = issuer.token(), issuer.token(aud="another-server")
    assert harness.authenticator.must_verify(f"Bearer {valid}")
    assert await harness.is_valid(valid)
    assert not await harness.is_valid(refused)
    assert not harness.authenticator.must_verify(f"Bearer {valid}")
    assert harness.authenticator.must_verify(f"Bearer {refused}")
    assert not harness.authenticator.must_verify("Bearer rf_abc")
    monkeypatch.setattr(oidc, "CACHE_SIZE", 1)
    assert await harness.is_valid(issuer.token(sub="another"))
    assert harness.authenticator.must_verify(f"Bearer {valid}")


async def test_a_remembered_token_expires(issuer: Issuer) -> None:
    harness = Harness(issuer)
    secret = issuer.token()
    token = await harness.token(secret)
    assert token.expires_ms
    harness.time.us += (token.expires_ms - harness.time.wall_ms()) * MS
    assert not await harness.is_valid(secret)


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://id.example.org", True),
        ("https://id.example.org:8443/realms/cup", True),
        ("http://127.0.0.1:8080", True),
        ("http://[::1]:8080", True),
        ("http://localhost/realm", True),
        ("http://id.example.org", False),
        ("http://127.0.0.1.example.org", False),
        ("https://user@id.example.org", False),
        ("https://id.example.org:port", False),
        ("https://[", False),
        ("https://", False),
        ("https://id.example.org/a b", False),
        ("ftp://127.0.0.1", False),
        ("id.example.org", False),
    ],
)
def test_only_urls_with_tls_or_on_this_machine_are_safe(url: str, safe: bool) -> None:
    assert is_safe_url(url) is safe


def test_without_an_issuer_there_are_no_tokens_of_a_provider() -> None:
    assert create_identity_tokens(IdentityProvider("", "", "role", "sub", False), FakeTime()) is None
