"""Our engines and the second ones agree in random matches over all options; every kind of difference is found."""

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import pytest

from engines.api import REFEREE, Outcome, Position, Seat
from engines.chess import GAME
from engines.options import Settings, Value
from engines.registry import find
from engines.testing.agreement import check_agreement
from engines.testing.failure import CheckFailure
from engines.testing.random_games import beginning
from engines.testing.second_engine import OpenPosition, SecondEngine
from engines.testing.suite import AGREEMENT, Suspect, run_checks
from tests.engines.second import alquerque_reference, go_reference, toc_reference, troke_reference, trox_reference
from tests.engines.second.crowded import CROWDS, some_settings
from tests.engines.second.spiel_chess import PYSPIEL
from tests.engines.second.toc_reference import Deal, deal_in, gathered
from tests.third_party_games.third_party_games import NIM

REFERENCES: Mapping[str, SecondEngine] = {
    "alquerque": alquerque_reference.REFERENCE,
    "chess": PYSPIEL,
    "go": go_reference.REFERENCE,
    "toc": toc_reference.REFERENCE,
    "troke": troke_reference.REFERENCE,
    "trox": trox_reference.REFERENCE,
}
COMPARED = {"alquerque": 40, "chess": 40, "go": 60, "toc": 30, "troke": 5, "trox": 3}
"""Plies of each match that are compared: their product with the time of the second engine is about the same."""
MAX_BEFORE = 400
"""Plies that are played by the first engine alone before that, at most."""
MAX_REPLIES = 30
CROWDED = {"alquerque": 25, "toc": 15, "troke": 10, "trox": 12}
"""Crowded positions of each game."""


def agree(name: str, first: Position, plies: int, rng: random.Random) -> Position:
    return check_agreement(find(name), REFERENCES[name], first, plies, rng)


def check_replies(name: str, at: Position, rng: random.Random) -> None:
    """Compare all legal moves, and the positions after some of them."""
    game, second = find(name), REFERENCES[name].start(at.settings, str(at))
    for seat in at.owing:
        moves = at.moves(seat)
        assert sorted(second.moves(seat)) == moves, f"{at} {at.settings}"
        for move in rng.sample(moves, min(len(moves), MAX_REPLIES)):
            after = at.play(seat, move)
            assert second.play(seat, move, str(after)).text(REFEREE) == str(after), f"{at} {move} {at.settings}"
            assert game.read(str(after), at.settings) == after


def compare_parts(name: str, matches: int, rng: random.Random) -> None:
    """Compare a part of each match, which begins at any ply of it, or at its first one."""
    game = find(name)
    for _ in range(matches):
        settings = random_settings(name, rng)
        first = game.start(settings, rng.randbytes(8))
        if name != "go" and rng.random() < 0.7:
            before = beginning(game, settings, rng, rng.randrange(1, MAX_BEFORE))
            in_play = next(at for at in reversed(before) if at.owing)
            # The second engine does not know the history, and that of Go forbids positions.
            first = game.read(str(in_play), settings)
        agree(name, first, COMPARED[name], rng)


def random_settings(name: str, rng: random.Random) -> Settings:
    """Return the defaults, a preset, or random options, by which the second engine can play."""
    game = find(name)
    while True:
        settings = some_settings(game, rng, **({"size": rng.randint(2, 5)} if name == "go" else {}))
        if name != "go" and rng.random() < 0.2:
            settings = game.settings({}, rng.choice([None, *(preset.name for preset in game.options.presets)]))
        if not REFERENCES[name].refusal(settings):
            return settings


def compare_crowds(name: str, positions: int, rng: random.Random) -> None:
    for number in range(positions):
        at = CROWDS[name][number % len(CROWDS[name])](rng)
        check_replies(name, at, rng)
        agree(name, at, COMPARED[name], rng)


@pytest.mark.parametrize("name", COMPARED)
def test_parts_of_matches_agree_with_the_reference(name: str) -> None:
    compare_parts(name, 30 if name == "go" else 12, random.Random(f"parts of {name}"))


@pytest.mark.parametrize("name", CROWDS)
def test_crowded_positions_agree_with_the_reference(name: str) -> None:
    compare_crowds(name, CROWDED[name], random.Random(f"crowded {name}"))


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPARED)
def test_parts_of_many_matches_agree_with_the_reference(name: str, rng: random.Random) -> None:
    compare_parts(name, 60, rng)


@pytest.mark.soak
@pytest.mark.parametrize("name", COMPARED)
def test_whole_matches_agree_with_the_reference(name: str, rng: random.Random) -> None:
    for _ in range(40):
        agree(name, find(name).start(random_settings(name, rng), rng.randbytes(8)), 2000, rng)


@pytest.mark.soak
@pytest.mark.parametrize("name", CROWDS)
def test_many_crowded_positions_agree_with_the_reference(name: str, rng: random.Random) -> None:
    compare_crowds(name, 300, rng)


OFTEN: dict[str, dict[str, Value]] = {
    "alquerque": {"repetition": 2, "no_capture_plies": 30, "on_draw": "count", "stalemate": "draw"},
    "toc": {"max_turns": 60, "leader": "rotate"},
    "troke": {"repetition": 2, "max_plies": 30, "seats": 4, "teams": True, "start_chips": 6},
    "trox": {"repetition": 1, "max_plies": 30, "tileset": "identical"},
}
"""Options by which matches end early and for seldom reasons."""


@pytest.mark.parametrize("name", OFTEN)
def test_ends_agree_with_the_reference(name: str) -> None:
    game, rng = find(name), random.Random(f"ends of {name}")
    for _ in range(3):
        assert agree(name, game.start(game.settings(OFTEN[name]), rng.randbytes(8)), 200, rng).outcome


