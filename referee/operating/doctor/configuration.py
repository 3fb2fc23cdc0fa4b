"""The settings, as `serve` would read them: what is set so that it would hurt."""

from collections.abc import Iterator

from referee.operating.doctor.finding import Finding, ok, warn
from referee.settings.reading import DEFAULT, InForce
from referee.storage.sqlite_file import Durability
from referee.telemetry.log_wishes import LogLevel

ABOUT = "configuration"


def configuration(in_force: InForce) -> Iterator[Finding]:
    settings = in_force.settings
    own = sum(where != DEFAULT for where in in_force.where.values())
    yield ok(ABOUT, f"it can be read; {own} of {len(in_force.where)} settings are not the defaults")
    if settings.ephemeral:
        yield warn(ABOUT, "everything is kept in memory, and forgotten at the end", "unset ephemeral to keep matches")
    if settings.durability is not Durability.FULL:
        yield warn(ABOUT, "a power cut may take back moves that were acknowledged", "set durability to full")
    if settings.public_without_tls:
        yield warn(
            ABOUT,
            "tokens and moves may travel in plaintext (public_without_tls)",
            "see that nobody but your proxy can reach the ports",
        )
    if settings.log_level is LogLevel.DEBUG:
        yield warn(ABOUT, "everything is logged, and the disk will feel it", "set log_level to info")
