"""Structured logging: one event on each line, with a UTC timestamp and fields, and without secrets.

Code calls `structlog.get_logger()` and logs an event with fields: `log.info("state recovered", matches=…)`. Fields of
all events within a context are bound by `structlog.contextvars.bound_contextvars`. Messages that grpc, asyncio and
other libraries log with the standard library have the same format.

A warning or error that is equal to one of the last minute is left out, because strangers can cause many; the next one
says how many (`left_out`).

Redaction: tokens, seeds and other credentials are removed by the name of a field and by the look of a text. Removing
too much makes a line less useful; removing too little could make a reader of the log an administrator.
"""

import logging
import re
import time
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any, TextIO

import structlog
from structlog.tracebacks import ExceptionDictTransformer
from structlog.typing import Processor

REMOVED = "(removed)"

WORD = r"(?:token|seed|secret|authori[sz]ation|password|nonce)s?"

SECRET_NAME = re.compile(rf".*{WORD}", re.IGNORECASE | re.DOTALL)
"""`token`, `turn_token` and `Authorization` are secrets; `token_id` and `seed_given` are not."""

SECRET_TEXT = re.compile(
    rf"""
      rf_[A-Za-z0-9_-]{{20,}}                                # A token of this server.
    | (?<![\w-])eyJ[\w-]{{10,}}\.[\w-]+\.[\w-]*              # A token of an identity provider.
    | \bbearer\s+[^\s'",;]+                                 # Any token in an Authorization header.
    | (?<![\w-])(?P<name>[\w-]*?{WORD}['"]?\s*[=:]\s*)      # A secret by its name, in repr or JSON.
      (?:(?:bearer|basic)\s+)?
      (?:b?'(?:[^'\\]|\\.)*' | b?"(?:[^"\\]|\\.)*" | [^\s,;)}}\]]+)
    """,
    re.IGNORECASE | re.VERBOSE,
)


class LogFormat(Enum):
    AUTO = "auto"
    """`console` on a terminal, `json` elsewhere."""
    JSON = "json"
    CONSOLE = "console"


class LogLevel(Enum):
    """Minimum level of log messages."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


GRPC_CORE = "grpc._cython.cygrpc"
CALLER_GONE = "ExecuteBatchError raised in core"
"""How grpc begins the message that an answer could not be sent, since the call has ended meanwhile."""

LIMITED_LEVELS = frozenset({"warning", "error", "critical"})
"""Levels of events that are left out if they repeat. Others, such as *bot paused*, are needed each time."""
REPEAT_INTERVAL_S = 60.0
"""Time after an event in which equal ones are left out."""
MAX_RECENT = 1_000
"""Number of events that are remembered."""
NUMBER = re.compile(r"0x[0-9a-f]+|\d+(?:\.\d+)?")
"""Times, files and addresses of objects, by which events of libraries differ although they repeat."""

COMMON: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]
"""Processors of every event, of this code base and of libraries."""


def set_up_logs(
    wanted: LogFormat, level: LogLevel, stream: TextIO, monotonic_s: Callable[[], float] = time.monotonic
) -> None:
    """Send all log events to `stream` from now on, replacing an earlier configuration."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *COMMON,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    repeats = RepeatFilter(monotonic_s)
    handler = _Handler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=COMMON,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *(_json_processors(repeats) if _wants_json(wanted, stream) else _console_processors(repeats, stream)),
            ],
        )
    )
    logging.captureWarnings(True)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.value.upper())


class _Handler(logging.StreamHandler[TextIO]):
    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is logged. What grpc reports as an error because a caller has gone is none."""
        if record.name == GRPC_CORE and str(record.msg).startswith(CALLER_GONE):
            record.levelno, record.levelname, record.exc_info = logging.DEBUG, "DEBUG", None
        return record.levelno >= logging.getLogger().level and bool(super().filter(record))

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(structlog.DropEvent):
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # So logging calls it.
        """Log that an event was lost. The default handler would print it with all secrets."""
        if record.name != __name__:
            logging.getLogger(__name__).error("log event of %s lost", record.name, exc_info=True)


def _wants_json(wanted: LogFormat, stream: TextIO) -> bool:
    return wanted is LogFormat.JSON or (wanted is LogFormat.AUTO and not stream.isatty())


class RepeatFilter:
    """A structlog processor that leaves out warnings and errors which repeat, but for one in each interval."""

    def __init__(self, monotonic_s: Callable[[], float]) -> None:
        self._monotonic_s = monotonic_s
        self._recent: dict[int, _Written] = {}
        """By a hash of the event; the one that was written first comes first."""

    def __call__(self, _logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        """Return the event, with the number of those left out before it. Raises DropEvent."""
        if event["level"] not in LIMITED_LEVELS:
            return event
        key, now_s = _hash_event(event), self._monotonic_s()
        last = self._recent.get(key)
        if last and now_s < last.at_s + REPEAT_INTERVAL_S:
            last.left_out += 1
            raise structlog.DropEvent
        self._recent.pop(key, None)
        self._recent[key] = _Written(now_s)
        if len(self._recent) > MAX_RECENT:
            del self._recent[next(iter(self._recent))]
        return {**event, "left_out": last.left_out} if last and last.left_out else event


@dataclass(slots=True)
class _Written:
    at_s: float
    left_out: int = 0


def _hash_event(event: Mapping[str, Any]) -> int:
    fields = {name: value for name, value in event.items() if name not in ("timestamp", "event")}
    return hash((NUMBER.sub("", str(event["event"]).partition("\n")[0]), repr(fields)))


def _json_processors(repeats: RepeatFilter) -> list[Processor]:
    # Without local variables, since there are secrets among them.
    traces = structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False))
    return [traces, redact_event, repeats, structlog.processors.JSONRenderer()]


def _console_processors(repeats: RepeatFilter, stream: TextIO) -> list[Processor]:
    console = structlog.dev.ConsoleRenderer(
        colors=stream.isatty(), exception_formatter=structlog.dev.plain_traceback, repr_native_str=True
    )
    # The traceback is formatted before redaction, not by the renderer after it.
    return [structlog.processors.format_exc_info, redact_event, repeats, _escape_control_characters, console]


def _escape_control_characters(
    _logger: object, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Escape control characters, so that input of callers cannot forge lines or control the terminal."""
    text = str(event["event"])
    return {**event, "event": "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)}


def redact_event(_logger: object, _method: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """A structlog processor that redacts an event. Those after it add no text of others."""
    return _redact_mapping(event)


def redact_text(text: str) -> str:
    """Return the text without the parts that look like secrets."""
    return SECRET_TEXT.sub(lambda found: (found["name"] or "") + REMOVED, text)


def _redact_mapping(named: Mapping[Any, object]) -> dict[str, object]:
    return {redact_text(str(name)): _redact_field(name, value) for name, value in named.items()}


def _redact_field(name: object, value: object) -> object:
    return REMOVED if SECRET_NAME.fullmatch(str(name)) else _redact(value)


def _redact(value: object) -> object:
    """Return the value as plain data, so that the renderer does not call `repr` on anything."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return redact_text(value)
    if isinstance(value, Mapping):
        return _redact_mapping(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [_redact(inner) for inner in value]
    return redact_text(repr(value))
