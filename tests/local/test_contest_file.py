"""Tournaments and ladders as TOML files."""

from pathlib import Path

import pytest
from referee_api.v1 import contest_pb2, policy_pb2, sprt_pb2, tournament_pb2

from engines.refusals import Refusal
from referee.local.contest_file import LadderPlan, TournamentPlan, read_ladder, read_tournament
from referee.local.match_terms import LOCAL_POLICIES
from referee.match.setup import Policies

BOTS = '[bots]\nanna = "random"\nbert = "./bert --fast"\n'


def cup(tmp_path: Path, text: str, usual: Policies = LOCAL_POLICIES) -> TournamentPlan:
    file = tmp_path / "cup.toml"
    file.write_text(text, encoding="utf-8")
    return read_tournament(file, usual)


def main(tmp_path: Path, text: str) -> LadderPlan:
    file = tmp_path / "main.toml"
    file.write_text(text, encoding="utf-8")
    return read_ladder(file)


def test_the_least_tournament_names_a_game_and_bots_and_is_a_round_robin(tmp_path: Path) -> None:
    read = cup(tmp_path, f'game = "trox"\n{BOTS}')
    assert (read.name, read.title, read.matches_a_bot, read.start_within_s) == ("cup", "", 1, 60)
    assert [bot.name for bot in read.bots] == ["anna", "bert"]
    assert [entrant.name for entrant in read.entrants] == ["anna", "bert"]
    assert read.terms.WhichOneof("format") == "round_robin"
    assert read.terms.match_terms.rules.game == "trox"
    assert read.terms.match_terms.time_control.rule.fischer.main_ms == 60_000
    assert read.terms.match_terms.policies.disconnect.grace_period_ms == 5_000


def test_on_a_referee_that_runs_a_bot_that_is_away_may_come_back_if_its_clock_allows(tmp_path: Path) -> None:
    policies = cup(tmp_path, 'game = "trox"', Policies()).terms.match_terms.policies
    assert policies.disconnect.action == policy_pb2.DISCONNECT_ACTION_UNSPECIFIED


def test_everything_that_a_tournament_can_be_asked(tmp_path: Path) -> None:
    read = cup(
        tmp_path,
        f"""
        name = "spring"
        title = "The spring cup"
        game = "alquerque"
        options = {{ huff = true }}
        clock = "2/move"
        policies = {{ timeout = "TIMEOUT_ACTION_RANDOM_MOVE" }}
        swiss = {{ rounds = 5 }}
        tie_breaks = ["buchholz", "wins"]
        seeding = "random"
        parallel = 3
        matches_a_bot = 2
        last_entry_round = 1
        duplicate = {{ arrangements = 2, openings = ["4b/5/5/5/w4 b 7"] }}
        {BOTS}
        """,
    )
    terms = read.terms
    assert (read.name, read.title, read.matches_a_bot) == ("spring", "The spring cup", 2)
    assert terms.match_terms.rules.options["huff"] == "true"
    assert terms.swiss.rounds == 5
    assert list(terms.tie_breaks) == [tournament_pb2.TIE_BREAK_BUCHHOLZ, tournament_pb2.TIE_BREAK_WINS]
    assert (terms.seeding, terms.max_concurrent_matches, terms.last_entry_round) == (
        tournament_pb2.SEEDING_RANDOM,
        3,
        1,
    )
    assert terms.duplicate_play.arrangements == 2
    assert terms.duplicate_play.openings[0].position == "4b/5/5/5/w4 b 7"


@pytest.mark.parametrize(
    "table",
    [
        "round_robin = { cycles = 2 }",
        "swiss = { rounds = 3 }",
        "elimination = { double_elimination = true, matches_per_pairing = 2 }",
        'gauntlet = { challengers = ["anna"], cycles = 4 }',
        "pools = { rounds = 3 }",
        'sprt = { elo1 = 5.5, model = "trinomial" }',
    ],
)
def test_every_format_is_a_table_of_its_name(tmp_path: Path, table: str) -> None:
    terms = cup(tmp_path, f'game = "trox"\n{table}\n{BOTS}').terms
    assert terms.WhichOneof("format") == table.partition(" ")[0]
    assert terms.sprt.model == (sprt_pb2.SPRT_MODEL_TRINOMIAL if "sprt" in table else 0)


def test_teams_take_part_in_place_of_their_bots(tmp_path: Path) -> None:
    read = cup(tmp_path, f'game = "toc"\npartners = "fixed"\n{BOTS}[teams]\nreds = ["anna", "bert"]\n')
    assert [entrant.name for entrant in read.entrants] == ["reds"]
    assert [ref.bot for ref in read.entrants[0].bots] == ["anna", "bert"]
    assert read.terms.partner_rule == contest_pb2.PARTNER_RULE_FIXED


