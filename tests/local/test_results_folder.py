"""Saved records count as played matches if their terms are those of the plan, and a folder is for one contest."""

from pathlib import Path

import pytest

from engines.options import Settings
from referee.local.plan import LocalPairing, read_plan
from referee.local.results_folder import ResultsFolder, TermsChanged
from referee.match.commands import Resign, StartPlay
from referee.match.setup import Player, Setup
from referee.server.stores import StartupError
from tests.records.forgery import record_of
from tests.records.matches import happened

PLAN = '[bots]\nanna = "random"\nbert = "random"\n[[games]]\ngame = "alquerque"\n'


def first_pairing(tmp_path: Path, more: str = "") -> LocalPairing:
    file = tmp_path / "plan.toml"
    file.write_text(PLAN + more, encoding="utf-8")
    return read_plan(file).pairings()[0]


def played(pairing: LocalPairing, settings: Settings) -> bytes:
    """The record of a short match by the terms of a pairing, but for its options."""
    terms = pairing.terms
    players = tuple(Player(entrant.name, "1") for entrant in pairing.seats)
    controls = (terms.control,) * len(players)
    game = terms.game
    setup = Setup("m1", game.name, game.version, settings, players, controls, bytes(32), policies=terms.policies)
    return record_of(happened(setup, (10, StartPlay()), (20, Resign(0))))


def test_a_match_from_before_an_option_was_there_counts_as_played_by_its_default(tmp_path: Path) -> None:
    pairing = first_pairing(tmp_path)
    late = [option.name for option in pairing.terms.game.options.declared if option.late]
    before = Settings(tuple(it for it in pairing.terms.settings.values if it[0] not in late))
    folder = ResultsFolder(tmp_path)
    folder.keep(pairing, played(pairing, before))
    finish = folder.finish(pairing)
    assert finish is not None
    assert finish.moves == 0
    other = first_pairing(tmp_path, 'options = { chain = "may_stop" }\n')
    with pytest.raises(TermsChanged):
        folder.finish(other)


def test_a_folder_is_for_one_plan_once_it_is_claimed(tmp_path: Path) -> None:
    folder = ResultsFolder(tmp_path)
    folder.check_plan("anything")
    folder.claim("the plan")
    folder.check_plan("the plan")
    with pytest.raises(TermsChanged, match="terms or entrants; choose another folder with --out"):
        folder.check_plan("another")


def test_the_token_of_the_first_start_is_kept_for_all_others_and_for_nobody_else(tmp_path: Path) -> None:
    folder = ResultsFolder(tmp_path)
    folder.data.mkdir()
    with pytest.raises(StartupError, match="belongs to another program"):
        folder.admin_token("")
    assert folder.admin_token("rf_secret") == "rf_secret"
    assert folder.admin_token("") == "rf_secret"
    assert [file.stat().st_mode & 0o777 for file in folder.data.iterdir()] == [0o600]
