"""Logging: one event per line, with its context, and never a secret."""

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
from referee.observability.logs import LogFormat, LogLevel, set_up_logs

SECRET = mint_secret(bytes(range(32))).secret


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
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
foreign = logging.getLogger("grpc._server")


def test_an_event_is_one_line_of_json_with_its_moment_in_utc(json_log: io.StringIO) -> None:
    log.info("match opened", match_id="m1", seats=2)
    event = only_event(json_log)
    assert event.pop("timestamp").endswith("Z")
    assert event == {"event": "match opened", "level": "info", "logger": "referee.test", "match_id": "m1", "seats": 2}


def test_what_is_bound_around_an_event_stands_in_it_whoever_logs(json_log: io.StringIO) -> None:
    with structlog.contextvars.bound_contextvars(match_id="m1", bot="ada", request_id="r1"):
        log.info("ours")
        foreign.warning("theirs")
    log.info("after")
    assert [(e.get("match_id"), e.get("bot"), e.get("request_id")) for e in events(json_log)] == [
        ("m1", "ada", "r1"),
        ("m1", "ada", "r1"),
        (None, None, None),
    ]


def test_what_is_bound_in_one_task_is_not_bound_in_another(json_log: io.StringIO) -> None:
    async def play(match_id: str) -> None:
        with structlog.contextvars.bound_contextvars(match_id=match_id):
            await asyncio.sleep(0)
            log.info("moved", of=match_id)

    async def both() -> None:
        await asyncio.gather(play("m1"), play("m2"))

    asyncio.run(both())
    assert [(event["match_id"], event["of"]) for event in events(json_log)] == [("m1", "m1"), ("m2", "m2")]


def test_what_libraries_log_goes_down_the_same_road(json_log: io.StringIO) -> None:
    foreign.error("cannot bind %s", "there")
    event = only_event(json_log)
    assert (event["event"], event["level"], event["logger"]) == ("cannot bind there", "error", "grpc._server")


def test_what_asyncio_has_to_say_of_a_lost_exception_is_logged(json_log: io.StringIO) -> None:
    async def lose_one() -> None:
        asyncio.get_running_loop().call_exception_handler({"message": "lost", "exception": KeyError("x")})

    asyncio.run(lose_one())
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
        getattr(foreign, name.value)("theirs")
    wanted = [name.value for name in list(LogLevel)[list(LogLevel).index(level) :]]
    assert [event["level"] for event in events(stream)] == [name for name in wanted for _ in "of"]


def test_an_exception_is_data_with_its_cause_and_without_local_values(json_log: io.StringIO) -> None:
    def fail() -> None:
        kept_to_ourselves = "local value"
        try:
            int(kept_to_ourselves[:0])
        except ValueError as cause:
            raise KeyError("outer") from cause

    for logger in (log, foreign):
        try:
            fail()
        except KeyError:
            logger.exception("it failed")
    for event in events(json_log):
        outer, inner = event["exception"]
        assert (outer["exc_type"], inner["exc_type"]) == ("KeyError", "ValueError")
        assert outer["frames"][-1]["name"] == "fail"
    assert "local value" not in json_log.getvalue()


def test_setting_up_again_replaces_what_was_set_up(json_log: io.StringIO) -> None:
    later = set_up(LogFormat.JSON)
    log.info("hello")
    assert json_log.getvalue() == ""
    assert only_event(later)["event"] == "hello"


def test_auto_is_for_a_person_on_a_terminal_and_json_elsewhere() -> None:
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        set_up(LogFormat.AUTO, stream=stream)
        log.info("hello", seat=1)
    assert "\x1b[" in terminal.getvalue()
    assert only_event(pipe)["seat"] == 1


def test_a_console_that_is_no_terminal_has_no_colours() -> None:
    stream = set_up(LogFormat.CONSOLE)
    with structlog.contextvars.bound_contextvars(match_id="m1"):
        log.warning("match stalled", ms=12)
    (line,) = stream.getvalue().splitlines()
    assert "\x1b" not in line
    assert "match stalled" in line
    assert "match_id='m1' ms=12" in line


