"""Runs all checks of the doctor in order, including those of the settings.

A check that raises an exception is a finding, too.
"""

import time
from collections.abc import Callable, Iterable, Iterator

from referee.maintenance.doctor.data_checks import contests, data
from referee.maintenance.doctor.finding import Finding, bad, ok, warn
from referee.maintenance.doctor.machine_checks import clocks, process
from referee.maintenance.doctor.network_checks import certificates, ports
from referee.maintenance.doctor.token_checks import tokens
from referee.observability.logs import LogLevel
from referee.server.settings_reader import DEFAULT, LoadedSettings
from referee.server.stores import DATABASE
from referee.storage.sqlite.database import Durability

ABOUT = "configuration"

JUMP_NS = 50_000_000

Check = Callable[[], Iterable[Finding]]


def examine(in_force: LoadedSettings) -> Iterator[Finding]:
    """Yield each finding as soon as it is known. Nothing is changed."""
    settings = in_force.settings
    database = settings.data_dir / DATABASE
    began_ns = _wall_over_monotonic_ns()
    checks: list[Check] = [lambda: configuration(in_force)]
    if not settings.ephemeral:
        checks += [lambda: data(settings.data_dir), lambda: contests(database)]
        checks += [lambda: tokens(database, time.time_ns() // 1_000_000)]
    checks += [lambda: clocks(database), lambda: ports(settings), lambda: certificates(settings)]
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


def _wall_over_monotonic_ns() -> int:
    return time.time_ns() - time.monotonic_ns()


def configuration(in_force: LoadedSettings) -> Iterator[Finding]:
    settings = in_force.settings
    own = sum(where != DEFAULT for where in in_force.where.values())
    yield ok(ABOUT, f"valid; {own} of {len(in_force.where)} settings differ from their defaults")
    if settings.ephemeral:
        yield warn(ABOUT, "everything is kept in memory and lost at the end", "unset ephemeral to keep matches")
    if settings.durability is not Durability.FULL:
        yield warn(ABOUT, "a power cut may lose acknowledged moves", "set durability to full")
    if settings.public_without_tls:
        yield warn(
            ABOUT,
            "tokens and moves may travel in plaintext (public_without_tls)",
            "make sure that only your proxy can reach the ports",
        )
    if settings.log_level is LogLevel.DEBUG:
        yield warn(ABOUT, "debug logging fills the disk", "set log_level to info")
