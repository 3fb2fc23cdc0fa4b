"""Declaration of every setting of the server: name, type, default, and one sentence.

The last word of a name is its unit. Keys are in files, and settings hold their paths. The only setting that can contain
a secret is `database`, and its password is never shown. Relative paths start at the working directory of the server.
"""

# `_declared` returns a dataclass field, not a default that instances would share.
# ruff: noqa: RUF009

from dataclasses import dataclass, field, fields, replace
from enum import Enum
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Any, TypeVar

from referee.cluster.bus.nats_servers import NatsServer
from referee.observability.logs import LogFormat, LogLevel
from referee.server.setting_types import (
    CALLED,
    DATABASE_URL,
    ENDPOINT,
    FILE,
    HOST_NAMES,
    ISSUER,
    LISTEN,
    MAX_PORT,
    NATS,
    NATS_CLUSTER,
    NETWORKS,
    OPTIONAL_LISTEN,
    PATH,
    SWITCH,
    Address,
    DatabaseUrl,
    InvalidSetting,
    SettingType,
    integer,
    one_of,
    setting_text,
    text_of,
)
from referee.storage.sqlite.database import Durability

T = TypeVar("T")

MAX_PROCESSES = 64


class EdgeUse(Enum):
    """Whether a server has a front door."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


UNITS = {"ms": "milliseconds", "s": "seconds", "bytes": "bytes"}


def _declared(kind: SettingType[T], default: str, meaning: str) -> T:
    value: T = field(default=kind.read(default), metadata={"kind": kind, "meaning": meaning})
    return value


@dataclass(frozen=True, slots=True)
class Settings:
    """The effective settings."""

    data_dir: Path = _declared(PATH, "referee-data", "Directory of the database; created if it is missing.")
    database: DatabaseUrl = _declared(
        DATABASE_URL,
        "",
        "PostgreSQL database that is used instead of the data directory (requires referee[cluster]); empty: none.",
    )
    database_password_file: Path | None = _declared(
        FILE, "", "File with the password for the database, if its URL has none; read for each connection."
    )
    ephemeral: bool = _declared(SWITCH, "false", "Keep everything in memory, and lose it at the end.")
    admin_token_file: Path | None = _declared(
        FILE, "", "File for the first administrator token, which is otherwise printed to standard output."
    )
    durability: Durability = _declared(
        one_of(Durability),
        "full",
        "What acknowledged moves in the data directory survive: full, a power cut; normal, a crash of the process.",
    )

    listen: Address = _declared(LISTEN, "127.0.0.1:7700", "Address of the gRPC server; port 0 is any free port.")
    http_listen: Address = _declared(
        LISTEN, "127.0.0.1:7780", "Address of metrics and health checks, without TLS; port 0 is any free port."
    )
    edge: EdgeUse = _declared(
        one_of(EdgeUse), "auto", "Whether bots connect to referee-edge; auto: if it is beside Python or in PATH."
    )
    edge_listen: Address | None = _declared(
        OPTIONAL_LISTEN, "", "Address where referee-edge connects from other machines, with TLS; empty: nowhere."
    )
    edge_client_ca: Path | None = _declared(
        FILE, "", "CA of the certificates with which referee-edge connects from other machines (PEM)."
    )
    site_listen: Address | None = _declared(
        OPTIONAL_LISTEN,
        "",
        "Address of the web site, without TLS (requires referee[site]); port 0 is any free port; empty: no site.",
    )
    site_names: tuple[str, ...] = _declared(
        HOST_NAMES, "", "Host names by which visitors reach the site, besides addresses and localhost."
    )
    site_proxies: tuple[IPv4Network | IPv6Network, ...] = _declared(
        NETWORKS,
        "",
        "Proxies of the site: of their requests, the last other address in X-Forwarded-For counts.",
    )
    bots_address: Address | None = _declared(
        CALLED, "", "Address where bots connect, as the site tells visitors; empty: that of listen."
    )
    tls_cert: Path | None = _declared(FILE, "", "Certificate chain for gRPC (PEM); reloaded when it changes.")
    tls_key: Path | None = _declared(FILE, "", "Private key of the certificate (PEM).")
    tls_client_ca: Path | None = _declared(
        FILE, "", "CA of client certificates (PEM); if set, clients must present a certificate."
    )
    nats: tuple[NatsServer, ...] = _declared(
        NATS, "", "URLs of the NATS servers, nats:// or tls://, with commas between them; if set, the server is a node."
    )
    nats_credentials: Path | None = _declared(
        FILE, "", "File with user:password for NATS; read for each connection; empty: no user."
    )
    nats_ca: Path | None = _declared(
        FILE, "", "CA of the certificates of the NATS servers (PEM); empty: the authorities of the system."
    )
    nats_cluster: str = _declared(
        NATS_CLUSTER, "referee", "Name of the cluster in NATS, to which the subjects of its messages are limited."
    )
    advertise: Address | None = _declared(
        CALLED, "", "Address at which other nodes call this one; empty: that of listen, unless it is a wildcard."
    )
    processes: int = _declared(
        integer(1, MAX_PROCESSES), "1", "Nodes that this command runs, each in a process, at one address for bots."
    )
    cluster_ca: Path | None = _declared(
        FILE, "", "CA of the certificates of other nodes (PEM); empty: the authorities that gRPC trusts by default."
    )
    tls_reload_interval_ms: int = _declared(integer(), "10000", "How often the TLS files are checked for changes.")
    public_without_tls: bool = _declared(
        SWITCH, "false", "Allow other machines to connect without TLS, for instance behind a proxy."
    )

    log_format: LogFormat = _declared(
        one_of(LogFormat), "auto", "How log lines are written; auto is console on a terminal and json elsewhere."
    )
    log_level: LogLevel = _declared(one_of(LogLevel), "info", "Minimum level of log messages.")

    traces_to: str = _declared(
        ENDPOINT, "", "Endpoint for traces, OTLP over gRPC (requires referee[traces]); empty disables tracing."
    )
    traces_one_in: int = _declared(integer(), "100", "Trace one of this many calls and answers of bots.")

    ping_interval_ms: int = _declared(integer(), "5000", "Interval of pings on a bot's stream.")
    heartbeat_timeout_ms: int = _declared(integer(), "15000", "Time without a pong after which a session is closed.")
    hello_timeout_ms: int = _declared(
        integer(), "10000", "Timeout of the first message of a call, such as the Hello of a Play stream."
    )
    read_timeout_ms: int = _declared(
        integer(), "30000", "Timeout for a caller to read an answer before its call is reset."
    )
    keepalive_interval_ms: int = _declared(
        integer(), "60000", "Interval of gRPC keepalive pings on an idle connection."
    )
    keepalive_timeout_ms: int = _declared(integer(), "20000", "Timeout of a keepalive ping.")
    min_client_ping_interval_ms: int = _declared(
        integer(), "5000", "Minimum interval of a client's own keepalive pings; faster ones get too_many_pings."
    )

    credit_per_move_ms: int = _declared(integer(0), "100", "Maximum network credit of a move.")
    credit_per_match_ms: int = _declared(integer(0), "10000", "Maximum network credit of a seat in a whole match.")
    start_timeout_ms: int = _declared(
        integer(), "60000", "Time for the bots of a match to come online before it is void."
    )
    max_consecutive_faults: int = _declared(integer(), "5", "Consecutive faults after which a bot is paused.")

    grpc_event_engine: bool = _declared(
        SWITCH, "false", "Let gRPC use its event engine for connections, as it does by default; it needs more CPU."
    )
    max_message_bytes: int = _declared(integer(1024), "1048576", "Maximum size of a message.")
    max_compute_ms: int = _declared(
        integer(), "2000", "CPU time limit of a computation that a call requests, such as an opening or a position."
    )
    max_items_per_message: int = _declared(integer(), "64", "Maximum number of items in one message of a stream.")
    max_legal_moves: int = _declared(integer(0), "5000", "Maximum number of legal moves that a turn lists.")
    max_queued_watch_entries: int = _declared(
        integer(), "1024", "Maximum number of entries queued for a watcher before its stream is closed."
    )
    max_bot_log_lines: int = _declared(integer(), "1000", "Lines that are kept of each bot's log.")

    max_streams: int = _declared(
        integer(), "20000", "Maximum number of open streams in total; Watch streams may be half."
    )
    max_matches_per_bot: int = _declared(integer(), "64", "Maximum number of concurrent matches of a bot.")
    max_matches_per_holder: int = _declared(integer(), "1000", "Concurrent matches of a holder without a quota.")
    max_streams_per_holder: int = _declared(
        integer(), "1000", "Open streams of the own tokens of a holder without a quota."
    )
    max_streams_per_bot: int = _declared(
        integer(), "32", "Open Play streams of a bot, and as many Watch streams, if its owner has no quota."
    )
    max_contests_per_holder: int = _declared(
        integer(), "100", "Ladders and tournaments that are not over, of a holder without a quota."
    )
    max_received_per_minute_bytes: int = _declared(
        integer(), "100000000", "Requests of a holder without a quota in a minute, and as much of each of its bots."
    )
    max_bots_per_holder: int = _declared(integer(), "100", "Bots of a holder without a quota.")
    max_tokens_per_holder: int = _declared(integer(), "200", "Valid tokens of a holder without a quota.")
    max_stored_per_holder_bytes: int = _declared(
        integer(), "1000000000", "Stored logs of the matches of a holder without a quota, and terms of its contests."
    )
    max_authors_per_holder: int = _declared(
        integer(), "500", "Authors that a holder without a quota has invited, or can still invite."
    )
    max_matches_per_author: int = _declared(integer(), "20", "Concurrent matches of an author without a quota.")
    max_streams_per_author: int = _declared(
        integer(), "100", "Open streams of own tokens of an author without a quota."
    )
    max_bots_per_author: int = _declared(integer(), "10", "Bots of an author without a quota.")
    max_tokens_per_author: int = _declared(integer(), "50", "Valid tokens of an author without a quota.")
    max_stored_per_author_bytes: int = _declared(
        integer(), "100000000", "Stored logs of the matches of an author without a quota."
    )
    max_versions_per_bot: int = _declared(integer(), "1000", "Maximum number of versions of a bot.")
    max_concurrent_calls_per_holder: int = _declared(
        integer(), "64", "Concurrent calls of the own tokens of a holder, and of each bot, without streams and moves."
    )
    max_contest_changes_per_day: int = _declared(
        integer(), "10000", "Entries, challenges and acts of staff in contests in a day, of a holder and of each bot."
    )
    max_connections_per_address: int = _declared(
        integer(), "256", "Connections of one address (IPv6: one /64 network) to referee-edge."
    )
    max_calls_without_token: int = _declared(
        integer(), "1024", "Concurrent calls without a valid token, including health checks and reflection."
    )
    max_calls_without_token_per_address: int = _declared(
        integer(),
        "32",
        "The same of one address (IPv6: one /64 network); behind a proxy, all calls have its address.",
    )
    redemptions_per_minute: int = _declared(
        integer(), "60", "Calls of RedeemInvitation of one address (IPv6: one /64 network)."
    )
    calls_per_minute: int = _declared(
        integer(),
        "600",
        "Calls of the own tokens of a holder without a quota, and of each of its bots, except moves.",
    )

    public_reading: bool = _declared(
        SWITCH, "false", "Let callers without a token read games, matches, contests and records, as spectators may."
    )
    public_calls_per_minute: int = _declared(
        integer(), "120", "Calls without a token of one address (IPv6: one /64 network), if the public may read."
    )
    max_public_streams_per_address: int = _declared(integer(), "16", "Open watch streams of the same.")
    max_public_streams: int = _declared(integer(), "1000", "The same of all addresses; not counted in max_streams.")

    oidc_issuer: str = _declared(
        ISSUER, "", "Identity provider whose tokens are accepted (requires referee[oidc]); empty: of none."
    )
    oidc_audience: str = _declared(text_of(0), "", "Name of this server at the provider: the claim aud of its tokens.")
    oidc_role_claim: str = _declared(text_of(1), "referee_role", "Claim with the role: spectator, author or organiser.")
    oidc_holder_claim: str = _declared(
        text_of(1), "sub", "Claim with the holder, which gets the prefix oidc: here; its users must not choose it."
    )
    oidc_admins: bool = _declared(SWITCH, "false", "Let the provider also give the role admin.")

    drain_grace_s: int = _declared(integer(0), "30", "Time for pending turns to be answered after SIGTERM.")
    reconnect_delay_ms: int = _declared(integer(0), "2000", "Time after which bots reconnect to a drained server.")

    def conflict(self) -> tuple[str, str] | None:
        """Return a setting that is invalid together with others and what would be valid, or None."""
        for name, wrong, right in (
            ("database", self.database and self.ephemeral, "ephemeral must then be false"),
            ("database_password_file", self.database_password_file and not self.database, "it requires database"),
            ("tls_key", self.tls_cert and not self.tls_key, "tls_cert requires it"),
            ("tls_cert", self.tls_key and not self.tls_cert, "tls_key requires it"),
            ("tls_client_ca", self.tls_client_ca and not self.tls_cert, "it requires tls_cert and tls_key"),
            ("edge_client_ca", self.edge_client_ca and not self.edge_listen, "it requires edge_listen"),
            ("edge_client_ca", self.edge_listen and not self.edge_client_ca, "edge_listen requires it"),
            ("edge_listen", self.edge_listen and not self.tls_cert, "it requires tls_cert and tls_key"),
            ("edge_listen", self.edge_listen and self.processes > 1, "processes must then be 1"),
            ("nats_credentials", self.nats_credentials and not self.nats, "it requires nats"),
            ("nats_ca", self.nats_ca and not self.nats, "it requires nats"),
            ("advertise", self.nats and self.listen.wildcard and not self.advertise, "nats and listen require it"),
            ("processes", self.processes > 1 and not (self.database and self.nats), "it requires database and nats"),
            ("processes", self._needs_ports_above_all(), f"it needs ports of its own up to {MAX_PORT}"),
            ("cluster_ca", self.cluster_ca and not self.tls_cert, "it requires tls_cert and tls_key"),
            ("listen", self._is_exposed(self.listen) and not self.tls_cert, f"without TLS {LOOPBACK_ONLY}"),
            ("http_listen", self._is_exposed(self.http_listen), f"it has no TLS, so {LOOPBACK_ONLY}"),
            (
                "site_listen",
                self.site_listen and self._is_exposed(self.site_listen),
                f"it has no TLS, so {LOOPBACK_ONLY}",
            ),
            ("oidc_audience", self.oidc_issuer and not self.oidc_audience, "oidc_issuer requires it"),
            (
                "heartbeat_timeout_ms",
                self.heartbeat_timeout_ms <= self.ping_interval_ms,
                "it must be greater than ping_interval_ms",
            ),
        ):
            if wrong:
                return name, right
        return None

    def advertised(self, port: int) -> Address | None:
        """Return the address at which other nodes call this one, which listens on `port`; None: it is not known."""
        if self.advertise or self.listen.wildcard:
            return self.advertise
        return replace(self.listen, port=port)

    def _needs_ports_above_all(self) -> bool:
        """Return whether processes would listen on ports that do not exist."""
        return self.processes > 1 and max(self.listen.port, self.http_listen.port) + self.processes > MAX_PORT

    def _is_exposed(self, address: Address) -> bool:
        return not address.loopback and not self.public_without_tls


LOOPBACK_ONLY = "only loopback addresses are allowed (127.0.0.1, [::1], localhost) unless public_without_tls is true"


@dataclass(frozen=True, slots=True)
class Setting:
    """The declaration of one setting."""

    name: str
    kind: SettingType[Any]
    default: str
    meaning: str

    @property
    def flag(self) -> str:
        return f"--{self.name.replace('_', '-')}"

    @property
    def unit(self) -> str:
        """The unit, spelled out; empty if there is none."""
        return UNITS.get(self.name.rpartition("_")[2], "")

    @property
    def takes(self) -> str:
        return f"{self.kind.takes}, in {self.unit}" if self.unit else self.kind.takes

    def read(self, text: str, where: str) -> object:
        """Return the value. Raises InvalidSetting."""
        try:
            return self.kind.read(text)
        except ValueError:
            shown = "***" if self.kind.is_secret else text
            raise InvalidSetting(self.name, shown, where, f"expected {self.takes}") from None


SETTINGS: dict[str, Setting] = {
    field.name: Setting(field.name, field.metadata["kind"], setting_text(field.default), field.metadata["meaning"])
    for field in fields(Settings)
}
"""All settings by name, in the order of declaration."""