@pytest.mark.parametrize("form", [LogFormat.JSON, LogFormat.CONSOLE])
def test_what_a_stranger_said_makes_no_second_line_and_does_not_speak_to_the_terminal(form: LogFormat) -> None:
    stream = set_up(form)
    log.info("said\nlevel=error \x1b[31m\ud800", move="a\nb\r\x1b[2J\ud800")
    assert len(stream.getvalue().splitlines()) == 1
    assert "\x1b" not in stream.getvalue()


def test_a_trace_for_a_person_is_a_text() -> None:
    stream = set_up(LogFormat.CONSOLE)
    try:
        raise KeyError("gone")
    except KeyError:
        log.exception("it failed")
    assert "it failed" in stream.getvalue()
    assert stream.getvalue().endswith("KeyError: 'gone'\n")


# Secrets


class Careless:
    def __repr__(self) -> str:
        return f"Careless(seed={SECRET.encode()!r}, turn_token='it is {SECRET}', ply=3)"


def leak_everywhere() -> None:
    """Log SECRET in every way that might leak it."""
    bare = SECRET.removeprefix("rf_")
    with structlog.contextvars.bound_contextvars(token=bare, request_id="r1"):
        log.info("ours", seed=bare.encode(), Authorization=bare, turn_token=bare, admin_tokens=[bare], nonce=bare)
    log.info(f"as it stands {SECRET}", other=SECRET, **{f"as a name {SECRET}": 1})
    log.info("metadata", metadata=(("authorization", f"Bearer {bare}"), ("x", f"bearer  {bare}")))
    log.info("nested", setup={"seed": bare, "more": [{"client_secret": bare}, {SECRET}, Careless()]})
    log.info("as JSON", body=json.dumps({"token": bare, "password": f'with "quotes" {bare}', "n": 1}))
    log.info("as settings", text=f"REFEREE_TOKEN={bare} turnToken: {bare}, authorization = {bare}")
    foreign.warning("theirs %s %r %s", SECRET, {"token": bare}, Careless())
    foreign.warning("Authorization: Bearer %s", bare)
    for logger in (log, foreign):
        try:
            raise ValueError(f"no such token: {bare}", Careless())
        except ValueError:
            logger.exception("failed")
    log.info("stack", stack_info=True)


@pytest.mark.parametrize("form", [LogFormat.JSON, LogFormat.CONSOLE])
def test_no_secret_is_ever_written(form: LogFormat) -> None:
    stream = set_up(form, LogLevel.DEBUG)
    leak_everywhere()
    assert SECRET.removeprefix("rf_") not in stream.getvalue()
    assert stream.getvalue().count("(removed)") > 20


def test_what_is_no_secret_stays(json_log: io.StringIO) -> None:
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


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError("I will not say")


def test_an_event_that_cannot_be_written_is_reported_without_what_was_in_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stream = set_up(LogFormat.JSON)  # In a fixture, pytest's handler would also get the event, and fail.
    log.info("whisper", token=SECRET, what=Unspeakable())
    event = only_event(stream)
    assert event["event"] == "log event of referee.test lost"
    assert event["exception"][0]["exc_value"] == "I will not say"
    assert SECRET not in stream.getvalue()
    assert "".join(capsys.readouterr()) == ""


def test_a_log_that_takes_nothing_any_more_stops_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    stream = set_up(LogFormat.JSON)
    stream.close()
    log.info("hello", token=SECRET)
    assert "".join(capsys.readouterr()) == ""


def test_nothing_happens_at_import() -> None:
    program = (
        "import logging, warnings; shown = warnings.showwarning; import referee.observability.logs as logs, structlog;"
        "assert not logging.getLogger().handlers; assert not structlog.is_configured();"
        "assert warnings.showwarning is shown"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
