"""Saved records count as played matches if their terms are those of the plan, and a folder is for one contest."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from engines.options import Settings
from referee.local.plan import LocalPairing, read_plan
from referee.local.results_folder import ResultsFolder, TermsChanged
from referee.match.commands import Resign, StartPlay
from referee.match.setup import Player, Setup
from referee.server.stores import StartupError
from tests.records.forgery import record_of
from tests.records.matches import decided_events

PLAN = '[bots]\nanna = "random"\nbert = "random"\n[[games]]\ngame = "alquerque"\n'


def first_pairing(tmp_path: Path, more: str = "") -> LocalPairing:
    file = tmp_path / "plan.toml"
    file.write_text(PLAN + more, encoding="utf-8")
    return read_plan(file).pairings()[0]


def record_by_terms(pairing: LocalPairing, settings: Settings) -> bytes:
    """Return the record of a short match with the terms of a pairing and other options."""
    terms = pairing.terms
    players = tuple(Player(entrant.name, "1") for entrant in pairing.seats)
    game = terms.game
    match_terms = replace(terms.match_terms, settings=settings)
    setup = Setup("m1", game.version, match_terms, players, bytes(32))
    return record_of(decided_events(setup, (10, StartPlay()), (20, Resign(0))))


def test_a_record_without_a_newer_option_counts_as_played_with_its_default(tmp_path: Path) -> None:
    pairing = first_pairing(tmp_path)
    late_options = [option.name for option in pairing.terms.game.options.declared if option.late]
    old_settings = Settings(
        tuple(value for value in pairing.terms.match_terms.settings.values if value[0] not in late_options)
    )
    folder = ResultsFolder(tmp_path)
    folder.keep(pairing, record_by_terms(pairing, old_settings))
    finish = folder.finish(pairing)
    assert finish is not None
    assert finish.moves == 0
    other = first_pairing(tmp_path, 'options = { chain = "may_stop" }\n')
    with pytest.raises(TermsChanged):
        folder.finish(other)


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ("adjudication = { max_plies = 9 }\n", "adjudication"),
        ('openings = ["bbbbb/bbbbb/bb1ww/wwwww/wwwww b 0"]\n', "openings"),
    ],
)
def test_records_with_other_openings_or_adjudication_are_rejected(tmp_path: Path, more: str, what: str) -> None:
    folder, pairing = ResultsFolder(tmp_path / "out"), first_pairing(tmp_path)
    folder.keep(pairing, record_by_terms(pairing, pairing.terms.match_terms.settings))
    with pytest.raises(TermsChanged, match=what):
        folder.finish(first_pairing(tmp_path, more))


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
