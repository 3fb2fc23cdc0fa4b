"""Games of engines behave as the same games in this process."""

import pickle
from collections.abc import Iterator
from random import Random
from types import SimpleNamespace

import pytest

from engines.api import REFEREE, SPECTATOR, Game
from engines.external.external_game import ExternalGame, ImaginingGame, load_game
from engines.game_errors import BadOption, IllegalMove, MalformedMove, MalformedPosition, NotYourTurn
from engines.options import Choice, Count, Flag, Text
from engines.testing import course_checks
from engines.testing.random_games import game_path
from engines.testing.suite import CHECKS, Check, Suspect, run_checks
from tests.engines.external.engines import served, small_engine
from tests.match.games import STONES
from tests.third_party_games.third_party_games import FINGERS, NIM

GAMES: dict[str, Game] = {"nim": NIM, "fingers": FINGERS, "stones": STONES}


@pytest.fixture(scope="module")
def external() -> Iterator[dict[str, ExternalGame]]:
    """The same games, as engines."""
    found = {name: load_game(served(name)) for name in GAMES}
    yield found
    load_game.cache_clear()
    for game in found.values():
        game.client.close()


@pytest.fixture(scope="module")
def small() -> Iterator[ExternalGame]:
    game = load_game(small_engine())
    yield game
    load_game.cache_clear()
    game.client.close()


@pytest.mark.parametrize("name", ["nim", "fingers"])
@pytest.mark.parametrize("check", [check for check in CHECKS if check.name != "speed"], ids=lambda check: check.name)
def test_the_suite_passes_on_a_game_of_an_engine(external: dict[str, ExternalGame], check: Check, name: str) -> None:
    assert [result.failure for result in run_checks(Suspect(external[name]), [check])] == [None]


