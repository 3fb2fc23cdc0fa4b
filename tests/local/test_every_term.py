"""Plan files can express every field of the terms in the contract, with every rule of a clock."""

from collections.abc import Iterator
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from msgspec import Struct
from referee_values import ClockRule, LadderTerms, MatchTerms, Policies, TournamentTerms
from referee_values.value import Count

from referee.local.arena_plan import read_arena
from referee.local.contest_file import read_ladder, read_match_file, read_tournament
from referee.local.terms_reader import local_terms
from referee.local.toml_validation import BadPlan, read, read_table
from referee.match.clock import (
    MS,
    SECOND,
    Fischer,
    JapaneseByoYomi,
    PerMove,
    SuddenDeath,
    TimeControl,
    Untimed,
    control_of,
)

CLOCKS = (
    '"60"',
    '"60+1"',
    '"60 delay 2"',
    '"60 bronstein 2"',
    '"60 byoyomi 3x10"',
    '"60 byoyomi 5/10"',
    '"40/300+1, 60"',
    '"5/move"',
    '"2 bank 30"',
    '"hourglass 60"',
    '"none"',
    "{ correspondence = { move_ms = 100000, max_ms = 200000 } }",
)

TERMS = """
game = "alquerque"
options = { huff = true }
odds = [{ seat = 1, rule = "30" }]
network_credit = { per_move_ms = 5, per_match_ms = 50 }
visibility = "delayed 4"
start_timeout_ms = 1000
nonce_timeout_ms = 2000
adjudication.max_plies = 400
adjudication.resign_score = 600
adjudication.resign_moves = 3
adjudication.draw_score = 20
adjudication.draw_moves = 8
adjudication.draw_after_ply = 68
policies.timeout = "random_move"
policies.forfeit_effect = "random_moves"
policies.illegal_move = { action = "forfeit", max_attempts = 2 }
policies.disconnect = { action = "forfeit_after_grace_period", grace_period_ms = 7000 }
"""

WITHOUT_NONCES = TERMS.replace("nonce_timeout_ms = 2000", "without_nonces = true")

CONTEST = """
partner_rule = "fixed"
duplicate_play = { arrangements = 2, openings = ["x", { position = "y", moves = [{ seat = 1, move = "a1" }] }] }
"""

FORMATS = (
    "round_robin = { cycles = 2 }",
    "swiss = { rounds = 3, accelerated = true }",
    "elimination = { double_elimination = true, matches_per_pairing = 2, max_extra_matches = 3, "
    "third_place_match = true }",
    'gauntlet = { challengers = ["anna"], cycles = 2 }',
    "pools = { rounds = 3 }",
    'sprt = { elo0 = 1, elo1 = 5, alpha = 0.1, beta = 0.1, model = "trinomial", max_matches = 100 }',
)

TOURNAMENT = """
tie_breaks = ["buchholz"]
seeding = "random"
max_concurrent_matches = 3
ladder = "main"
last_entry_round = 2
no_show_ms = 1000
max_no_shows = 3
starts_at = 2026-12-01T18:00:00Z
entries_close_at = 2026-12-01T17:00:00+01:00
round_break_ms = 5000
freeze_versions = true
qualification = { tournament = "pools", best = 8 }
boards = 4
forbidden_pairs = [["anna", "bert"]]
max_requested_byes = 2
play_off_entrants = 4
max_entrants = 64
"""

LADDER = """
max_concurrent_matches = 4
rematch_after = 2
provisional_matches = 5
pause_after_faults = 6
max_matches_per_hour = 100
"""

SET_BY_THE_SERVER = {"Rules.version"}
REPLACED_BY_VALUES = {"Rules.preset"}
"""A plan can name a preset, whose options are then all given."""


def fields_of(struct: type[Struct], seen: set[type[Struct]]) -> Iterator[str]:
    """Yield every field of a value and those below it, as `Rules.game`; each type of values once."""
    seen.add(struct)
    for name, kind in get_type_hints(struct).items():
        yield f"{struct.__name__}.{name}"
        for inner in (kind, *get_args(kind)):
            if isinstance(inner, type) and issubclass(inner, Struct) and inner not in seen:
                yield from fields_of(inner, seen)


def set_in(value: object) -> Iterator[str]:
    """Yield every field that is set in a value or below it."""
    if isinstance(value, tuple):
        for item in value:
            yield from set_in(item)
    if isinstance(value, Struct):
        for name, default in zip(value.__struct_fields__, value.__struct_defaults__, strict=True):
            content = getattr(value, name)
            if content != default:
                yield f"{type(value).__name__}.{name}"
                yield from set_in(content)


def missing(terms: type[Struct], expressed: set[str]) -> list[str]:
    return sorted(set(fields_of(terms, set())) - expressed - SET_BY_THE_SERVER - REPLACED_BY_VALUES)


