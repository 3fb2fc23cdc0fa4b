"""Parser of Dockerfiles into a list of steps."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Step:
    word: str
    """Instruction, such as RUN or COPY."""
    text: str
    """Arguments of the instruction, joined to one line."""


def steps(file: Path) -> list[Step]:
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")]
    whole = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [Step(*line.split(maxsplit=1)) for line in whole.splitlines() if line.strip()]


def last_stage(all_steps: Sequence[Step]) -> list[Step]:
    """Return the steps from the last FROM on."""
    first = max(at for at, step in enumerate(all_steps) if step.word == "FROM")
    return list(all_steps[first:])
