"""Runs all checks of the doctor in order, including those of the settings and of tokens.

A check that raises an exception is a finding, too.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from referee.accounts.tokens import Role, Token, TokenFilter
from referee.cluster.bus.nats_servers import InvalidNatsServers, NatsServers
from referee.live.match_timing import LoopTime
from referee.observability.logs import LogLevel
from referee.observability.tracing import TracesUnavailable, create_tracing
from referee.server.grpc_frontend import VERSION, identity_provider
from referee.server.maintenance.doctor.data_checks import DAY_MS, contests, data, growth, summaries
from referee.server.maintenance.doctor.finding import Finding, bad, ok, warn
from referee.server.maintenance.doctor.machine_checks import clocks, process
from referee.server.maintenance.doctor.network_checks import certificates, ports
from referee.server.maintenance.migrate import schema_version
from referee.server.settings import Settings
from referee.server.settings_reader import DEFAULT, LoadedSettings
from referee.server.stores import DATABASE
from referee.storage.sqlite.accounts import select_tokens
from referee.storage.sqlite.database import BUSY_MS, Durability, migrations, open_for_reading
from referee.transport.guards.identity_tokens import OidcUnavailable, create_identity_tokens

ABOUT = "configuration"

JUMP_NS = 50_000_000

IDLE_MS = 90 * DAY_MS
MAX_ADMINS = 3
MAX_NAMED = 5

OWNERS = "SELECT name, owner FROM bots ORDER BY bot"

TO_REVOKE = "referee admin tokens revoke ID"

Check = Callable[[], Iterable[Finding]]


def examine(in_force: LoadedSettings) -> Iterator[Finding]:
    """Yield each finding as soon as it is known. Nothing is changed."""
    settings = in_force.settings
    database = settings.data_dir / DATABASE
    began_ns = _wall_over_monotonic_ns()
    checks: list[Check] = [lambda: configuration(in_force), lambda: packages(settings)]
    if settings.database:
        checks.append(lambda: _in_postgres(settings))
    elif not settings.ephemeral:
        checks += [lambda: data(settings.data_dir), lambda: contests(database), lambda: summaries(database)]
        checks += [lambda: tokens(database, time.time_ns() // 1_000_000)]
        checks += [lambda: growth(database, time.time_ns() // 1_000_000)]
    checks += [
        lambda: clocks(None if settings.database else database),
        lambda: ports(settings),
        lambda: certificates(settings),
    ]
    checks += [lambda: process(settings)]
    for check in checks:
        yield from _run(check)
    jumped_ns = _wall_over_monotonic_ns() - began_ns
    if abs(jumped_ns) > JUMP_NS:
        sentence = f"jumped by {jumped_ns / 1e9:.2f} s during the checks"
        yield warn("wall clock", sentence, "find out what sets it, and configure it to slew instead")


def _run(check: Check) -> Iterator[Finding]:
    try:
        yield from check()
    except Exception as fault:
        yield bad("doctor", f"check failed: {type(fault).__name__}: {fault}", "please report this bug")


def _in_postgres(settings: Settings) -> Iterator[Finding]:
    try:
        from referee.server.maintenance.doctor.database_checks import database  # noqa: PLC0415  # Optional dependency.
    except ImportError as why:
        yield bad("database", f"requires the package {why.name}", "pip install 'referee[cluster]'")
    else:
        yield from database(settings)


def _wall_over_monotonic_ns() -> int:
    return time.time_ns() - time.monotonic_ns()


def configuration(in_force: LoadedSettings) -> Iterator[Finding]:
    settings = in_force.settings
    own = sum(where != DEFAULT for where in in_force.where.values())
    yield ok(ABOUT, f"valid; {own} of {len(in_force.where)} settings differ from their defaults")
    if settings.ephemeral:
        yield warn(ABOUT, "everything is kept in memory and lost at the end", "unset ephemeral to keep matches")
    if not settings.database and settings.durability is not Durability.FULL:
        yield warn(ABOUT, "a power cut may lose acknowledged moves", "set durability to full")
    if settings.public_without_tls:
        yield warn(
            ABOUT,
            "tokens and moves may travel in plaintext (public_without_tls)",
            "make sure that only your proxy can reach the ports",
        )
    if settings.log_level is LogLevel.DEBUG:
        yield warn(ABOUT, "debug logging fills the disk", "set log_level to info")
    if file := settings.admin_token_file:
        place = file if file.exists() else file.parent
        if file.is_dir() or not os.access(place, os.W_OK):
            sentence = f"admin_token_file {file} cannot be written"
            yield bad(ABOUT, sentence, "create its folder, or choose a path at which the server may write")


def packages(settings: Settings) -> Iterator[Finding]:
    """Create what the server creates by optional packages, and read the files of NATS."""
    nats = NatsServers(settings.nats, settings.nats_credentials, settings.nats_ca)
    trials: list[tuple[str, Callable[[], object]]] = [
        ("oidc_issuer", lambda: create_identity_tokens(identity_provider(settings), LoopTime())),
        ("traces_to", lambda: create_tracing(settings.traces_to, settings.traces_one_in, VERSION).close()),
        ("nats_credentials", nats.credentials),
        ("nats_ca", nats.tls_context),
    ]
    for about, trial in trials:
        try:
            trial()
        except (OidcUnavailable, TracesUnavailable, InvalidNatsServers) as why:
            yield bad(about, str(why), "the server does not start before that")


def tokens(database: Path, now_ms: int) -> Iterator[Finding]:
    """Check for unused tokens, administrator tokens that never expire, and bots whose owner has no token.

    Databases of other releases are reported by `data`.
    """
    if not database.is_file():
        return
    try:
        if schema_version(database) != len(migrations()):
            return
        with closing(open_for_reading(database, BUSY_MS)) as connection:
            valid = select_tokens(connection, TokenFilter(valid_at_ms=now_ms))
            owner_of = dict(connection.execute(OWNERS).fetchall())
    except sqlite3.Error:
        return
    yield from _admins([token for token in valid if token.role is Role.ADMIN])
    yield from _idle([token for token in valid if (token.used_ms or token.created_ms) < now_ms - IDLE_MS])
    yield from _orphaned(valid, owner_of)
    yield ok("tokens", f"{len(valid)} valid tokens, {len(owner_of)} bots")


def _admins(admins: Sequence[Token]) -> Iterator[Finding]:
    if not admins:
        yield warn(
            "tokens",
            "there is no valid administrator token",
            "the next start of the server creates one and shows it once",
        )
    if len(admins) > MAX_ADMINS:
        yield warn("tokens", f"{len(admins)} administrator tokens", f"revoke those that are not needed ({TO_REVOKE})")
    if endless := [token for token in admins if token.expires_ms is None]:
        yield warn(
            "tokens",
            f"{len(endless)} administrator tokens never expire: {_names(endless)}",
            "create one that does (referee admin tokens make admin --days 90), and revoke them",
        )


def _idle(idle: Sequence[Token]) -> Iterator[Finding]:
    if idle:
        sentence = f"{len(idle)} tokens have not been used for 90 days: {_names(idle)}"
        yield warn("tokens", sentence, f"revoke them ({TO_REVOKE})")


def _orphaned(valid: Sequence[Token], owner_of: dict[str, str]) -> Iterator[Finding]:
    holders = {token.holder for token in valid if token.role in (Role.AUTHOR, Role.ORGANISER, Role.ADMIN)}
    left = sorted({token.bot for token in valid if token.bot and owner_of.get(token.bot) not in holders})
    if left:
        named = ", ".join(left[:MAX_NAMED])
        yield warn(
            "tokens",
            f"{len(left)} bots have valid tokens, but their owners have none: {named}",
            "create author or organiser tokens for the owners, or revoke those of the bots",
        )


def _names(some: Sequence[Token]) -> str:
    more = len(some) - MAX_NAMED
    return ", ".join(token.id for token in some[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
