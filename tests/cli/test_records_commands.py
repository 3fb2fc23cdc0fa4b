"""The commands about records, as a person types them, and the clocks that they print."""

import re
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from engines import registry
from engines.api import REFEREE
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import Resign, StartPlay, SubmitMove, VoidMatch
from referee.match.events import Event
from referee.match.result import EndCause
from referee.records.signing_key import fingerprint, public_hex
from tests.cli.runner import output_of, refusal_of, run
from tests.match.match_fixture import replay as fold
from tests.records.forgery import KEY, OTHER_KEY, lines_of, record_of, resigned
from tests.records.matches import decided_events, find_game, nim_setup, random_match, short_match

RECORD = record_of(short_match())
LINES = lines_of(RECORD)


@pytest.fixture(autouse=True)
def _install_example_games(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nim", "fingers"):
        monkeypatch.setitem(registry.OURS, name, f"tests.third_party_games.third_party_games:{name.upper()}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "nim.jsonl"
    path.write_bytes(RECORD)
    return path


def write_record(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_verify_describes_a_valid_record_and_its_signature(path: Path) -> None:
    assert output_of("verify", path) == (
        f"{path}: fine: match nim-1, nim, 6 entries, played, rules (last_taken), ranks 1 2; "
        f"signed by {fingerprint(public_hex(KEY))}, not compared with any key you trust\n"
    )


def test_verify_compares_the_key_given_in_hexadecimal_or_as_a_file(path: Path) -> None:
    pem = path.with_suffix(".pem")
    pem.write_bytes(KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    for key in (public_hex(KEY), pem):
        assert "the key expected" in output_of("verify", path, "--key", key)
    other = run("verify", path, "--key", public_hex(OTHER_KEY))
    assert (other.exit_code, ": other key: it is whole, but signed by " in other.output) == (12, True)


@pytest.mark.parametrize("key", ["", "abc", "0" * 63, "/no/such/file"])
def test_an_invalid_key_is_an_error_of_the_command(key: str, path: Path) -> None:
    assert "Invalid value for --key" in refusal_of("verify", path, "--key", key)


def test_verify_prints_a_line_per_file_and_exits_with_the_worst_status(path: Path) -> None:
    edited = write_record(path.with_name("edited"), RECORD.replace(b"ada", b"eve"))
    cut = write_record(path.with_name("cut"), RECORD[:-1])
    missing = path.with_name("missing")
    result = run("verify", path, edited, cut, missing, path)
    assert result.exit_code == 10
    lines = result.output.splitlines()
    assert lines[1] == f"{edited}: edited: line 2 is not what was hashed when it was written"
    assert lines[2] == f"{cut}: truncated: the file ends within line 8"
    assert lines[3] == f"{missing}: unreadable: it cannot be read: No such file or directory"
    assert lines[5:] == ["5 records: 2 fine, 1 unreadable, 1 truncated, 1 edited"]


def test_verify_without_a_file_is_an_error() -> None:
    refusal_of("verify")


def test_replay_prints_the_whole_match_and_the_last_board(path: Path) -> None:
    result = run("replay", path)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout == (
        "nim-1: Nim (version 1)\n"
        "  seat 0, first: ada 1; 10 s + 1 s per move\n"
        "  seat 1, second: bob 2; 10 s + 1 s per move\n"
        "\n"
        "      Play started\n"
        "   1. first  1                 0:10       0:10\n"
        "   2. second 2                 0:10       0:10\n"
        "   3. first  2                 0:11       0:10\n"
        "      The match ended: ada wins, last taken\n"
        "      at 2026-09-21 14:13:20 UTC\n"
        "\n"
        "nothing left\n"
        "\n"
        "0 1\n"
    )


def test_replay_can_stop_at_a_ply(path: Path) -> None:
    assert run("replay", path, "--ply", 0).output.endswith("Play started\n\n|||||\n\n5 0\n")
    until_ply_two = run("replay", path, "--ply", 2).output
    assert until_ply_two.endswith("   2. second 2                 0:10       0:10\n\n||\n\n2 0\n")
    assert "The match ended" in run("replay", path, "--ply", 3).output


def test_replay_draws_every_board_on_request(path: Path) -> None:
    shown = run("replay", path, "--all").output
    assert [line for line in shown.splitlines() if line.startswith("|")] == ["||||", "||"]


def moves_in(shown: str) -> list[str]:
    return re.findall(r"^ *\d+\. \S+ +(\S+)", shown, re.MULTILINE)


def test_replay_shows_what_a_seat_or_a_spectator_could_see(tmp_path: Path) -> None:
    path = write_record(tmp_path / "fingers.jsonl", record_of(random_match(find_game("fingers"), 3)))
    all_moves = moves_in(run("replay", path).output)
    seat_moves = moves_in(run("replay", path, "--seat", 1).output)
    assert "?" not in all_moves
    assert "?" in seat_moves
    assert set(seat_moves) & set("123")
    assert moves_in(run("replay", path, "--spectator").output) == ["?"] * len(all_moves)


def test_replay_writes_a_page_and_prints_its_name(path: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("an older one")
    assert run("replay", path, "--html", page).output == f"{page}\n"
    html = page.read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>")
    assert html.count("<figure") == 4
    assert "fine: match nim-1, nim, 6 entries" in html


def test_a_page_shows_what_a_seat_or_a_spectator_could_see(tmp_path: Path) -> None:
    path = write_record(tmp_path / "fingers.jsonl", record_of(random_match(find_game("fingers"), 3)))

    def moves_on_page(*viewer: object) -> list[str]:
        assert run("replay", path, "--html", tmp_path / "page.html", *viewer).exit_code == 0
        return re.findall(r"<figcaption>\d+\. .*?: (\S+)</figcaption>", (tmp_path / "page.html").read_text())

    assert "?" not in moves_on_page()
    assert moves_on_page("--seat", 1) == moves_in(run("replay", path, "--seat", 1).output)
    assert set(moves_on_page("--spectator")) == {"?"}


def test_a_rejected_attempt_is_shown_to_its_seat_and_to_the_referee(tmp_path: Path) -> None:
    attempt = SubmitMove(0, "0.0.1", "9", TurnMeasurement(20))
    events = decided_events(nim_setup(), (10, StartPlay()), (20, attempt), (30, Resign(1)))
    path = write_record(tmp_path / "record", record_of(events))
    assert "first (ada) tried 9: " in run("replay", path).output
    assert "tried" in run("replay", path, "--seat", 0).output
    assert "tried" not in run("replay", path, "--seat", 1).output


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("--ply", "4"), "the match has 3 plies"),
        (("--ply", "-1"), "-1"),
        (("--seat", "2"), "seats of this match are 0 to 1"),
        (("--seat", "1", "--spectator"), "--seat and --spectator exclude each other"),
        (("--html", "page.html", "--all"), "--html excludes --all and --ply"),
        (("--html", "page.html", "--ply", "0"), "--html excludes --all and --ply"),
        (("--html", "page.html", "--seat", "2"), "seats of this match are 0 to 1"),
    ],
)
def test_an_invalid_option_of_replay_is_an_error(arguments: tuple[str, ...], answer: str, path: Path) -> None:
    assert answer in refusal_of("replay", path, *arguments)


def test_a_match_that_did_not_start_has_no_board(tmp_path: Path) -> None:
    path = write_record(
        tmp_path / "record", record_of(decided_events(nim_setup(), (1, VoidMatch(EndCause.NOT_STARTED))))
    )
    assert run("replay", path).output.endswith("UTC\n\nplay did not start\n")
    assert "void: not all bots came in time" in run("replay", path).output


def test_an_edited_record_is_shown_with_a_warning(path: Path) -> None:
    result = run("replay", write_record(path, RECORD.replace(b"ada", b"eve")))
    assert result.exit_code == 0
    assert result.stderr == (
        "warning: this record is not valid: edited: line 2 is not what was hashed when it was written\n"
    )
    assert "seat 0, first: eve 1" in result.stdout


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"".join(LINES[:4]), "the end of the match cannot be read"),
        (b"".join([*LINES[:4], *LINES[5:]]), "the end of the match cannot be read"),
        (RECORD.replace(b'"seat":1,', b'"seat":1.5,'), "the end of the match cannot be read"),
        (RECORD.replace(b'"move":"2"', b'"move":"7"', 1), "entry 4 makes no sense: 7 is not legal: "),
        (RECORD.replace(b'"seat":1,', b'"seat":9,'), "entry 4 makes no sense: it is not the turn of seat 9; "),
    ],
)
def test_a_damaged_record_is_shown_up_to_the_damage(data: bytes, reason: str, path: Path) -> None:
    result = run("replay", write_record(path, data))
    assert result.exit_code == 0
    first_move = "   1. first  1                 0:10       0:10\n"
    assert f"{first_move}      the record ends here: {reason}" in result.stdout
    assert result.stdout.endswith("\n\n||||\n\n4 1\n")


