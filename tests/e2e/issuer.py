"""An identity provider on this machine: serves discovery and its public keys, and signs tokens."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

AUDIENCE = "referee"
LIFETIME_S = 3_600


@dataclass
class SigningKey:
    key_id: str
    algorithm: str = "RS256"
    private: Any = None

    def __post_init__(self) -> None:
        if self.private is None:
            rs256 = self.algorithm == "RS256"
            self.private = rsa.generate_private_key(65_537, 2048) if rs256 else ec.generate_private_key(ec.SECP256R1())

    def published(self) -> dict[str, Any]:
        kind = RSAAlgorithm if self.algorithm == "RS256" else ECAlgorithm
        return {**kind.to_jwk(self.private.public_key(), as_dict=True), "kid": self.key_id, "use": "sig"}


@dataclass
class Issuer:
    url: str
    keys: list[SigningKey] = field(default_factory=lambda: [SigningKey("key-1"), SigningKey("key-2", "ES256")])
    up: bool = True
    fetches: int = 0
    """How often the keys were fetched."""
    redirects: bool = False
    """Whether the keys are found by a redirect only."""
    named: str | None = None
    """Issuer that discovery names, if it is another."""

    def claims(self, **changed: Any) -> dict[str, Any]:
        """Return the claims of a valid token of an organiser; a claim that is None is left out."""
        now_s = int(time.time())
        usual = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": "ada",
            "referee_role": "organiser",
            "iat": now_s,
            "exp": now_s + LIFETIME_S,
        }
        return {name: value for name, value in (usual | changed).items() if value is not None}

    def token(self, key: SigningKey | None = None, **changed: Any) -> str:
        key = key or self.keys[0]
        return jwt.encode(self.claims(**changed), key.private, key.algorithm, {"kid": key.key_id})

    def answer(self, path: str) -> dict[str, Any] | None:
        if path == "/.well-known/openid-configuration":
            return {"issuer": self.named or self.url, "jwks_uri": f"{self.url}/keys"}
        if path in ("/keys", "/moved"):
            self.fetches += 1
            return {"keys": [key.published() for key in self.keys]}
        return None


@contextmanager
def run_issuer() -> Iterator[Issuer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = issuer.answer(self.path) if issuer.up else None
            redirected = issuer.redirects and self.path == "/keys"
            self.send_response(302 if redirected else 200 if answer else 503)
            if redirected:
                self.send_header("Location", "/moved")
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # The base class names it.
            """Writes nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        issuer = Issuer(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield issuer
        finally:
            server.shutdown()
            thread.join()
