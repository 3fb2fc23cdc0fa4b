"""Second engines are found by game and name; unknown ones are refused with the known ones."""

from importlib.metadata import EntryPoint

import pytest

from engines.second import second_registry
from engines.second.second_registry import GROUP, UnknownSecondEngine, find_second, second_engines
from tests.engines.second.planted import RIGHT

PLANTED = EntryPoint("planted", "tests.engines.second.planted:RIGHT", GROUP)


def install(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> None:
    monkeypatch.setattr(second_registry, "entry_points", lambda group: points if group == GROUP else ())


@pytest.mark.parametrize("game", ["alquerque", "toc", "troke", "trox"])
def test_each_of_our_games_has_a_reference(game: str) -> None:
    engine = find_second(game, "reference")
    assert (engine.game, engine.name) == (game, "reference")
    assert second_engines(game) == ["reference"]


def test_an_unknown_engine_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownSecondEngine, match=r"^unknown second engine of toc 'other'; known: reference$"):
        find_second("toc", "other")
    with pytest.raises(UnknownSecondEngine, match=r"of nim 'reference'; known: none$"):
        find_second("nim", "reference")


def test_an_engine_whose_extra_is_missing_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_registry, "_is_installed", lambda _: False)
    with pytest.raises(UnknownSecondEngine, match=r"known: none; to add pyspiel: pip install 'referee\[openspiel\]'$"):
        find_second("chess", "pyspiel")


def test_a_distribution_is_installed_or_not() -> None:
    assert second_registry._is_installed("pytest")
    assert not second_registry._is_installed("no-such-distribution")


def test_other_distributions_add_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, PLANTED)
    assert find_second("nim", "planted") is RIGHT
    assert second_engines("nim") == ["planted"]
    with pytest.raises(UnknownSecondEngine):
        find_second("toc", "planted")


def test_an_entry_point_that_is_no_engine_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, EntryPoint("planted", "tests.third_party_games.third_party_games:NIM", GROUP))
    with pytest.raises(TypeError, match="is Nim, not a SecondEngine"):
        find_second("nim", "planted")


def test_an_entry_point_has_the_name_of_its_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, EntryPoint("other", PLANTED.value, GROUP))
    with pytest.raises(ValueError, match="refers to an engine that is called 'planted'"):
        find_second("nim", "other")
