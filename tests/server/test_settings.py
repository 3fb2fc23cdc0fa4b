"""Settings: their sources, the precedence of these, and errors for wrong values."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.observability.logs import LogFormat, LogLevel
from referee.server.setting_types import Address, InvalidSetting, SettingsUnreadable, UnknownSetting, setting_text
from referee.server.settings import SETTINGS, UNITS, Settings
from referee.server.settings_reader import LoadedSettings, read_settings
from referee.storage.sqlite.database import Durability

NOTHING: Mapping[str, str] = {}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "referee.toml"


def given(file: Path, content: str = "", environment: Mapping[str, str] = NOTHING, **flags: str) -> LoadedSettings:
    file.write_text(content, encoding="utf-8")
    return read_settings(flags, file, environment)


def by_variables(**variables: str) -> Settings:
    return read_settings({}, None, {f"REFEREE_{name.upper()}": text for name, text in variables.items()}).settings


def test_without_a_word_the_defaults_hold() -> None:
    in_force = read_settings({}, None, {})
    assert in_force.settings == Settings()
    assert in_force.settings.listen == Address("127.0.0.1", 7700)
    assert set(in_force.where.values()) == {"default"}


def test_a_flag_goes_before_the_environment_and_the_environment_before_the_file(file: Path) -> None:
    content = "ping_interval_ms = 1\ncalls_per_minute = 1\ndrain_grace_s = 1\n"
    environment = {"REFEREE_PING_INTERVAL_MS": "2", "REFEREE_CALLS_PER_MINUTE": "2", "HOME": "elsewhere"}
    in_force = given(file, content, environment, ping_interval_ms="3")
    assert in_force.settings == replace(Settings(), ping_interval_ms=3, calls_per_minute=2, drain_grace_s=1)
    assert in_force.where["ping_interval_ms"] == "flag --ping-interval-ms"
    assert in_force.where["calls_per_minute"] == "variable REFEREE_CALLS_PER_MINUTE"
    assert in_force.where["drain_grace_s"] == f"file {file}"
    assert in_force.where["log_level"] == "default"


def test_a_variable_names_the_file_unless_a_flag_does(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("drain_grace_s = 2", encoding="utf-8")
    file.write_text("drain_grace_s = 1", encoding="utf-8")
    environment = {"REFEREE_CONFIG": str(other)}
    assert read_settings({}, None, environment).settings.drain_grace_s == 2
    assert read_settings({}, file, environment).settings.drain_grace_s == 1
    assert read_settings({}, None, {"REFEREE_CONFIG": ""}).settings.drain_grace_s == 30


def test_a_file_may_write_values_as_toml_has_them_or_as_texts(file: Path) -> None:
    content = 'ephemeral = true\nping_interval_ms = 7\nheartbeat_timeout_ms = "8"\nlog_level = "error"\ntls_cert = ""'
    expected = replace(Settings(), ephemeral=True, ping_interval_ms=7, heartbeat_timeout_ms=8, log_level=LogLevel.ERROR)
    assert given(file, content).settings == expected


def test_every_kind_of_setting_is_read() -> None:
    settings = by_variables(
        data_dir="here/there",
        ephemeral="true",
        durability="normal",
        listen="[0:0::1]:0",
        http_listen="localhost:80",
        tls_cert="c.pem",
        tls_key="k.pem",
        tls_client_ca="a.pem",
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
        log_format=LogFormat.JSON,
        credit_per_move_ms=0,
    )
    assert settings == expected


@pytest.mark.parametrize("name", SETTINGS)
def test_every_default_is_written_as_it_is_read(name: str) -> None:
    value = getattr(Settings(), name)
    assert setting_text(value) == SETTINGS[name].default
    assert SETTINGS[name].read(SETTINGS[name].default, "") == value


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_says_what_it_is_for_in_one_sentence(name: str) -> None:
    setting = SETTINGS[name]
    assert setting.meaning[0].isupper()
    assert setting.meaning.endswith(".")
    assert setting.meaning.count(". ") == 0
    assert setting.flag == f"--{name.replace('_', '-')}"


def test_what_counts_time_or_bytes_has_its_unit_as_the_last_word() -> None:
    assert SETTINGS["ping_interval_ms"].unit == "milliseconds"
    assert SETTINGS["drain_grace_s"].unit == "seconds"
    assert SETTINGS["max_message_bytes"].unit == "bytes"
    assert SETTINGS["max_streams"].unit == ""
    assert set(UNITS) == {"ms", "s", "bytes"}


@pytest.mark.parametrize(
    ("name", "text", "takes"),
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
    ],
)
def test_a_bad_value_is_refused_with_what_would_be_right_and_where_it_stood(name: str, text: str, takes: str) -> None:
    with pytest.raises(InvalidSetting) as refused:
        read_settings({}, None, {f"REFEREE_{name.upper()}": text})
    assert str(refused.value).startswith("invalid value '")
    assert f" for setting {name} (" in str(refused.value)
    assert f"(variable REFEREE_{name.upper()})" in str(refused.value)
    assert takes in str(refused.value)
    assert refused.value.details["setting"] == name


@pytest.mark.parametrize("value", ["1.5", "[1]", "{a = 1}", "2020-01-01", "'1.5'", "true"])
def test_a_file_holds_no_number_but_a_whole_one_where_one_is_wanted(file: Path, value: str) -> None:
    with pytest.raises(InvalidSetting, match=r"^invalid value .* max_streams .*referee\.toml\): expected an int"):
        given(file, f"max_streams = {value}")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ping_interval_s", "did you mean ping_interval_ms, in milliseconds?"),
        ("ping_interval", "did you mean ping_interval_ms, in milliseconds?"),
        ("drain_grace_ms", "did you mean drain_grace_s, in seconds?"),
        ("max_message", "did you mean max_message_bytes, in bytes?"),
        ("logformat", "did you mean log_format?"),
        ("zzz", "known: data_dir, ephemeral, admin_token_file, durability, "),
    ],
)
def test_an_unknown_setting_is_refused_with_the_one_that_may_be_meant(file: Path, name: str, hint: str) -> None:
    with pytest.raises(UnknownSetting) as in_file:
        given(file, f"{name} = 1")
    assert str(in_file.value).startswith(f"unknown setting '{name}' (file {file}); {hint}")
    with pytest.raises(UnknownSetting) as in_environment:
        read_settings({}, None, {f"REFEREE_{name.upper()}": "1"})
    assert f"(variable REFEREE_{name.upper()}); {hint}" in str(in_environment.value)


def test_a_wrong_value_is_refused_even_where_a_right_one_goes_before_it(file: Path) -> None:
    with pytest.raises(InvalidSetting, match="file"):
        given(file, "max_streams = 'many'", max_streams="5")


def test_what_kubernetes_says_of_a_service_is_no_setting() -> None:
    links = {
        "REFEREE_SERVICE_HOST": "10.0.0.1",
        "REFEREE_SERVICE_PORT": "7700",
        "REFEREE_SERVICE_PORT_GRPC": "7700",
        "REFEREE_PORT": "tcp://10.0.0.1:7700",
        "REFEREE_PORT_7700_TCP_ADDR": "10.0.0.1",
    }
    assert read_settings({}, None, links).settings == Settings()


def test_a_file_that_cannot_be_read_is_named_with_the_cause(file: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsUnreadable, match="No such file"):
        read_settings({}, file, {})
    with pytest.raises(SettingsUnreadable, match="directory"):
        read_settings({}, tmp_path, {})
    with pytest.raises(SettingsUnreadable, match=r"cannot read the settings file .*referee.toml: .*line 2"):
        given(file, "ephemeral = true\nlisten = nowhere\n")
    file.write_bytes(b"a = '\xff'")
    with pytest.raises(SettingsUnreadable, match="utf-8"):
        read_settings({}, file, {})


TLS = {"tls_cert": "c.pem", "tls_key": "k.pem"}


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "192.168.1.7", "referee.example", "[::ffff:1.2.3.4]"])
def test_beyond_this_machine_it_takes_tls_or_consent(host: str) -> None:
    address = f"{host}:7700"
    with pytest.raises(InvalidSetting, match=r"setting listen .*LISTEN\): without TLS only loopback"):
        by_variables(listen=address)
    assert by_variables(listen=address, **TLS).listen == by_variables(listen=address, public_without_tls="true").listen


@pytest.mark.parametrize("host", ["127.0.0.1.evil.example", "localhost.evil.example", "127.evil.example", "[::]"])
def test_a_host_that_merely_looks_like_loopback_is_public(host: str) -> None:
    with pytest.raises(InvalidSetting):
        by_variables(listen=f"{host}:7700")


def test_the_page_has_no_tls_and_needs_consent_to_be_public() -> None:
    with pytest.raises(InvalidSetting, match="http_listen"):
        by_variables(http_listen="0.0.0.0:7780", **TLS)
    assert by_variables(http_listen="0.0.0.0:7780", public_without_tls="true").http_listen.port == 7780


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "[::1]", "localhost"])
def test_on_this_machine_anything_goes(host: str) -> None:
    settings = by_variables(listen=f"{host}:7700", http_listen=f"{host}:7780")
    assert (str(settings.listen), str(settings.http_listen)) == (f"{host}:7700", f"{host}:7780")


@pytest.mark.parametrize(
    ("given", "blamed", "right"),
    [
        ({"tls_cert": "c.pem"}, "tls_key", "tls_cert requires it"),
        ({"tls_key": "k.pem"}, "tls_cert", "tls_key requires it"),
        ({"tls_client_ca": "a.pem"}, "tls_client_ca", "it requires tls_cert and tls_key"),
        ({"heartbeat_timeout_ms": "5000"}, "heartbeat_timeout_ms", "it must be greater than ping_interval_ms"),
        ({"ping_interval_ms": "20000"}, "heartbeat_timeout_ms", "it must be greater than ping_interval_ms"),
    ],
)
def test_settings_that_cannot_go_together_are_refused(given: dict[str, Any], blamed: str, right: str) -> None:
    with pytest.raises(InvalidSetting) as refused:
        by_variables(**given)
    assert (refused.value.details["setting"], refused.value.details["right"]) == (blamed, right)
