"""Log lines, and spans of traces."""

import asyncio
import io
import json
import logging
import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from referee.accounts.tokens import mint_secret
from referee.observability.logs import MAX_RECENT, REPEAT_INTERVAL_S, LogFormat, LogLevel, set_up_logs
from referee.observability.tracing import UNTRACED, TracesUnavailable, create_tracing

SECRET = mint_secret(bytes(range(32))).secret


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def restore_logging() -> Iterator[None]:
    """Restore the logging configuration after each test."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers, root.level = handlers, level
    logging.captureWarnings(False)
    structlog.reset_defaults()


@pytest.fixture
def json_log() -> io.StringIO:
    return set_up(LogFormat.JSON)


def set_up(form: LogFormat, level: LogLevel = LogLevel.INFO, stream: io.StringIO | None = None) -> io.StringIO:
    stream = stream or io.StringIO()
    set_up_logs(form, level, stream)
    return stream


def events(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def only_event(stream: io.StringIO) -> dict[str, Any]:
    (event,) = events(stream)
    return event


log = structlog.get_logger("referee.test")
library_log = logging.getLogger("grpc._server")


def test_an_event_is_one_line_of_json_with_a_utc_timestamp(json_log: io.StringIO) -> None:
    log.info("match opened", match_id="m1", seats=2)
    event = only_event(json_log)
    assert event.pop("timestamp").endswith("Z")
    assert event == {"event": "match opened", "level": "info", "logger": "referee.test", "match_id": "m1", "seats": 2}


def test_bound_context_is_in_events_of_all_loggers(json_log: io.StringIO) -> None:
    with structlog.contextvars.bound_contextvars(match_id="m1", bot="ada", request_id="r1"):
        log.info("ours")
        library_log.warning("theirs")
    log.info("after")
    assert [(e.get("match_id"), e.get("bot"), e.get("request_id")) for e in events(json_log)] == [
        ("m1", "ada", "r1"),
        ("m1", "ada", "r1"),
        (None, None, None),
    ]


def test_events_of_libraries_are_logged_in_the_same_format(json_log: io.StringIO) -> None:
    library_log.error("cannot bind %s", "there")
    event = only_event(json_log)
    assert (event["event"], event["level"], event["logger"]) == ("cannot bind there", "error", "grpc._server")


def test_an_answer_to_a_caller_that_has_gone_is_no_error(json_log: io.StringIO) -> None:
    """grpc reports it so if the deadline of a call that reads nothing passes while its answer is written."""
    message = "ExecuteBatchError raised in core by servicer method [%s]"
    logging.getLogger("grpc._cython.cygrpc").error(message, "/x", exc_info=ValueError("no"))
    assert events(json_log) == []
    logging.getLogger().setLevel("DEBUG")
    logging.getLogger("grpc._cython.cygrpc").error(message, "/x", exc_info=ValueError("no"))
    assert (only_event(json_log)["level"], "exception" in only_event(json_log)) == ("debug", False)
    logging.getLogger("grpc._cython.cygrpc").error("Unexpected [ValueError] raised by servicer method [/x]")
    assert events(json_log)[-1]["level"] == "error"


async def test_an_exception_reported_by_asyncio_is_logged(json_log: io.StringIO) -> None:
    asyncio.get_running_loop().call_exception_handler({"message": "lost", "exception": KeyError("x")})
    event = only_event(json_log)
    assert (event["logger"], event["exception"][0]["exc_type"]) == ("asyncio", "KeyError")


def test_warnings_are_logged(json_log: io.StringIO) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("careful", stacklevel=1)
    assert "careful" in only_event(json_log)["event"]


@pytest.mark.parametrize("level", LogLevel)
def test_nothing_below_the_level_is_written(level: LogLevel) -> None:
    stream = set_up(LogFormat.JSON, level)
    for name in LogLevel:
        getattr(log, name.value)("ours")
        getattr(library_log, name.value)("theirs")
    wanted = [name.value for name in list(LogLevel)[list(LogLevel).index(level) :]]
    assert [event["level"] for event in events(stream)] == [name for name in wanted for _ in "of"]


def test_an_exception_is_logged_with_its_cause_and_without_local_variables(json_log: io.StringIO) -> None:
    def fail() -> None:
        local_variable = "local value"
        try:
            int(local_variable[:0])
        except ValueError as cause:
            raise KeyError("outer") from cause

    for logger in (log, library_log):
        try:
            fail()
        except KeyError:
            logger.exception("it failed")
    for event in events(json_log):
        outer, inner = event["exception"]
        assert (outer["exc_type"], inner["exc_type"]) == ("KeyError", "ValueError")
        assert outer["frames"][-1]["name"] == "fail"
    assert "local value" not in json_log.getvalue()


class LogClock:
    """A log whose clock stands until it is moved."""

    def __init__(self, form: LogFormat = LogFormat.JSON) -> None:
        self.now_s = 0.0
        self.stream = io.StringIO()
        set_up_logs(form, LogLevel.INFO, self.stream, lambda: self.now_s)


def test_a_warning_that_repeats_is_written_once_a_minute_with_the_number_left_out() -> None:
    clock = LogClock()
    for _ in range(1_000):
        log.warning("store unavailable", reason="disk full")
    clock.now_s = REPEAT_INTERVAL_S
    log.warning("store unavailable", reason="disk full")
    log.warning("store unavailable", reason="disk full")
    clock.now_s *= 2
    log.warning("store unavailable", reason="disk full")
    clock.now_s *= 2
    log.warning("store unavailable", reason="disk full")
    assert [event.get("left_out") for event in events(clock.stream)] == [None, 999, 1, None]


@pytest.mark.parametrize("form", [LogFormat.JSON, LogFormat.CONSOLE])
def test_a_library_that_reports_the_same_failure_again_and_again_gets_one_line(
    form: LogFormat, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = LogClock(form)
    for number in range(100):
        text = f"accept failed <Timer when={number}.5 at 0xa{number}f>\nhandle: {number}"
        logging.getLogger("asyncio").error(text, exc_info=OSError(24, "Too many open files"))
    assert clock.stream.getvalue().count("accept failed") == 1
    assert "".join(capsys.readouterr()) == ""


def test_events_that_differ_in_any_field_are_all_written() -> None:
    clock = LogClock()
    for fault in range(3):
        log.error("internal error", fault_id=str(fault))
    with structlog.contextvars.bound_contextvars(match_id="m1"):
        log.error("internal error", fault_id="0")
    assert len(events(clock.stream)) == 4


def test_an_event_that_is_no_warning_is_written_each_time() -> None:
    clock = LogClock()
    for _ in range(2):
        log.info("bot paused", bot="anna")
        log.info("bot resumed", bot="anna")
    assert [event["event"] for event in events(clock.stream)] == ["bot paused", "bot resumed"] * 2


def test_the_number_of_remembered_events_is_limited() -> None:
    clock = LogClock()
    for number in range(MAX_RECENT + 1):
        log.error("internal error", fault_id=str(number))
    log.error("internal error", fault_id="0")  # Forgotten: written again.
    log.error("internal error", fault_id=str(MAX_RECENT))
    assert len(events(clock.stream)) == MAX_RECENT + 2


def test_a_second_setup_replaces_the_first(json_log: io.StringIO) -> None:
    new_stream = set_up(LogFormat.JSON)
    log.info("hello")
    assert json_log.getvalue() == ""
    assert only_event(new_stream)["event"] == "hello"


def test_auto_format_is_console_on_a_terminal_and_json_elsewhere() -> None:
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        set_up(LogFormat.AUTO, stream=stream)
        log.info("hello", seat=1)
    assert "\x1b[" in terminal.getvalue()
    assert only_event(pipe)["seat"] == 1


def test_console_format_has_no_colours_without_a_terminal() -> None:
    stream = set_up(LogFormat.CONSOLE)
    with structlog.contextvars.bound_contextvars(match_id="m1"):
        log.warning("match stalled", ms=12)
    (line,) = stream.getvalue().splitlines()
    assert "\x1b" not in line
    assert "match stalled" in line
    assert "match_id='m1' ms=12" in line


@pytest.mark.parametrize("form", [LogFormat.JSON, LogFormat.CONSOLE])
def test_control_characters_in_values_are_escaped(form: LogFormat) -> None:
    stream = set_up(form)
    log.info("said\nlevel=error \x1b[31m\ud800", move="a\nb\r\x1b[2J\ud800")
    assert len(stream.getvalue().splitlines()) == 1
    assert "\x1b" not in stream.getvalue()


def test_a_traceback_is_plain_text_in_console_format() -> None:
    stream = set_up(LogFormat.CONSOLE)
    try:
        raise KeyError("gone")
    except KeyError:
        log.exception("it failed")
    assert "it failed" in stream.getvalue()
    assert stream.getvalue().endswith("KeyError: 'gone'\n")


# Secrets


class LeakyRepr:
    def __repr__(self) -> str:
        return f"Careless(seed={SECRET.encode()!r}, turn_token='it is {SECRET}', ply=3)"


def log_secret_everywhere() -> None:
    """Log SECRET in every way that might leak it."""
    bare = SECRET.removeprefix("rf_")
    with structlog.contextvars.bound_contextvars(token=bare, request_id="r1"):
        log.info("ours", seed=bare.encode(), Authorization=bare, turn_token=bare, admin_tokens=[bare], nonce=bare)
    log.info(f"as it stands {SECRET}", other=SECRET, **{f"as a name {SECRET}": 1})
    log.info("metadata", metadata=(("authorization", f"Bearer {bare}"), ("x", f"bearer  {bare}")))
    log.info("nested", setup={"seed": bare, "more": [{"client_secret": bare}, {SECRET}, LeakyRepr()]})
    log.info("as JSON", body=json.dumps({"token": bare, "password": f'with "quotes" {bare}', "n": 1}))
    log.info("as settings", text=f"REFEREE_TOKEN={bare} turnToken: {bare}, authorization = {bare}")
    library_log.warning("theirs %s %r %s", SECRET, {"token": bare}, LeakyRepr())
    library_log.warning("Authorization: Bearer %s", bare)
    for logger in (log, library_log):
        try:
            raise ValueError(f"no such token: {bare}", LeakyRepr())
        except ValueError:
            logger.exception("failed")
    log.info("stack", stack_info=True)


@pytest.mark.parametrize("form", [LogFormat.JSON, LogFormat.CONSOLE])
def test_secrets_are_removed_from_all_events(form: LogFormat) -> None:
    stream = set_up(form, LogLevel.DEBUG)
    log_secret_everywhere()
    assert SECRET.removeprefix("rf_") not in stream.getvalue()
    assert stream.getvalue().count("(removed)") > 20


def test_a_token_of_an_identity_provider_is_removed_from_any_text(json_log: io.StringIO) -> None:
    log.info("refused: eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2ln-_, as it is")
    assert only_event(json_log)["event"] == "refused: (removed), as it is"


def test_values_that_are_no_secrets_are_kept(json_log: io.StringIO) -> None:
    plain = {
        "token_id": "tk_0123456789abcdef",
        "seed_given": True,
        "bearing": "the bearer",
        "n": 1.5,
        "none": None,
        "moves": ["a1-b2"],
        "rf_": "rf_short",
    }
    log.info("seeds were revealed, and the token was revoked", **plain)
    event = only_event(json_log)
    assert event["event"] == "seeds were revealed, and the token was revoked"
    assert {name: event[name] for name in plain} == plain


class FailingRepr:
    def __repr__(self) -> str:
        raise RuntimeError("I will not say")


def test_an_event_that_cannot_be_formatted_is_reported_without_its_values(capsys: pytest.CaptureFixture[str]) -> None:
    stream = set_up(LogFormat.JSON)  # In a fixture, pytest's handler would also get the event, and fail.
    log.info("whisper", token=SECRET, what=FailingRepr())
    event = only_event(stream)
    assert event["event"] == "log event of referee.test lost"
    assert event["exception"][0]["exc_value"] == "I will not say"
    assert SECRET not in stream.getvalue()
    assert "".join(capsys.readouterr()) == ""


def test_a_closed_log_stream_raises_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    stream = set_up(LogFormat.JSON)
    stream.close()
    log.info("hello", token=SECRET)
    assert "".join(capsys.readouterr()) == ""


def test_importing_the_module_has_no_side_effects() -> None:
    program = (
        "import logging, warnings; shown = warnings.showwarning; import referee.observability.logs as logs, structlog;"
        "assert not logging.getLogger().handlers; assert not structlog.is_configured();"
        "assert warnings.showwarning is shown"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.slow
def test_the_libraries_of_tracing_are_not_imported_while_it_is_off() -> None:
    imports = "import sys, referee.cli, referee.server.referee_server"
    program = f"{imports}; print([name for name in sys.modules if 'opentelemetry' in name])"
    completed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert completed.stdout.strip() == "[]"
    assert create_tracing("", 1, "0") is UNTRACED
    assert UNTRACED.interceptors() == ()


def test_tracing_without_its_libraries_fails_with_an_installation_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    monkeypatch.delitem(sys.modules, "referee.observability.opentelemetry_tracing", raising=False)
    with pytest.raises(TracesUnavailable, match=r"pip install 'referee\[traces\]'"):
        create_tracing("http://127.0.0.1:4317", 1, "0")
