"""A results folder is for one contest."""

from pathlib import Path

import pytest

from referee.local.results_folder import ResultsFolder, TermsChanged
from referee.server.stores import StartupError


def test_a_claimed_folder_belongs_to_one_plan(tmp_path: Path) -> None:
    folder = ResultsFolder(tmp_path)
    folder.check_plan("anything")
    folder.claim("the plan")
    folder.check_plan("the plan")
    with pytest.raises(TermsChanged, match="terms or entrants; choose another folder with --out"):
        folder.check_plan("another")


def test_the_first_admin_token_is_stored_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    folder = ResultsFolder(tmp_path)
    folder.data.mkdir()
    with pytest.raises(StartupError, match="belongs to another program"):
        folder.admin_token("")
    assert folder.admin_token("rf_secret") == "rf_secret"
    assert folder.admin_token("") == "rf_secret"
    assert [file.stat().st_mode & 0o777 for file in folder.data.iterdir()] == [0o600]