def test_a_side_that_cannot_move_draws_by_option() -> None:
    game, rng = find("alquerque"), random.Random(1)
    for stalemate, scores in (("draw", (0.5, 0.5)), ("loss", (1.0, 0.0))):
        settings = game.settings({"no_backward": "all", "stalemate": stalemate})
        outcome = agree("alquerque", game.read("5/5/5/5/bww2 b 0", settings), 1, rng).outcome
        assert outcome
        assert (outcome.reason, outcome.scores) == ("no_moves", scores)


def test_a_shuffled_deck_that_lacks_a_card_is_not_taken() -> None:
    text = str(find("toc").start(find("toc").settings(), b"seed"))
    deal = Deal("0", 52, 3, ((),) * 4, ("-",) * 4, (), (), "00:51")
    assert gathered(deal, text).dealer == 0
    deck = deal_in(text).deck
    assert gathered(deal, text.replace("".join(deck), "".join(deck[1:]))) is deal


WRONG_AT = 4
"""The heap at which the planted errors show."""


@dataclass(frozen=True)
class SecondNimPosition(OpenPosition):
    heap: int
    mover: Seat
    error: str

    @property
    def wrong(self) -> str:
        """The planted error, if it shows here."""
        return self.error if self.heap in (WRONG_AT, 0) else ""

    @property
    def owing(self) -> tuple[Seat, ...]:
        if self.wrong == "two seats":
            return (0, 1)
        return (self.mover,) if self.heap else ()

    def moves(self, seat: Seat) -> Collection[str]:
        if self.wrong == "exception":
            raise KeyError("no such heap")
        most = {"a move more": 4, "a move less": 2}.get(self.wrong, min(3, self.heap))
        return {str(many) for many in range(1, most + 1)}

    def play(self, seat: Seat, move: str, after: str) -> "SecondNimPosition":
        return replace(self, heap=self.heap - int(move), mover=1 - self.mover)

    @property
    def outcome(self) -> Outcome | None:
        if self.heap:
            return Outcome("", (), (1.0, 0.0)) if self.wrong == "over" else None
        ranks = (0.0, 1.0) if (self.mover == 0) != (self.wrong == "winner") else (1.0, 0.0)
        scores = (3.0, 4.0) if self.wrong == "scores" else ()
        return Outcome("nothing_left" if self.wrong == "reason" else "", scores, ranks)

    def full_text(self) -> str:
        return f"{self.heap} {self.mover}" + (" ?" if self.wrong == "text" else "")


@dataclass(frozen=True)
class SecondNim(SecondEngine):
    """Nim, with an error if it is given one."""

    error: str = ""

    def refusal(self, settings: Settings) -> str:
        if self.error == "options" and settings.count("heap") >= 5:
            return "it needs a heap below 5"
        return super().refusal(settings)

    def start(self, settings: Settings, text: str) -> SecondNimPosition:
        heap, mover = map(int, text.split(" "))
        return SecondNimPosition(heap, mover, self.error)


RIGHT, WRONG, CHOOSY = SecondNim(), SecondNim("text"), SecondNim("options")


def nim(engine: SecondNim, heap: int) -> Position:
    first = NIM.start(NIM.settings({"heap": heap}), b"")
    return check_agreement(NIM, engine, first, 100, random.Random(3))


def test_engines_that_agree_play_to_the_end() -> None:
    assert nim(RIGHT, 21).outcome


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("a move more", "legal moves only here: none; by the second engine: '4'"),
        ("a move less", "legal moves only here: '3'; by the second engine: none"),
        ("two seats", "seats (0,) are to move, and (0, 1) by the second engine"),
        ("text", "the text for the referee is '4 0', and '4 0 ?' by the second engine"),
        ("over", "the outcome is None, and Outcome("),
        ("winner", "the outcome is Outcome(reason='last_taken'"),
        ("scores", "scores=(3.0, 4.0)"),
        ("reason", "reason='nothing_left'"),
        ("exception", "the second engine raises KeyError: 'no such heap'"),
    ],
)
def test_a_difference_is_found_where_it_shows(error: str, said: str) -> None:
    with pytest.raises(CheckFailure) as raised:
        nim(SecondNim(error), WRONG_AT)
    assert said in raised.value.wrong
    assert raised.value.position
    with pytest.raises(CheckFailure) as later:
        nim(SecondNim(error), 9)
    assert later.value.move


@pytest.mark.parametrize(
    ("engine", "said"),
    [(RIGHT, "2 of 2 combinations"), (WRONG, "the text for the referee is"), (CHOOSY, "1 of 2 combinations")],
)
def test_a_second_engine_adds_a_check_to_the_suite(engine: SecondNim, said: str) -> None:
    [result] = run_checks(Suspect(NIM, 0, engine), [AGREEMENT])
    assert said in (result.failure.wrong if result.failure else result.note)


def test_long_lists_of_moves_are_shortened() -> None:
    trox = find("trox")
    with pytest.raises(CheckFailure, match=r"only here: 'B.*', … \(\d+\); by the second engine: '1'"):
        check_agreement(trox, NimOfTrox(), trox.start(trox.settings(), b""), 1, random.Random(1))


class NimOfTrox(SecondNim):
    """Takes every position for the last one of nim."""

    def start(self, settings: Settings, text: str) -> SecondNimPosition:
        return SecondNimPosition(1, 0, "")


def test_options_that_openspiel_does_not_know_are_refused() -> None:
    assert PYSPIEL.refusal(GAME.settings()) == ""
    assert PYSPIEL.refusal(GAME.settings({"chess960": True})) == "pyspiel does not play chess960"
    assert "draws=automatic" in PYSPIEL.refusal(GAME.settings({"draws": "claimed"}))