def test_a_file_without_a_match_is_rejected_with_its_record_status(path: Path) -> None:
    for data, status, arguments in [
        (b"junk", 4, "the entry that opens the match cannot be read"),
        (
            RECORD.replace(b'"kind":"match_created"', b'"kind":"ladder_closed"'),
            4,
            "the entry that opens the match cannot be read",
        ),
        (RECORD.replace(b'"game":"nim"', b'"game":"shogi"'), 6, "unknown game 'shogi'; known: alquerque"),
        (RECORD.replace(b'["heap",5]', b'["heap",0]'), 13, "invalid value '0' for option heap; it must be"),
        (resigned([LINES[0], *LINES[2:]]).replace(b'"entry":2', b'"entry":1'), 4, "its first entry opens no match"),
    ]:
        assert arguments in refusal_of("replay", write_record(path, data), status=status)
    assert "No such file or directory" in refusal_of("replay", path.with_name("missing"), status=3)


@pytest.mark.parametrize("game", ["alquerque", "trox", "troke", "toc", "fingers"])
def test_replay_of_every_game_ends_with_its_final_position(game: str, tmp_path: Path) -> None:
    events: list[Event] = random_match(find_game(game), 2)
    path = write_record(tmp_path / "record", record_of(events))
    last = fold(events, find_game)
    assert last.position
    assert run("replay", path).output.endswith(f"\n{last.position.text(REFEREE)}\n")
