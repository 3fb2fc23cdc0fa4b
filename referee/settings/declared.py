"""Every setting of the server, declared once: name, kind, default, and one sentence.

A setting that counts something has its unit as the last word of its name. None is a secret: keys lie in
files, and the settings name the files. Paths are seen from the directory in which the server starts.
"""

# What `_declared` gives is a dataclass field, and no default that instances would share.
# ruff: noqa: RUF009

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from referee.settings.kinds import ENDPOINT, FILE, LISTEN, PATH, SWITCH, Address, Kind, one_of, whole, written
from referee.settings.refusals import BadSetting
from referee.storage.sqlite_file import Durability
from referee.telemetry.log_wishes import LogFormat, LogLevel

T = TypeVar("T")

UNITS = {"ms": "milliseconds", "s": "seconds", "bytes": "bytes"}


def _declared(kind: Kind[T], default: str, meaning: str) -> T:
    value: T = field(default=kind.read(default), metadata={"kind": kind, "meaning": meaning})
    return value


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in force."""

    data_dir: Path = _declared(PATH, "referee-data", "Where the database lies; made if it is not there.")
    ephemeral: bool = _declared(SWITCH, "false", "Keep everything in memory, and forget it at the end.")
    admin_token_file: Path | None = _declared(
        FILE, "", "Where the first administrator's token is written, instead of to standard output."
    )
    durability: Durability = _declared(
        one_of(Durability), "full", "What an acknowledged move survives: full, a power cut; normal, a crash."
    )

    listen: Address = _declared(LISTEN, "127.0.0.1:7700", "Where gRPC is served; port 0 takes any that is free.")
    http_listen: Address = _declared(
        LISTEN, "127.0.0.1:7780", "Where metrics and health are served, without TLS; port 0 as above."
    )
    tls_cert: Path | None = _declared(FILE, "", "The certificate chain for gRPC (PEM); read anew when it changes.")
    tls_key: Path | None = _declared(FILE, "", "The private key of the certificate (PEM).")
    tls_client_ca: Path | None = _declared(
        FILE, "", "Whose client certificates are taken (PEM); with it, nobody comes in without one."
    )
    tls_reload_every_ms: int = _declared(whole(), "10000", "How often the TLS files are looked at for a change.")
    public_without_tls: bool = _declared(
        SWITCH, "false", "Consent to be reached from other machines without TLS, for instance behind a proxy."
    )

    log_format: LogFormat = _declared(
        one_of(LogFormat), "auto", "How the log is written; auto is console on a terminal and json elsewhere."
    )
    log_level: LogLevel = _declared(one_of(LogLevel), "info", "The least weighty events that are logged.")

    traces_to: str = _declared(
        ENDPOINT, "", "Where traces are sent, by OTLP over gRPC (it needs referee[traces]); empty is nowhere."
    )
    traces_one_in: int = _declared(whole(), "100", "Of so many calls, and answers of bots, one is traced.")

    ping_every_ms: int = _declared(whole(), "5000", "How often a bot's stream is pinged.")
    gone_after_ms: int = _declared(whole(), "15000", "How long without a pong until a session counts as gone.")
    hello_within_ms: int = _declared(
        whole(), "10000", "How long the first message of a call may take, the Hello of a Play stream among them."
    )
    read_within_ms: int = _declared(
        whole(), "30000", "How long a caller may take to read an answer before its call is reset."
    )
    keepalive_every_ms: int = _declared(whole(), "60000", "How often a quiet connection is tried.")
    keepalive_within_ms: int = _declared(whole(), "20000", "How long a tried connection may take to answer.")
    client_pings_apart_ms: int = _declared(
        whole(), "5000", "How far apart a client's own connection pings must be, or it is told too_many_pings."
    )

    credit_per_move_ms: int = _declared(whole(0), "100", "How much of the network's time is given back a move.")
    credit_per_match_ms: int = _declared(
        whole(0), "10000", "How much of the network's time is given back to a seat in a whole match."
    )
    start_within_ms: int = _declared(whole(), "60000", "How long a match waits for its seats before it is void.")
    faults_in_a_row_at_most: int = _declared(whole(), "5", "After so many faults in a row a bot is paused.")

    message_at_most_bytes: int = _declared(whole(1024), "1048576", "The largest message that is read.")
    compute_at_most_ms: int = _declared(
        whole(), "2000", "CPU time for what a call asks to be computed, such as an opening or a position."
    )
    items_per_message_at_most: int = _declared(whole(), "64", "Items that travel in one message of a stream.")
    legal_moves_at_most: int = _declared(whole(0), "5000", "Legal moves that a turn lists, whatever is wished for.")
    watch_entries_waiting_at_most: int = _declared(
        whole(), "1024", "Entries that wait for a slow watcher before its stream is closed."
    )
    bot_log_lines_at_most: int = _declared(whole(), "1000", "Lines of its private log that are kept for a bot.")

    streams_at_most: int = _declared(whole(), "20000", "Open streams, of all together.")
    matches_per_bot_at_most: int = _declared(whole(), "64", "Matches that a bot plays at once.")
    matches_per_holder_at_most: int = _declared(whole(), "1000", "Matches in play of a holder without its own quota.")
    streams_per_holder_at_most: int = _declared(whole(), "1000", "Open streams of a holder without its own quota.")
    bots_per_holder_at_most: int = _declared(whole(), "100", "Bots of a holder without its own quota.")
    tokens_per_holder_at_most: int = _declared(whole(), "200", "Good tokens of a holder without its own quota.")
    stored_per_holder_at_most_bytes: int = _declared(
        whole(), "1000000000", "Stored terms of the matches and contests of a holder without its own quota."
    )
    versions_per_bot_at_most: int = _declared(whole(), "1000", "Versions that a bot may register.")
    calls_in_flight_per_holder_at_most: int = _declared(
        whole(), "64", "Calls that a holder has open at once, streams and moves not counted."
    )
    calls_without_token_at_most: int = _declared(
        whole(), "1024", "Calls without a good token, health and reflection among them, that are open at once."
    )
    calls_without_token_per_address_at_most: int = _declared(
        whole(), "32", "The same, of one address (of IPv6, of one /64 network); behind a proxy, all have its address."
    )
    calls_per_minute: int = _declared(
        whole(), "600", "Calls of a holder without its own quota; never counted for a move that is on its clock."
    )

    drain_grace_s: int = _declared(whole(0), "30", "How long turns in the air may take after SIGTERM.")
    return_after_ms: int = _declared(whole(0), "2000", "When bots are told to try again after a drain.")

    def trouble(self) -> tuple[str, str] | None:
        """What cannot go together: the setting to blame, and what would be right."""
        for name, wrong, right in (
            ("tls_key", self.tls_cert and not self.tls_key, "tls_cert needs it"),
            ("tls_cert", self.tls_key and not self.tls_cert, "tls_key needs it"),
            ("tls_client_ca", self.tls_client_ca and not self.tls_cert, "it needs tls_cert and tls_key"),
            ("listen", self._open(self.listen) and not self.tls_cert, f"without tls_cert and tls_key {CONSENT}"),
            ("http_listen", self._open(self.http_listen), f"there is no TLS, and so {CONSENT}"),
            ("gone_after_ms", self.gone_after_ms <= self.ping_every_ms, "it is more than ping_every_ms"),
        ):
            if wrong:
                return name, right
        return None

    def _open(self, address: Address) -> bool:
        return not address.loopback and not self.public_without_tls


CONSENT = "it stays on this machine (127.0.0.1, [::1], localhost) unless public_without_tls is true"


@dataclass(frozen=True, slots=True)
class Setting:
    """The declaration of one setting."""

    name: str
    kind: Kind[Any]
    default: str
    meaning: str

    @property
    def flag(self) -> str:
        return f"--{self.name.replace('_', '-')}"

    @property
    def unit(self) -> str:
        """What it counts; empty if nothing that needs a unit."""
        return UNITS.get(self.name.rpartition("_")[2], "")

    @property
    def takes(self) -> str:
        return f"{self.kind.takes}, in {self.unit}" if self.unit else self.kind.takes

    def read(self, text: str, where: str) -> object:
        """The value. Raises BadSetting."""
        try:
            return self.kind.read(text)
        except ValueError:
            raise BadSetting(self.name, text, where, f"it takes {self.takes}") from None


DECLARED: dict[str, Setting] = {
    one.name: Setting(one.name, one.metadata["kind"], written(one.default), one.metadata["meaning"])
    for one in fields(Settings)
}
"""By name, in order of declaration."""
