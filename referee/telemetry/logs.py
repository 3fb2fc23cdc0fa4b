"""The log: one event a line, in UTC, with what it is about, and without secrets.

Code asks `structlog.get_logger()` for a logger and says what happened and to what: `log.info("match opened",
match_id=…)`. What holds for all that follows (`match_id`, `bot`, `request_id`) is bound around it by
`structlog.contextvars.bound_contextvars`. What grpc, asyncio and other libraries log by way of the standard
library goes down the same road.
"""

import logging
from collections.abc import MutableMapping
from typing import Any, TextIO

import structlog
from structlog.tracebacks import ExceptionDictTransformer
from structlog.typing import Processor

from referee.telemetry.log_wishes import LogFormat, LogLevel
from referee.telemetry.redaction import without_secrets

COMMON: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]
"""What is said of every event, whoever logs it."""


def set_up_logs(wanted: LogFormat, level: LogLevel, stream: TextIO) -> None:
    """Send all that is logged from now on to `stream`, whatever was set up before."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *COMMON,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    handler = _Handler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=COMMON,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *(_as_json() if _wants_json(wanted, stream) else _for_a_person(stream)),
            ],
        )
    )
    logging.captureWarnings(True)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.value.upper())


class _Handler(logging.StreamHandler[TextIO]):
    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # So logging calls it.
        """Say that an event was lost. The usual way would print it, secrets and all."""
        if record.name != __name__:
            logging.getLogger(__name__).error("an event of %s could not be written", record.name, exc_info=True)


def _wants_json(wanted: LogFormat, stream: TextIO) -> bool:
    return wanted is LogFormat.JSON or (wanted is LogFormat.AUTO and not stream.isatty())


def _as_json() -> list[Processor]:
    # Without the values of local variables: secrets are among them.
    traces = structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False))
    return [traces, without_secrets, structlog.processors.JSONRenderer()]


def _for_a_person(stream: TextIO) -> list[Processor]:
    console = structlog.dev.ConsoleRenderer(
        colors=stream.isatty(), exception_formatter=structlog.dev.plain_traceback, repr_native_str=True
    )
    # The trace is made a text before secrets are removed, and not by who writes it.
    return [structlog.processors.format_exc_info, without_secrets, _on_one_line, console]


def _on_one_line(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """What a stranger said is no second line, and does not speak to the terminal."""
    text = str(event["event"])
    return {**event, "event": "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)}
