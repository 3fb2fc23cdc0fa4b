"""Plan files can express every field of the terms in the contract, with every rule of a clock."""

from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message
from referee_api.v1 import ladder_pb2, match_pb2, tournament_pb2

from referee.local.arena_plan import read_arena
from referee.local.contest_file import read_ladder, read_tournament
from referee.local.match_file import read_match_file
from referee.match.match_terms import DEFAULT_POLICIES

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
odds = { 1 = "30" }
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
policies.timeout = "TIMEOUT_ACTION_RANDOM_MOVE"
policies.forfeit_effect = "FORFEIT_EFFECT_RANDOM_MOVES"
policies.illegal_move = { action = "ILLEGAL_MOVE_ACTION_FORFEIT", max_attempts = 2 }
policies.disconnect = { action = "DISCONNECT_ACTION_FORFEIT_AFTER_GRACE_PERIOD", grace_period_ms = 7000 }
"""

WITHOUT_NONCES = TERMS.replace("nonce_timeout_ms = 2000", "nonce_timeout_ms = 0")

CONTEST = """
partners = "fixed"
duplicate = { arrangements = 2, openings = ["x", { position = "y", moves = [{ seat = 1, move = "a1" }] }] }
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
parallel = 3
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


def fields_of(message: Descriptor) -> Iterator[str]:
    """Yield every field below a message, as `Rules.game`; each message once."""
    seen: set[str] = set()
    todo = [message]
    while todo:
        one = todo.pop()
        if one.full_name in seen or one.GetOptions().map_entry:
            continue
        seen.add(one.full_name)
        for field in one.fields:
            yield f"{one.name}.{field.name}"
            if field.message_type and field.message_type.full_name.startswith("referee_api"):
                todo.append(field.message_type)


def set_in(message: Message) -> Iterator[str]:
    """Yield every field that is set in a message or below it."""
    for field, value in message.ListFields():
        yield f"{message.DESCRIPTOR.name}.{field.name}"
        if field.message_type and not field.message_type.GetOptions().map_entry:
            for one in [value] if isinstance(value, Message) else value:
                yield from set_in(one)


def missing(terms: Descriptor, expressed: set[str]) -> list[str]:
    return sorted(set(fields_of(terms)) - expressed - SET_BY_THE_SERVER - REPLACED_BY_VALUES)


def write(folder: Path, text: str) -> Path:
    file = folder / "plan.toml"
    file.write_text(text)
    return file


def test_a_match_file_can_express_every_field_of_the_terms(tmp_path: Path) -> None:
    texts = [f"clock = {clock}\nrandom_seats = true\n{TERMS}" for clock in CLOCKS] + [WITHOUT_NONCES]
    expressed = {field for text in texts for field in set_in(read_match_file(write(tmp_path, text)).terms)}
    assert missing(match_pb2.MatchTerms.DESCRIPTOR, expressed) == []


def test_a_tournament_file_can_express_every_field_of_the_terms(tmp_path: Path) -> None:
    texts = [f"clock = {clock}\nrandom_seats = true\n{CONTEST}{TOURNAMENT}{TERMS}" for clock in CLOCKS]
    texts += [f'game = "alquerque"\nnonce_timeout_ms = 0\n{form}' for form in FORMATS]
    plans = [read_tournament(write(tmp_path, text), DEFAULT_POLICIES) for text in texts]
    expressed = {field for plan in plans for field in set_in(plan.terms)}
    assert missing(tournament_pb2.TournamentTerms.DESCRIPTOR, expressed) == []


def test_a_ladder_file_can_express_every_field_of_the_terms(tmp_path: Path) -> None:
    games = "".join(f"[[games]]\nclock = {clock}\nrandom_seats = true\n{TERMS}" for clock in CLOCKS)
    games += f"[[games]]\n{WITHOUT_NONCES}"
    plan = read_ladder(write(tmp_path, f"{CONTEST}{LADDER}{games}"))
    assert missing(ladder_pb2.LadderTerms.DESCRIPTOR, set(set_in(plan.terms))) == []


def test_an_arena_plays_by_every_term_of_its_file(tmp_path: Path) -> None:
    text = f'clock = "5/move"\n[bots]\nanna = "a"\nbert = "b"\n[[games]]\n{TERMS}'
    (plan,) = read_arena(write(tmp_path, text))
    match = read_match_file(write(tmp_path, f'clock = "5/move"\n{TERMS}'))
    assert plan.terms.match_terms == match.terms
