"""Tournaments and ladders as TOML files."""

from pathlib import Path

import pytest
from referee_values import BotRef, DuplicatePlay, Policies, RoundRobin, Swiss, TimeControl

from engines.game_errors import DetailedError
from referee.local.contest_file import LadderPlan, TournamentPlan, read_ladder, read_tournament
from referee.local.short_forms import read_clock
from referee.local.terms_reader import LOCAL_DISCONNECT, LOCAL_POLICIES

BOTS = '[bots]\nanna = "random"\nbert = "./bert --fast"\n'


def read_cup(tmp_path: Path, text: str, defaults: Policies = LOCAL_POLICIES) -> TournamentPlan:
    file = tmp_path / "cup.toml"
    file.write_text(text, encoding="utf-8")
    return read_tournament(file, defaults)


def read_main_ladder(tmp_path: Path, text: str) -> LadderPlan:
    file = tmp_path / "main.toml"
    file.write_text(text, encoding="utf-8")
    return read_ladder(file)


def test_a_minimal_tournament_file_has_a_game_and_bots_and_is_a_round_robin(tmp_path: Path) -> None:
    plan = read_cup(tmp_path, f'game = "trox"\n{BOTS}')
    assert (plan.name, plan.title, plan.matches_a_bot, plan.start_within_s) == ("cup", "", 1, 60)
    assert [bot.name for bot in plan.bots] == ["anna", "bert"]
    assert [entrant.name for entrant in plan.entrants] == ["anna", "bert"]
    assert plan.terms.format == RoundRobin()
    assert plan.terms.match_terms.rules.game == "trox"
    assert plan.terms.match_terms.time_control == TimeControl(rule=read_clock("60+1"))
    assert plan.terms.match_terms.policies == Policies(disconnect=LOCAL_DISCONNECT)


def test_the_error_of_a_name_says_whether_it_is_that_of_the_file(tmp_path: Path) -> None:
    text = f'game = "trox"\n{BOTS}'
    file = tmp_path / "p_x.toml"
    file.write_text(text)
    with pytest.raises(DetailedError, match=r"not 'p_x', which is that of the file; give another one by `name = "):
        read_tournament(file, LOCAL_POLICIES)
    with pytest.raises(DetailedError, match=r"not 'p_x'$"):
        read_cup(tmp_path, f'name = "p_x"\n{text}')


def test_a_running_referee_uses_its_own_disconnect_policy(tmp_path: Path) -> None:
    assert read_cup(tmp_path, 'game = "trox"', Policies()).terms.match_terms.policies == Policies()


def test_a_tournament_file_can_have_a_name_and_terms_of_its_own(tmp_path: Path) -> None:
    own = 'name = "spring"\ntitle = "The spring cup"\nmatches_a_bot = 2\noptions = { huff = true }\n'
    plan = read_cup(tmp_path, f'{own}game = "alquerque"\nswiss = {{ rounds = 5 }}\n{BOTS}')
    assert (plan.name, plan.title, plan.matches_a_bot) == ("spring", "The spring cup", 2)
    assert (plan.terms.match_terms.rules.options["huff"], plan.terms.format) == ("true", Swiss(rounds=5))


def test_teams_are_entrants_in_place_of_their_bots(tmp_path: Path) -> None:
    plan = read_cup(tmp_path, f'game = "toc"\npartner_rule = "fixed"\n{BOTS}[teams]\nreds = ["anna", "bert"]\n')
    assert [entrant.name for entrant in plan.entrants] == ["reds"]
    assert [ref.bot for ref in plan.entrants[0].bots] == ["anna", "bert"]
    assert plan.terms.partner_rule == "fixed"


def test_the_openings_of_a_contest_can_come_from_a_book_beside_its_file(tmp_path: Path) -> None:
    (tmp_path / "book.pgn").write_text("1. e4 e5 *\n\n1. d4 d5 *\n", encoding="utf-8")
    book = 'duplicate_play = { openings = { file = "book.pgn", plies = 1, start = 2 } }'
    cup = read_cup(tmp_path, f'game = "chess"\n{book}')
    ladder = read_main_ladder(tmp_path, f'{book}\n[[games]]\ngame = "chess"')
    for duplicate in (cup.terms.duplicate_play, ladder.terms.duplicate_play):
        assert duplicate
        assert [opening.position.split()[0] for opening in duplicate.openings] == [
            "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR",
        ]


