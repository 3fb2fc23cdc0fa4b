"""What one may ask of the log."""

from enum import Enum


class LogFormat(Enum):
    AUTO = "auto"
    """For a person where there is a terminal, JSON elsewhere."""
    JSON = "json"
    CONSOLE = "console"


class LogLevel(Enum):
    """Nothing below it is written."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