def test_bots_that_come_by_themselves_are_named_with_versions(tmp_path: Path) -> None:
    (anna, bert) = cup(tmp_path, 'game = "trox"\nentrants = ["anna/1.4", "bert"]').entrants
    assert (anna.name, anna.bots[0].bot, anna.bots[0].version) == ("anna", "anna", "1.4")
    assert bert.bots[0].version == ""


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("game =", "cannot be read"),
        ('gmae = "trox"', "unknown key 'gmae'; known: name, title"),
        ('game = "chess"', "unknown game 'chess'; known: alquerque"),
        ('game = "trox"\noptions = { huf = true }', "unknown option 'huf'; known"),
        ('game = "trox"\nclock = "slow"', "60+1"),
        ('game = "trox"\nname = "Cup!"', "name: a name has 1 to 40"),
        ('game = "trox"\nswiss = { round = 3 }', "swiss: unknown key 'round'; known: rounds"),
        ('game = "trox"\nswiss = { rounds = -1 }', "swiss: invalid"),
        ('game = "trox"\nswiss = 3', "swiss: expected a table, not '3'"),
        (
            'game = "trox"\nswiss = { rounds = 3 }\npools = { rounds = 3 }',
            "pools: a tournament has one format, but swiss",
        ),
        ('game = "trox"\ntie_breaks = ["luck"]', "tie_breaks: unknown value 'luck'; known: buchholz, median_buchholz"),
        ('game = "trox"\nseeding = "age"', "seeding: unknown value 'age'; known: entry_order, rating, random"),
        ('game = "trox"\nsprt = { elo1 = 5, model = "x" }', "sprt.model: unknown value 'x'; known: trinomial"),
        ('game = "trox"\npartners = 3', "partners: unknown value '3'; known: individual, fixed"),
        ('game = "trox"\npartners = { anna = 1 }', "partners: unknown value \"{'anna': 1}\"; known: individual"),
        ('game = "trox"\ntie_breaks = [["wins"]]', "tie_breaks: unknown value \"['wins']\"; known: buchholz"),
        ('game = "trox"\nparallel = true', "parallel: expected an integer"),
        ('game = "trox"\nduplicate = 2', "duplicate: expected true or a table"),
        ('game = "trox"\nduplicate = { openings = [1] }', "duplicate.openings: expected positions"),
        ('game = "trox"\nentrants = [1]', "entrants: expected names of bots"),
        (f'game = "trox"\n{BOTS}[teams]\nreds = ["carl"]', "teams.reds: there is no bot 'carl'; known: anna, bert"),
        (f'game = "trox"\n{BOTS}[teams]\nreds = "anna"', "teams.reds: expected a list of bots"),
        (f'game = "trox"\ngauntlet = {{ challengers = ["x"] }}\n{BOTS}', "no entrant 'x'; known: anna, bert"),
    ],
)
def test_what_cannot_be_is_refused_with_its_key_and_what_would_be_right(tmp_path: Path, text: str, right: str) -> None:
    with pytest.raises(Refusal) as refused:
        cup(tmp_path, text)
    assert right in str(refused.value)


def test_a_contest_may_be_called_whatever_the_referee_takes(tmp_path: Path) -> None:
    name = "the-spring-cup--of-all-bots-of-this-town"
    assert cup(tmp_path, f'game = "trox"\nname = "{name}"').name == name


def test_a_ladder_has_one_game_or_several_by_terms_of_their_own(tmp_path: Path) -> None:
    read = main(
        tmp_path,
        """
        title = "The main ladder"
        clock = "2/move"
        max_concurrent_matches = 8
        rematch_after = 3
        duplicate = true
        [[games]]
        game = "trox"
        [[games]]
        game = "trox"
        clock = "60+1"
        """,
    )
    first, second = read.terms.match_terms
    assert (read.name, read.title) == ("main", "The main ladder")
    assert first.time_control.rule.per_move.move_ms == 2_000
    assert second.time_control.rule.fischer.increment_ms == 1_000
    assert (read.terms.max_concurrent_matches, read.terms.rematch_after, read.terms.provisional_matches) == (8, 3, 0)
    assert read.terms.HasField("duplicate_play")


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("", "games: missing"),
        ("games = [1]", "games 1: expected a table"),
        ('[[games]]\ngame = "chess"', "games 1: unknown game 'chess'"),
        ('[[games]]\ngame = "trox"\nrounds = 2', "games 1: unknown key 'rounds'; known: game"),
        ('rematch_after = 0\n[[games]]\ngame = "trox"', "rematch_after: expected an integer from 1 to"),
    ],
)
def test_a_ladder_that_cannot_be_is_refused(tmp_path: Path, text: str, right: str) -> None:
    with pytest.raises(Refusal) as refused:
        main(tmp_path, text)
    assert right in str(refused.value)