def test_entrants_can_be_given_as_bot_names_with_versions(tmp_path: Path) -> None:
    (anna, bert) = read_cup(tmp_path, 'game = "trox"\nentrants = ["anna/1.4", "bert"]').entrants
    assert (anna.name, anna.bots, bert.bots) == ("anna", (BotRef(bot="anna", version="1.4"),), (BotRef(bot="bert"),))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("game =", "cannot be read"),
        ('game = "trox"\n[bots]\nanna = "gtp:gnugo"\nbert = "random"', "the bot anna plays only go, not trox"),
        ('game = "troke"\noptions = { seats = 9 }', "invalid value '9' for option seats"),
        ('gmae = "trox"', "unknown key 'gmae'; known: name, title"),
        ('game = "shogi"', "unknown game 'shogi'; known: alquerque"),
        ('game = "trox"\noptions = { huf = true }', "unknown option 'huf'; known"),
        ('game = "trox"\nclock = "slow"', "60+1"),
        ('game = "trox"\nname = "Cup!"', "name: a name has 1 to 40"),
        ('game = "trox"\nswiss = { round = 3 }', "swiss: unknown key 'round'; known: rounds"),
        ('game = "trox"\nswiss = { rounds = -1 }', "swiss.rounds: expected an integer from 0 to"),
        ('game = "trox"\nswiss = 3', "swiss: expected true or a table with rounds, accelerated, not '3'"),
        ('game = "trox"\nswiss = { rounds = 3 }\npools = {}', "pools: only one of swiss and pools can be given"),
        ('game = "trox"\ntie_breaks = ["luck"]', "tie_breaks: unknown value 'luck'; known: board_points, buchholz"),
        ('game = "trox"\nsprt = { elo1 = 5, model = "x" }', "sprt.model: unknown value 'x'; known: pentanomial"),
        ('game = "trox"\nsprt = { elo1 = "5" }', "sprt.elo1: expected a number, not '5'"),
        ('game = "trox"\ntie_breaks = "wins"', "tie_breaks: expected a list, not 'wins'"),
        ('game = "trox"\ntie_breaks = [["wins"]]', "tie_breaks: unknown value \"['wins']\"; known: board_points"),
        ('game = "trox"\nmax_concurrent_matches = true', "max_concurrent_matches: expected an integer"),
        ('game = "trox"\nstarts_at = 2026-12-01T18:00:00', "starts_at: expected a time with its zone, such as"),
        ('game = "trox"\nstarts_at = "soon"', "starts_at: expected a time with its zone"),
        ('game = "trox"\nduplicate_play = 2', "duplicate_play: expected true or a table with arrangements, openings"),
        ('game = "trox"\nduplicate_play = { openings = [1] }', "duplicate_play.openings 1: expected a position or a"),
        (
            'game = "trox"\nduplicate_play = { openings = "b.epd" }',
            "openings: expected a table with file",
        ),
        ('game = "trox"\nduplicate_play = { openings = { file = "b.epd" } }', "EPD is a notation of chess"),
        ('game = "trox"\nforbidden_pairs = [["a"]]', "forbidden_pairs 1: expected two entrants"),
        ('game = "trox"\nodds = [{ rule = "slow" }]', "odds 1.rule: the clock 'slow' cannot be read"),
        ('game = "trox"\nodds = [{ seat = 2, rule = "60" }]', "odds must not name seat 2; seats are 0 to 1"),
        ('game = "trox"\nvisibility = "never"', "visibility: visibility cannot be 'never'; it is live"),
        ('game = "trox"\nversion = 3', "unknown key 'version'"),
        ('game = "trox"\nadjudication = { plies = 3 }', "adjudication: unknown key 'plies'; known: max_plies"),
        ('game = "trox"\nadjudication = { resign_score = 3 }', "must have both resign_score and resign_moves"),
        ('game = "trox"\nadjudication = 3', "adjudication: expected true or a table"),
        ('game = "trox"\nentrants = [1]', "entrants: expected a string, not '1'"),
        ('title = "a\\u0000"', "title: contains a NUL character"),
        (f'game = "trox"\n{BOTS}[teams]\nreds = ["carl"]', "teams.reds: unknown bot 'carl'; known: anna, bert"),
        (f'game = "trox"\n{BOTS}[teams]\nreds = "anna"', "teams.reds: expected a list"),
        (f'game = "trox"\n{BOTS}[teams]\nreds = []', "teams.reds: expected a list of bots in seat order"),
        (f'game = "trox"\ngauntlet = {{ challengers = ["x"] }}\n{BOTS}', "unknown entrant 'x'; known: anna, bert"),
    ],
)
def test_an_invalid_tournament_file_is_rejected_with_the_key_and_a_hint(tmp_path: Path, text: str, hint: str) -> None:
    with pytest.raises(DetailedError) as error:
        read_cup(tmp_path, text)
    assert hint in str(error.value)


def test_a_ladder_has_one_or_several_games_with_their_own_terms(tmp_path: Path) -> None:
    plan = read_main_ladder(
        tmp_path,
        """
        title = "The main ladder"
        clock = "2/move"
        max_concurrent_matches = 8
        rematch_after = 3
        duplicate_play = true
        [[games]]
        game = "trox"
        [[games]]
        game = "trox"
        clock = "60+1"
        """,
    )
    first, second = plan.terms.match_terms
    assert (plan.name, plan.title) == ("main", "The main ladder")
    assert (first.time_control.rule, second.time_control.rule) == (read_clock("2/move"), read_clock("60+1"))
    assert (plan.terms.max_concurrent_matches, plan.terms.rematch_after, plan.terms.provisional_matches) == (8, 3, None)
    assert plan.terms.duplicate_play == DuplicatePlay()


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "games: missing"),
        ('max_matches_per_hour = -1\n[[games]]\ngame = "trox"', "max_matches_per_hour: expected an integer from 0 to"),
        ("games = [1]", "games 1: expected a table"),
        ('[[games]]\ngame = "shogi"', "games 1: unknown game 'shogi'"),
        ('[[games]]\ngame = "trox"\nrounds = 2', "games 1: unknown key 'rounds'; known: game"),
        ('clocks = "60"\n[[games]]\ngame = "trox"', "did you mean clock?"),
        ('clock = "slow"\n[[games]]\ngame = "trox"', "games 1.clock: the clock 'slow' cannot be read"),
    ],
)
def test_an_invalid_ladder_file_is_rejected_with_a_hint(tmp_path: Path, text: str, hint: str) -> None:
    with pytest.raises(DetailedError) as error:
        read_main_ladder(tmp_path, text)
    assert hint in str(error.value)
