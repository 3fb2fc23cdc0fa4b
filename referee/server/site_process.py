"""The web site of a server: a child process, so that neither its visitors nor its faults cost a match anything.

It is started again when it fails. Its port stays open meanwhile, so that visitors wait instead of being rejected. It
reads the server through a Unix socket that only this user can open, with a token of a spectator.
"""

import hashlib
import socket
import sys
import tempfile
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.accounts.tokens import Quota, Quotas, Role, Token, TokenFilter, Tokens, mint_secret
from referee.server.setting_types import Address
from referee.server.watched_process import WatchedProcess

PACKAGES = ("hypercorn", "starlette")
MISSING_PACKAGES = "the web site needs more packages: pip install 'referee[site]'"
BACKLOG = 1_024
CHILD_FLAG = "--child"
"""Hidden flag of `referee site`, with the descriptor of its socket. Its token is the first line of standard input."""
CERT_FLAG, PLAINTEXT_FLAG = "--bots-cert", "--bots-plaintext"
"""Hidden flags: the certificate with which bots connect, or that no connection of theirs uses TLS."""

SITE_HOLDER = "referee-site"
SITE_QUOTA = Quota(max_streams=8_000, calls_per_minute=200_000)
"""Quota of the site unless an administrator has set another one: its visitors share it."""
MAX_SITE_TOKENS = 10


class SiteUnavailable(Exception):
    """The site cannot be started. `str()` is one sentence."""


def check_packages() -> None:
    """Raises SiteUnavailable."""
    if any(find_spec(package) is None for package in PACKAGES):
        raise SiteUnavailable(MISSING_PACKAGES)


def open_socket(listen: Address) -> socket.socket:
    """Return a socket that listens. Raises SiteUnavailable, also if the packages of the site are missing."""
    check_packages()
    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    try:
        return socket.create_server((listen.host, listen.port), family=family, backlog=BACKLOG)
    except OSError as why:
        raise SiteUnavailable(f"cannot listen on {listen}: {why.strerror}") from None


class SiteProcess:
    """Keeps the site running from `start` to `close`."""

    def __init__(self, listen: Address) -> None:
        """Open its port. Raises SiteUnavailable."""
        self._socket = open_socket(listen)
        self.address = replace(listen, port=self._socket.getsockname()[1])
        self._folder = tempfile.TemporaryDirectory(prefix="referee-site-")
        self.server_path = Path(self._folder.name) / "grpc.sock"
        """Path of the Unix socket at which the server must listen."""
        self._process: WatchedProcess | None = None

    def start(
        self,
        token: str,
        bots_address: str,
        *,
        names: str,
        proxies: str,
        tls_cert: Path | None = None,
        plaintext: bool = False,
    ) -> None:
        """Start it once the server listens; `names` and `proxies` as the settings have them.

        `bots_address`: where bots connect, as it tells visitors; `:PORT` at the host of the site. `tls_cert`: the
        server's own certificate there. `plaintext`: whether nothing there uses TLS.
        """
        fd = self._socket.fileno()
        flags = [CHILD_FLAG, str(fd), "--at", f"unix:{self.server_path}", "--bots-address", bots_address]
        flags += ["--names", names, "--proxies", proxies] + [PLAINTEXT_FLAG] * plaintext
        flags += [CERT_FLAG, str(tls_cert)] if tls_cert else []
        command = [sys.executable, "-P", "-m", "referee", "site", *flags]
        self._process = WatchedProcess("the site", command, [fd], f"{token}\n".encode())

    async def close(self) -> None:
        if self._process:
            await self._process.close()
        self._socket.close()
        self._folder.cleanup()


async def site_secret(tokens: Tokens, quotas: Quotas, key: Ed25519PrivateKey, now_ms: int) -> str:
    """Return the secret of the site's token, which is stored if it is not yet.

    It is derived from the signing key, so that all starts and all nodes use one token, and none has to keep its secret.
    A token that an administrator has revoked stays revoked.
    """
    minted = mint_secret(hashlib.sha256(b"token of the site\0" + key.private_bytes_raw()).digest())
    known = await tokens.tokens(TokenFilter(holder=SITE_HOLDER))
    if all(token.sha256 != minted.sha256 for token in known):
        token = Token(minted.sha256, Role.SPECTATOR, SITE_HOLDER, now_ms, label="the web site of this server")
        await tokens.add_token(token, MAX_SITE_TOKENS)
    if await quotas.quota(SITE_HOLDER) is None:
        await quotas.set_quota(SITE_HOLDER, SITE_QUOTA)
    return minted.secret
