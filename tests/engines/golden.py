"""Golden files: perft counts and whole games, in a form that people can read and write.

A game may be written as its moves alone; renewing it adds the positions and the outcome.
"""

from dataclasses import dataclass
from pathlib import Path

from engines.api import REFEREE, Game, Outcome, Position
from engines.options import Settings
from engines.registry import find
from engines.walk import perft

FOLDER = Path(__file__).parent / "golden"


def settings_of(game: Game, words: str) -> Settings:
    """Parse `name=value` words, with `preset:NAME` among them; `-` stands for no options."""
    preset = None
    chosen = {}
    for word in words.split():
        if word.startswith("preset:"):
            preset = word.removeprefix("preset:")
        elif word != "-":
            name, _, value = word.partition("=")
            chosen[name] = value
    return game.settings(chosen, preset)


def first_position(game: Game, words: str, start: str, seed: bytes = b"") -> Position:
    settings = settings_of(game, words)
    return game.start(settings, seed) if start == "start" else game.read(start, settings)


@dataclass(frozen=True)
class PerftLine:
    """One line of a perft.txt: `options ; position ; counts`."""

    game: str
    options: str
    start: str
    counts: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.options} ; {self.start} ; {' '.join(map(str, self.counts))}"

    def counted(self) -> "PerftLine":
        at = first_position(find(self.game), self.options, self.start)
        counts = tuple(perft(at, depth) for depth in range(1, len(self.counts) + 1))
        return PerftLine(self.game, self.options, self.start, counts)


def read_perft_line(game: str, line: str) -> PerftLine:
    options, start, counts = (part.strip() for part in line.split(";"))
    return PerftLine(game, options, start, tuple(map(int, counts.split())))


def perft_lines() -> list[PerftLine]:
    return [
        read_perft_line(path.parent.name, line)
        for path in sorted(FOLDER.glob("*/perft.txt"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]


def renew_perft(now: PerftLine) -> None:
    """Replace the line in its file."""
    path = FOLDER / now.game / "perft.txt"
    text = path.read_text(encoding="utf-8")
    start = f"{now.options} ; {now.start} ;"
    lines = (str(now) if line.startswith(start) else line for line in text.splitlines())
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def renewed_game(text: str) -> str:
    """Return a golden game with all positions and the outcome as the engine computes them now."""
    lines: list[str] = []
    head: dict[str, str] = {}
    at: Position | None = None
    for line in text.splitlines():
        if line.startswith("#") or not line:
            lines.append(line)
        elif line[0].isdigit():
            at = at or _start(head)
            seat, move = line.split("|")[0].split()
            at = at.play(int(seat), move)
            lines.append(f"{seat} {move} | {at}")
        else:
            name, _, value = line.partition(":")
            head[name] = value.strip()
            if name != "outcome":
                lines.append(line)
    lines.append(f"outcome: {_outcome_text((at or _start(head)).outcome)}")
    return "\n".join(lines) + "\n"


def _start(head: dict[str, str]) -> Position:
    return first_position(find(head["game"]), head["options"], head["start"], bytes.fromhex(head["seed"]))


def _outcome_text(outcome: Outcome | None) -> str:
    return f"{outcome.reason} {' '.join(f'{score:g}' for score in outcome.scores)}" if outcome else "-"


def drawing(path: Path) -> str:
    """Return the drawing in a file such as sheet.20.svg: sheet.game after 20 plies, as the referee sees it.

    Each element is on a line of its own.
    """
    name, _, plies = path.stem.rpartition(".")
    head: dict[str, str] = {}
    moves: list[list[str]] = []
    for line in path.with_name(f"{name}.game").read_text(encoding="utf-8").splitlines():
        if line[:1].isdigit():
            moves.append(line.split("|")[0].split())
        elif not line.startswith("#"):
            key, _, value = line.partition(":")
            head[key] = value.strip()
    at = _start(head)
    for seat, move in moves[: int(plies)]:
        at = at.play(int(seat), move)
    return find(head["game"]).svg(at.settings, at.view(REFEREE), moves[int(plies) - 1][1]).replace("><", ">\n<") + "\n"