def with_clock(clock: str) -> str:
    """Return terms with this clock; an hourglass is that of all seats."""
    return f"clock = {clock}\nrandom_seats = true\n{TERMS.replace('30', 'hourglass 30') if 'hour' in clock else TERMS}"


def write(folder: Path, text: str) -> Path:
    file = folder / "plan.toml"
    file.write_text(text)
    return file


def test_a_match_file_can_express_every_field_of_the_terms(tmp_path: Path) -> None:
    texts = [*map(with_clock, CLOCKS), WITHOUT_NONCES]
    expressed = {field for text in texts for field in set_in(read_match_file(write(tmp_path, text)).terms)}
    assert missing(MatchTerms, expressed) == []


def test_a_tournament_file_can_express_every_field_of_the_terms(tmp_path: Path) -> None:
    texts = [f"{CONTEST}{TOURNAMENT}{with_clock(clock)}" for clock in CLOCKS]
    texts += [f'game = "alquerque"\nwithout_nonces = true\n{form}' for form in FORMATS]
    plans = [read_tournament(write(tmp_path, text), Policies()) for text in texts]
    expressed = {field for plan in plans for field in set_in(plan.terms)}
    assert missing(TournamentTerms, expressed) == []


def test_a_ladder_file_can_express_every_field_of_the_terms(tmp_path: Path) -> None:
    games = "".join(f"[[games]]\n{with_clock(clock)}" for clock in CLOCKS)
    games += f"[[games]]\n{WITHOUT_NONCES}"
    plan = read_ladder(write(tmp_path, f"{CONTEST}{LADDER}{games}"))
    assert missing(LadderTerms, set(set_in(plan.terms))) == []


class LaterTerms(TournamentTerms, frozen=True, kw_only=True):
    """The terms of a later contract."""

    patience: Count | None = None


class LaterFile(Struct):
    terms: LaterTerms


def test_a_new_field_of_the_contract_is_a_new_key() -> None:
    terms = read_table("plan.toml", {"game": "toc", "patience": 3}, LaterFile).terms
    assert (terms.patience, terms.match_terms.rules.game) == (3, "toc")
    with pytest.raises(BadPlan, match="patience: expected an integer from 0 to 4294967295, not '-3'"):
        read_table("plan.toml", {"patience": -3}, LaterFile)


def test_an_arena_plays_by_every_term_of_its_file(tmp_path: Path) -> None:
    text = f'clock = "5/move"\n[bots]\nanna = "a"\nbert = "b"\n[[games]]\n{TERMS}'
    (plan,) = read_arena(write(tmp_path, text))
    match = read_match_file(write(tmp_path, f'clock = "5/move"\n{TERMS}'))
    assert plan.terms.match_terms == match.terms


@pytest.mark.parametrize(
    ("value", "control"),
    [
        ("60", SuddenDeath(60 * SECOND)),
        (60, SuddenDeath(60 * SECOND)),
        ("60+1", Fischer(60 * SECOND, 1 * SECOND)),
        ("0.5+0.05", Fischer(500 * MS, 50 * MS)),
        ("2/move", PerMove(2 * SECOND)),
        ("none", Untimed()),
        ("10 byoyomi 3x1", JapaneseByoYomi(10 * SECOND, 1 * SECOND, 3)),
        (
            {"japanese_byo_yomi": {"main_ms": 60_000, "period_ms": 5_000, "periods": 3}},
            JapaneseByoYomi(60 * SECOND, 5 * SECOND, 3),
        ),
    ],
)
def test_a_clock_is_given_as_text_or_as_a_table_of_the_contract(value: object, control: TimeControl) -> None:
    assert control_of(read("clock", value, ClockRule)) == control


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("3 minutes", "60\\+1"),
        ("0", "'0' is invalid: main_us must be greater than 0"),
        ("9" * 40, "60\\+1"),
        ("60 byoyomi 99999999999x1", "60\\+1"),
        ("999999999", "ten years"),
        ({"sudden_death": {"main_s": 60}}, "clock.sudden_death: unknown key 'main_s'; known: main_ms"),
        ({"sudden_death": {"main_ms": True}}, "clock.sudden_death.main_ms: expected an integer from -"),
        ({"moves_per_period": {"periods": 40}}, "clock.moves_per_period.periods: expected a list, not '40'"),
        ({"fischer": {}, "untimed": True}, "clock.untimed: only one of fischer and untimed can be given"),
        (True, 'clock: expected "60\\+1" or a table with sudden_death, fischer'),
        ({"chess": {}}, "clock: unknown key 'chess'; known: sudden_death, fischer"),
    ],
)
def test_an_invalid_clock_is_rejected_with_a_hint(value: object, hint: str) -> None:
    with pytest.raises(BadPlan, match=hint):
        read("clock", value, ClockRule)


def test_a_plan_without_a_game_is_rejected_as_one_without_another_key() -> None:
    with pytest.raises(BadPlan, match=r"^`game` is missing$"):
        local_terms({"clock": "60+1"})
