"""A game imports the shared engine code, and neither the registry nor another game."""

import grimp
import pytest

SHARED_MODULES = {f"engines.{name}" for name in ("api", "options", "game_errors", "chance", "codec", "drawing", "form")}
GRAPH = grimp.build_graph("engines", cache_dir=None)
NO_GAMES = {"engines.external", "engines.testing"}
GAMES = sorted(name for name in GRAPH.find_children("engines") - NO_GAMES if GRAPH.find_children(name))


@pytest.mark.parametrize("game", GAMES)
def test_a_game_imports_only_itself_and_the_shared_modules(game: str) -> None:
    own = {game, *GRAPH.find_descendants(game)}
    imported = {other for module in own for other in GRAPH.find_modules_directly_imported_by(module)}
    assert imported <= own | SHARED_MODULES


@pytest.mark.parametrize("game", GAMES)
def test_no_module_outside_of_a_game_imports_it(game: str) -> None:
    own = {game, *GRAPH.find_descendants(game)}
    importers = {other for module in own for other in GRAPH.find_modules_that_directly_import(module)}
    assert importers <= own