def test_the_speed_of_an_engine_includes_the_time_of_its_process(
    small: ExternalGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = iter((1.0, 1.01))
    monkeypatch.setattr(course_checks, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    (check,) = (check for check in CHECKS if check.name == "speed")
    (result,) = run_checks(Suspect(small), [check])
    mean_ms, rest = result.note.split(maxsplit=1)
    assert 0 < float(mean_ms) < 10
    assert rest == "ms with its process for each move"


@pytest.mark.parametrize("name", GAMES)
def test_everything_about_a_position_is_as_in_this_process(
    external: dict[str, ExternalGame], name: str, rng: Random
) -> None:
    mine, other, seed = GAMES[name], external[name], rng.randbytes(32)
    settings = mine.settings()
    assert other.settings() == settings
    assert other.table(settings) == mine.table(settings)
    ours, theirs = mine.start(settings, seed), other.start(settings, seed)
    viewers = (REFEREE, SPECTATOR, *range(len(mine.table(settings).seats)))
    while True:
        assert (theirs.owing, theirs.outcome, theirs.standing, theirs.claimable) == (
            ours.owing,
            ours.outcome,
            ours.standing,
            ours.claimable,
        )
        for viewer in viewers:
            assert theirs.text(viewer) == ours.text(viewer)
            assert theirs.view(viewer) == ours.view(viewer)
            assert theirs.picture(viewer) == ours.picture(viewer)
            assert other.svg(settings, theirs.view(viewer), "1") == mine.svg(settings, ours.view(viewer), "1")
        if not ours.owing:
            return
        seat = ours.owing[0]
        assert theirs.moves(seat) == ours.moves(seat)
        assert theirs.default(seat) == ours.default(seat)
        move = rng.choice(ours.moves(seat))
        seen = [theirs.visible_move(seat, move, viewer) for viewer in viewers]
        assert seen == [ours.visible_move(seat, move, viewer) for viewer in viewers]
        ours, theirs = ours.play(seat, move), theirs.play(seat, move)
        assert [theirs.visible_move(seat, move, viewer) for viewer in viewers] == seen
        revealed = [theirs.revealed_move(seat, move, viewer) for viewer in viewers]
        assert revealed == [ours.revealed_move(seat, move, viewer) for viewer in viewers]


def test_a_move_costs_one_request_and_one_for_each_sealed_move_that_it_reveals(
    external: dict[str, ExternalGame],
) -> None:
    game = external["fingers"]
    before = game.start(game.settings(), bytes(32))
    costs = []
    for seat, reveals in ((0, ()), (1, ()), (2, (0, 1))):
        asked = game.client._asked
        after = before.play(seat, "1")
        costs.append(game.client._asked - asked)
        for viewer in (SPECTATOR, 0, 1, 2):
            assert after.text(viewer)
            assert after.view(viewer)
            assert before.visible_move(seat, "1", viewer)
            assert all(after.revealed_move(other, "1", viewer) == "1" for other in reveals)
        assert [after.moves(owing) for owing in after.owing]
        assert after.standing
        assert (after.claimable, after.outcome) == (None, None)
        before = after
        assert game.client._asked - asked == costs[-1], "what is asked of a position later is known"
    assert costs == [1, 1, 3]


def test_options_of_every_kind_are_described(small: ExternalGame) -> None:
    assert [type(option) for option in small.options.declared] == [Count, Flag, Choice, Text]
    assert small.settings({}, "short")["heap"] == 10
    assert small.is_slow
    with pytest.raises(BadOption, match="invalid value 'bad' for option motto; it must be another text"):
        small.settings({"motto": "bad"})


def test_errors_of_moves_have_the_sentence_of_the_engine(small: ExternalGame) -> None:
    start = small.start(small.settings({"heap": 2}), b"")
    with pytest.raises(MalformedMove, match="cannot read the move 'x': it is 1, 2 or 3"):
        start.play(0, "x")
    with pytest.raises(IllegalMove, match=r"3 is not legal: so many may not be taken \(NIM-1\)"):
        start.play(0, "3")
    with pytest.raises(NotYourTurn):
        start.play(1, "1")
    with pytest.raises(MalformedPosition, match="it is the heap and the seat to move"):
        small.read("021 0", small.settings())


@pytest.mark.parametrize("text", ["", "\n", "1\n", "x" * 65, "x" * 400_000])
def test_no_engine_is_asked_about_texts_that_are_too_long_or_not_printable(small: ExternalGame, text: str) -> None:
    start = small.start(small.settings(), b"")
    asked = small.client._asked
    if text:
        with pytest.raises(MalformedMove):
            start.play(0, text)
    with pytest.raises(MalformedPosition):
        small.read(text * 100, small.settings())
    assert small.client._asked == asked


def test_an_engine_can_draw_and_imagine(small: ExternalGame) -> None:
    settings = small.settings()
    start = small.start(settings, b"")
    assert isinstance(small, ImaginingGame)
    assert str(small.imagine("7 1", settings, b"x")) == "7 1"
    with pytest.raises(MalformedPosition):
        small.imagine("?", settings, b"x")
    assert small.svg(settings, start.view(0)) == "<svg>21</svg>"
    pictures = [start.picture(viewer) for viewer in (REFEREE, SPECTATOR, 1)]
    assert pictures == ["21 0 for referee", "21 0 for spectator", "21 0 for 1"]


def test_an_engine_that_cannot_draw_has_a_table_of_its_views_and_its_texts() -> None:
    game = load_game(small_engine("describe", "skills"))
    start = game.start(game.settings(), b"")
    assert not isinstance(game, ImaginingGame)
    assert start.picture(0) == "21 0"
    assert "heap" in game.svg(game.settings(), start.view(0))
    assert start.moves(0) == ["1", "2", "3"]
    assert start.default(0) == "1"
    game.client.close()


def test_positions_and_games_can_be_pickled_without_a_request(external: dict[str, ExternalGame]) -> None:
    game = external["fingers"]
    asked = game.client._asked
    *_, last = game_path(game, game.settings(), Random(1))
    asked = game.client._asked
    again = pickle.loads(pickle.dumps(last))
    assert again == last
    assert pickle.loads(pickle.dumps(game)) is game
    assert game.client._asked == asked


def test_positions_of_two_games_are_never_equal(external: dict[str, ExternalGame], small: ExternalGame) -> None:
    settings = external["nim"].settings()
    assert external["nim"].start(settings, b"") == external["nim"].start(settings, b"1")
    assert external["nim"].start(settings, b"") != small.start(small.settings(), b"")
    assert external["nim"].start(settings, b"") != NIM.start(settings, b"")
