"""Settings that cannot be: which, where it came from, and what would have been right."""

from engines.refusals import Refusal, quoted, shortened


class UnknownSetting(Refusal):
    def __init__(self, name: str, where: str, hint: str) -> None:
        super().__init__(f"unknown setting {quoted(name)} ({where}); {hint}", setting=shortened(name), where=where)


class BadSetting(Refusal):
    """A known setting with a value that it, or its neighbours, cannot take."""

    def __init__(self, name: str, value: object, where: str, right: str) -> None:
        sentence = f"setting {name} cannot be {quoted(value)} ({where}): {right}"
        super().__init__(sentence, setting=name, value=shortened(str(value)), where=where, right=right)


class UnreadableSettings(Refusal):
    """A file of settings that cannot be read at all."""

    def __init__(self, file: str, why: str) -> None:
        super().__init__(f"cannot read the settings in {file}: {why}", file=file, why=why)
