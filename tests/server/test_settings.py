"""Settings: their sources, the precedence of these, and errors for wrong values."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.cluster.bus.nats_servers import NatsServer
from referee.observability.logs import LogFormat, LogLevel
from referee.server.setting_types import Address, InvalidSetting, SettingsUnreadable, UnknownSetting, setting_text
from referee.server.settings import SETTINGS, Settings
from referee.server.settings_reader import LoadedSettings, read_settings, settings_environment
from referee.storage.sqlite.database import Durability

NOTHING: Mapping[str, str] = {}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "referee.toml"


def read_with(file: Path, content: str = "", environment: Mapping[str, str] = NOTHING, **flags: str) -> LoadedSettings:
    file.write_text(content, encoding="utf-8")
    return read_settings(flags, file, environment)


def read_variables(**variables: str) -> Settings:
    return read_settings({}, None, {f"REFEREE_{name.upper()}": text for name, text in variables.items()}).settings


def test_without_sources_all_settings_have_their_defaults() -> None:
    loaded = read_settings({}, None, {})
    assert loaded.settings == Settings()
    assert loaded.settings.listen == Address("127.0.0.1", 7700)
    assert set(loaded.where.values()) == {"default"}


def test_flags_override_the_environment_and_the_environment_overrides_the_file(file: Path) -> None:
    content = "ping_interval_ms = 1\ncalls_per_minute = 1\ndrain_grace_s = 1\n"
    environment = {"REFEREE_PING_INTERVAL_MS": "2", "REFEREE_CALLS_PER_MINUTE": "2", "HOME": "elsewhere"}
    loaded = read_with(file, content, environment, ping_interval_ms="3")
    assert loaded.settings == replace(Settings(), ping_interval_ms=3, calls_per_minute=2, drain_grace_s=1)
    assert loaded.where["ping_interval_ms"] == "flag --ping-interval-ms"
    assert loaded.where["calls_per_minute"] == "variable REFEREE_CALLS_PER_MINUTE"
    assert loaded.where["drain_grace_s"] == f"file {file}"
    assert loaded.where["log_level"] == "default"


def test_the_settings_file_is_given_by_a_flag_or_else_by_a_variable(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("drain_grace_s = 2", encoding="utf-8")
    file.write_text("drain_grace_s = 1", encoding="utf-8")
    environment = {"REFEREE_CONFIG": str(other)}
    assert read_settings({}, None, environment).settings.drain_grace_s == 2
    assert read_settings({}, file, environment).settings.drain_grace_s == 1
    assert read_settings({}, None, {"REFEREE_CONFIG": ""}).settings.drain_grace_s == 30


def test_a_file_can_contain_toml_values_or_strings(file: Path) -> None:
    content = 'ephemeral = true\nping_interval_ms = 7\nheartbeat_timeout_ms = "8"\nlog_level = "error"\ntls_cert = ""'
    expected = replace(Settings(), ephemeral=True, ping_interval_ms=7, heartbeat_timeout_ms=8, log_level=LogLevel.ERROR)
    assert read_with(file, content).settings == expected


def test_every_type_of_setting_can_be_read() -> None:
    settings = read_variables(
        data_dir="here/there",
        ephemeral="true",
        durability="normal",
        listen="[0:0::1]:0",
        http_listen="localhost:80",
        tls_cert="c.pem",
        tls_key="k.pem",
        tls_client_ca="a.pem",
        nats="nats://a:1,tls://b",
        advertise="node-1.example.org:7700",
        log_format="json",
        credit_per_move_ms="0",
    )
    expected = Settings(
        data_dir=Path("here/there"),
        ephemeral=True,
        durability=Durability.NORMAL,
        listen=Address("::1", 0),
        http_listen=Address("localhost", 80),
        tls_cert=Path("c.pem"),
        tls_key=Path("k.pem"),
        tls_client_ca=Path("a.pem"),
        nats=(NatsServer("a", 1, tls=False), NatsServer("b", 4222, tls=True)),
        advertise=Address("node-1.example.org", 7700),
        log_format=LogFormat.JSON,
        credit_per_move_ms=0,
    )
    assert settings == expected


@pytest.mark.parametrize("name", SETTINGS)
def test_every_default_can_be_written_and_read_again(name: str) -> None:
    value = getattr(Settings(), name)
    assert setting_text(value) == SETTINGS[name].default
    assert SETTINGS[name].read(SETTINGS[name].default, "") == value


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("ping_interval_ms", "5s", "expected an integer from 1 to 2147483647, in milliseconds"),
        ("ping_interval_ms", "0", "expected an integer from 1 to 2147483647, in milliseconds"),
        ("ping_interval_ms", "", "an integer"),
        ("ping_interval_ms", "-1", "an integer"),
        ("ping_interval_ms", "5_000", "an integer"),
        ("ping_interval_ms", "٥", "an integer"),
        ("ping_interval_ms", "2147483648", "an integer"),
        ("ping_interval_ms", "9" * 5000, "an integer"),
        ("ephemeral", "yes", "expected true | false"),
        ("durability", "fast", "expected full | normal"),
        ("log_level", "INFO", "expected debug | info | warning | error"),
        ("data_dir", "", "expected a path"),
        ("data_dir", "a\0b", "expected a path"),
        ("tls_key", "a\0b", "expected a path, or empty"),
        ("listen", "7700", "expected HOST:PORT"),
        ("listen", ":7700", "expected HOST:PORT"),
        ("listen", "localhost:65536", "expected HOST:PORT"),
        ("listen", "::1:7700", "expected HOST:PORT"),
        ("listen", "[::1]", "expected HOST:PORT"),
        ("listen", "[::1::]:7", "expected HOST:PORT"),
        ("advertise", "7700", "expected HOST:PORT that others can call, or empty"),
        ("advertise", "0.0.0.0:7700", "expected HOST:PORT that others can call, or empty"),
        ("advertise", "[::]:7700", "expected HOST:PORT that others can call, or empty"),
        ("advertise", "10.0.0.1:0", "expected HOST:PORT that others can call, or empty"),
        ("nats", "http://nats:1", "expected nats://HOST:PORT or tls://HOST:PORT, with commas between several"),
        ("nats_cluster", "a.b", "expected letters, digits, - and _, at most 64"),
    ],
)
def test_an_invalid_value_is_rejected_with_a_hint_and_its_source(name: str, text: str, expected: str) -> None:
    with pytest.raises(InvalidSetting) as error:
        read_settings({}, None, {f"REFEREE_{name.upper()}": text})
    assert str(error.value).startswith("invalid value '")
    assert f" for setting {name} (" in str(error.value)
    assert f"(variable REFEREE_{name.upper()})" in str(error.value)
    assert expected in str(error.value)
    assert error.value.details["setting"] == name


@pytest.mark.parametrize("value", ["1.5", "[1]", "{a = 1}", "2020-01-01", "'1.5'", "true"])
def test_only_integers_are_accepted_for_integer_settings_in_a_file(file: Path, value: str) -> None:
    with pytest.raises(InvalidSetting, match=r"^invalid value .* max_streams .*referee\.toml\): expected an int"):
        read_with(file, f"max_streams = {value}")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ping_interval_s", "did you mean ping_interval_ms, in milliseconds?"),
        ("ping_interval", "did you mean ping_interval_ms, in milliseconds?"),
        ("drain_grace_ms", "did you mean drain_grace_s, in seconds?"),
        ("max_message", "did you mean max_message_bytes, in bytes?"),
        ("logformat", "did you mean log_format?"),
        ("zzz", "known: data_dir, database, database_password_file, "),
    ],
)
def test_an_unknown_setting_is_rejected_with_a_suggestion(file: Path, name: str, hint: str) -> None:
    with pytest.raises(UnknownSetting) as in_file:
        read_with(file, f"{name} = 1")
    assert str(in_file.value).startswith(f"unknown setting '{name}' (file {file}); {hint}")
    with pytest.raises(UnknownSetting) as in_environment:
        read_settings({}, None, {f"REFEREE_{name.upper()}": "1"})
    assert f"(variable REFEREE_{name.upper()}); {hint}" in str(in_environment.value)


def test_an_invalid_value_is_rejected_even_if_it_is_overridden(file: Path) -> None:
    with pytest.raises(InvalidSetting, match="file"):
        read_with(file, "max_streams = 'many'", max_streams="5")


def test_service_variables_of_kubernetes_are_ignored() -> None:
    links = {
        "REFEREE_SERVICE_HOST": "10.0.0.1",
        "REFEREE_SERVICE_PORT": "7700",
        "REFEREE_SERVICE_PORT_GRPC": "7700",
        "REFEREE_PORT": "tcp://10.0.0.1:7700",
        "REFEREE_PORT_7700_TCP_ADDR": "10.0.0.1",
    }
    assert read_settings({}, None, links).settings == Settings()


def test_another_process_reads_the_same_settings_from_its_environment() -> None:
    settings = replace(
        read_variables(
            database="postgres://me:secret@d/d?password=x", nats="nats://a:1,tls://b", public_reading="true"
        ),
        data_dir=Path("here"),
        advertise=Address("::1", 7701),
        log_level=LogLevel.DEBUG,
    )
    inherited = {"HOME": "h", "REFEREE_CONFIG": "f", "REFEREE_PORT": "tcp://a:1", "REFEREE_GAMES": "games.toml"}
    environment = settings_environment(settings, inherited)
    assert environment["REFEREE_GAMES"] == "games.toml", "a node has the same games"
    assert read_settings({}, None, environment).settings == settings
    assert environment["HOME"] == "h"
    assert not {"REFEREE_CONFIG", "REFEREE_PORT"} & environment.keys()


def test_the_error_names_a_settings_file_that_cannot_be_read_and_the_cause(file: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsUnreadable, match="No such file"):
        read_settings({}, file, {})
    with pytest.raises(SettingsUnreadable, match="directory"):
        read_settings({}, tmp_path, {})
    with pytest.raises(SettingsUnreadable, match=r"cannot read the settings file .*referee.toml: .*line 2"):
        read_with(file, "ephemeral = true\nlisten = nowhere\n")
    file.write_bytes(b"a = '\xff'")
    with pytest.raises(SettingsUnreadable, match="utf-8"):
        read_settings({}, file, {})


TLS = {"tls_cert": "c.pem", "tls_key": "k.pem"}


LOOKALIKES = ("127.0.0.1.evil.example", "localhost.evil.example", "127.evil.example")


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "192.168.1.7", "referee.example", "[::ffff:1.2.3.4]", *LOOKALIKES])
def test_a_public_address_requires_tls_or_explicit_consent(host: str) -> None:
    address = f"{host}:7700"
    with pytest.raises(InvalidSetting, match=r"setting listen .*LISTEN\): without TLS only loopback"):
        read_variables(listen=address)
    assert (
        read_variables(listen=address, **TLS).listen == read_variables(listen=address, public_without_tls="true").listen
    )


def test_a_public_http_address_requires_explicit_consent() -> None:
    with pytest.raises(InvalidSetting, match="http_listen"):
        read_variables(http_listen="0.0.0.0:7780", **TLS)
    assert read_variables(http_listen="0.0.0.0:7780", public_without_tls="true").http_listen.port == 7780


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "[::1]", "localhost"])
def test_loopback_addresses_require_no_tls(host: str) -> None:
    settings = read_variables(listen=f"{host}:7700", http_listen=f"{host}:7780")
    assert (str(settings.listen), str(settings.http_listen)) == (f"{host}:7700", f"{host}:7780")


@pytest.mark.parametrize(
    ("values", "setting", "problem"),
    [
        ({"tls_cert": "c.pem"}, "tls_key", "tls_cert requires it"),
        ({"tls_key": "k.pem"}, "tls_cert", "tls_key requires it"),
        ({"tls_client_ca": "a.pem"}, "tls_client_ca", "it requires tls_cert and tls_key"),
        ({"cluster_ca": "a.pem"}, "cluster_ca", "it requires tls_cert and tls_key"),
        ({"edge_client_ca": "a.pem"}, "edge_client_ca", "it requires edge_listen"),
        ({"edge_listen": "[::1]:7701", **TLS}, "edge_client_ca", "edge_listen requires it"),
        (
            {"edge_listen": "[::1]:7701", "edge_client_ca": "a.pem"},
            "edge_listen",
            "it requires tls_cert and tls_key",
        ),
        ({"nats_ca": "a.pem"}, "nats_ca", "it requires nats"),
        ({"nats_credentials": "user"}, "nats_credentials", "it requires nats"),
        ({"processes": "2"}, "processes", "it requires database and nats"),
        ({"processes": "2", "nats": "nats://n:1"}, "processes", "it requires database and nats"),
        ({"processes": "2", "database": "postgres://d/d"}, "processes", "it requires database and nats"),
        (
            {"processes": "2", "database": "postgres://d/d", "nats": "nats://n:1", "http_listen": "[::1]:65534"},
            "processes",
            "it needs ports of its own up to 65535",
        ),
        (
            {"nats": "nats://n:1", "listen": "0.0.0.0:7700", "public_without_tls": "true"},
            "advertise",
            "nats and listen require it",
        ),
        ({"database": "postgres://x/y", "ephemeral": "true"}, "database", "ephemeral must then be false"),
        ({"database_password_file": "p"}, "database_password_file", "it requires database"),
        ({"oidc_issuer": "https://id.example.org"}, "oidc_audience", "oidc_issuer requires it"),
        ({"heartbeat_timeout_ms": "5000"}, "heartbeat_timeout_ms", "it must be greater than ping_interval_ms"),
        ({"ping_interval_ms": "20000"}, "heartbeat_timeout_ms", "it must be greater than ping_interval_ms"),
    ],
)
def test_contradictory_settings_are_rejected(values: dict[str, Any], setting: str, problem: str) -> None:
    with pytest.raises(InvalidSetting) as error:
        read_variables(**values)
    assert (error.value.details["setting"], error.value.details["right"]) == (setting, problem)


@pytest.mark.parametrize(
    ("values", "advertised"),
    [
        ({"listen": "127.0.0.1:0"}, "127.0.0.1:4711"),
        ({"listen": "127.0.0.1:0", "advertise": "10.0.0.1:80"}, "10.0.0.1:80"),
        ({"listen": "0.0.0.0:7700"}, "None"),
        ({"listen": "[::]:7700"}, "None"),
        ({"listen": "[::]:7700", "advertise": "[fe80::1]:80"}, "[fe80::1]:80"),
    ],
)
def test_other_nodes_call_the_advertised_address_or_else_the_one_that_is_listened_on(
    values: dict[str, str], advertised: str
) -> None:
    assert str(read_variables(public_without_tls="true", **values).advertised(4711)) == advertised


@pytest.mark.parametrize(
    "issuer", ["http://id.example.org", "id.example.org", "https://id.example.org?a=b", "https://id.example.org#a"]
)
def test_an_issuer_requires_tls_unless_it_is_on_this_machine(issuer: str) -> None:
    with pytest.raises(InvalidSetting, match="oidc_issuer"):
        read_variables(oidc_issuer=issuer, oidc_audience="referee")
    local = read_variables(oidc_issuer="http://127.0.0.1:8080/realm", oidc_audience="referee")
    assert local.oidc_issuer == "http://127.0.0.1:8080/realm"


def test_the_name_of_a_claim_is_one_printable_line() -> None:
    for name in ("", "two\nlines", "x" * 201):
        with pytest.raises(InvalidSetting, match="oidc_role_claim"):
            read_variables(oidc_role_claim=name)
    assert read_variables(oidc_role_claim="https://example.org/role").oidc_role_claim == "https://example.org/role"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgres://ada:secret@db:5432/referee", "postgres://ada:***@db:5432/referee"),
        ("postgresql://ada@db/referee?sslmode=verify-full", "postgresql://ada@db/referee?sslmode=verify-full"),
        ("postgres://db/referee?user=ada&password=secret", "postgres://db/referee?user=ada&password=***"),
        ("postgres://db/referee?sslpassword=secret&a", "postgres://db/referee?sslpassword=***&a"),
        ("postgres:///referee?host=/run/postgresql", "postgres:///referee?host=/run/postgresql"),
    ],
)
def test_the_password_in_the_url_of_a_database_is_not_shown(url: str, shown: str) -> None:
    database = read_variables(database=url).database
    assert (database.text, str(database), setting_text(database)) == (url, shown, shown)
    assert "secret" not in repr(read_variables(database=url))


@pytest.mark.parametrize(
    "url",
    [
        "secret",
        "mysql://ada:secret@db/referee",
        "postgres://ada:se/secret@db/referee",
        "postgres://ada:se#secret@db/referee",
        "postgres://ada:secret@db/\n",
        "postgres://[::1",
        pytest.param(f"postgres://ada:secret@db/{'x' * 2000}", id="long"),
    ],
)
def test_an_invalid_url_of_a_database_is_not_shown(url: str) -> None:
    with pytest.raises(InvalidSetting, match=r"invalid value '\*\*\*' for setting database") as error:
        read_variables(database=url)
    assert "secret" not in f"{error.value} {error.value.details}"


PAGE = Path(__file__).parents[2] / "docs" / "operations.md"


def test_the_table_of_settings_names_exactly_the_declared_settings() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("| for | settings |\n| --- | --- |\n")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"`(\w+)`", table)) == sorted(SETTINGS)
