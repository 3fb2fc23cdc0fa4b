"""Runs all checks of the doctor in order. A check that raises an exception is a finding, too."""

from collections.abc import Callable, Iterable, Iterator

from referee.server.maintenance.doctor.data_checks import data
from referee.server.maintenance.doctor.finding import Finding, bad
from referee.server.maintenance.doctor.port_checks import ports
from referee.server.settings import Settings

Check = Callable[[Settings], Iterable[Finding]]


def examine(settings: Settings) -> Iterator[Finding]:
    """Yield each finding as soon as it is known. Nothing is changed."""
    if settings.database:
        yield from _run(_in_postgres, settings)
    elif not settings.ephemeral:
        yield from _run(lambda settings: data(settings.data_dir), settings)
    yield from _run(ports, settings)


def _run(check: Check, settings: Settings) -> Iterator[Finding]:
    try:
        yield from check(settings)
    except Exception as fault:
        yield bad("doctor", f"check failed: {type(fault).__name__}: {fault}", "please report this bug")


def _in_postgres(settings: Settings) -> Iterator[Finding]:
    try:
        from referee.server.maintenance.doctor.database_checks import database  # noqa: PLC0415  # Optional dependency.
    except ImportError as why:
        yield bad("database", f"requires the package {why.name}", "pip install 'referee[cluster]'")
    else:
        yield from database(settings)
