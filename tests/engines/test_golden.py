"""What must never change by accident: perft counts and whole games."""

from pathlib import Path

import pytest

from tests.engines.golden import FOLDER, PerftLine, perft_lines, renew_perft, renewed_game


@pytest.mark.parametrize("line", perft_lines(), ids=lambda line: f"{line.game}: {line}")
def test_perft_counts_are_as_written(line: PerftLine, renewing: bool) -> None:
    counted = line.counted()
    if renewing:
        renew_perft(counted)
    else:
        assert counted == line


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/*.game")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_golden_games_go_as_written(path: Path, renewing: bool) -> None:
    text = path.read_text(encoding="utf-8")
    now = renewed_game(text)
    if renewing:
        path.write_text(now, encoding="utf-8")
    else:
        assert now == text
