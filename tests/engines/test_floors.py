"""A game imports the shared engine code, and neither the registry nor another game."""

import grimp
import pytest

FLOOR = {"engines.api", "engines.options", "engines.refusals", "engines.chance"}
GRAPH = grimp.build_graph("engines", cache_dir=None)
GAMES = sorted(name for name in GRAPH.find_children("engines") if GRAPH.find_children(name))


@pytest.mark.parametrize("game", GAMES)
def test_a_game_imports_the_floor_and_itself_only(game: str) -> None:
    own = {game, *GRAPH.find_descendants(game)}
    imported = {other for module in own for other in GRAPH.find_modules_directly_imported_by(module)}
    assert imported <= own | FLOOR


@pytest.mark.parametrize("game", GAMES)
def test_nothing_but_the_registry_knows_a_game(game: str) -> None:
    own = {game, *GRAPH.find_descendants(game)}
    importers = {other for module in own for other in GRAPH.find_modules_that_directly_import(module)}
    assert importers <= own
