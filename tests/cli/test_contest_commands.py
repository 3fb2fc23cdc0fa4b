"""`referee ladder`, `referee tournament` and `referee report` of a running server, as an organiser types them."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from click.testing import Result
from referee_client import Organiser
from referee_values import BotLogEntry, ErrorReason, MatchRated, SessionLost

from referee.cli._shared import client_options
from referee.cli.bot import event_text
from tests.cli.runner import refusal_of, run
from tests.clients.sdk import run_bot
from tests.e2e.server import ServerProcess, create_organiser_token, run_server

pytestmark = pytest.mark.slow

NAMES = ("anna", "bert", "carl")
NOWHERE = ("--at", "localhost:1", "--token", "x")


class CliHarness:
    """Runs commands on a server with three online bots."""

    def __init__(self, server: ServerProcess, token: str, tokens: dict[str, str]) -> None:
        self.server = server
        self.token = token
        self.tokens = tokens

    def invoke(self, *arguments: str, token: str = "") -> Result:
        environment = {"BOT_REFEREE": self.server.address, "BOT_TOKEN": token or self.token, "BOT_CA": None}
        return run(*arguments, env=environment)

    def output_of(self, *arguments: str, token: str = "") -> str:
        result = self.invoke(*arguments, token=token)
        assert result.exit_code == 0, result.output
        return result.output


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CliHarness]:
    with ExitStack() as stack:
        server = stack.enter_context(run_server(tmp_path_factory.mktemp("server"), "--ephemeral"))
        token = create_organiser_token(stack.enter_context(server.channel()), server.admin_token)
        organiser = stack.enter_context(Organiser(server.address, token))
        tokens = {name: organiser.register_bot(name) for name in NAMES}
        for name in NAMES:
            stack.enter_context(run_bot(server, tokens[name], "random"))
        yield CliHarness(server, token, tokens)


def write_plan(folder: Path, name: str, text: str) -> str:
    file = folder / f"{name}.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_a_tournament_can_be_created_played_and_reported(cli: CliHarness, tmp_path: Path) -> None:
    file = write_plan(tmp_path, "cup", 'game = "alquerque"\nclock = "60+1"\nround_robin = {}\nentrants = ["anna"]\n')
    assert cli.output_of("tournament", "create", file) == "cup: entry, 1 entrants, 0/? pairings\n"
    cli.output_of("tournament", "enter", "cup", "bert")
    cli.output_of("tournament", "enter", "cup", token=cli.tokens["carl"])
    assert cli.output_of("tournament", "show", "cup").splitlines()[1:] == list(NAMES)
    assert "cup: playing, 3 entrants" in cli.output_of("tournament", "start", "cup")

    lines = cli.output_of("tournament", "watch", "cup").splitlines()
    assert [int(line.split()[0]) for line in lines] == list(range(1, len(lines) + 1))
    assert lines[-1].endswith("finished")
    after = cli.output_of("tournament", "watch", "cup", "--after", str(len(lines) - 1)).splitlines()
    assert after == lines[-1:]

    shown = cli.output_of("tournament", "show", "cup")
    assert "cup: finished, 3 entrants, 3/3 pairings" in shown
    assert all(re.search(rf"^ *\d  {name} ", shown, re.MULTILINE) for name in NAMES)
    assert "cup" in cli.output_of("tournament", "list", "--phase", "finished", "--bot", "anna")
    assert cli.output_of("tournament", "export", "cup", "csv").startswith("rank,entrant,points")
    sheet = tmp_path / "cup.trf"
    cli.output_of("tournament", "export", "cup", "trf", "-o", str(sheet))
    assert sheet.read_text().startswith("012 ")
    record = tmp_path / "cup.jsonl"
    cli.output_of("tournament", "export", "cup", "record", "-o", str(record))
    assert f"{record}: fine: tournament/cup" in cli.output_of("verify", str(record))

    text_report = cli.output_of("report", "cup")
    assert all(word in text_report for word in ("longest", "ended by", "format: round robin"))
    page = tmp_path / "cup.html"
    cli.output_of("report", "cup", "--html", "-o", str(page))
    assert page.read_text(encoding="utf-8").count("<section>") == 7


def test_staff_can_change_pairings_and_the_log_says_why(cli: CliHarness, tmp_path: Path) -> None:
    with Organiser(cli.server.address, cli.token) as organiser:
        for name in ("nina", "olaf", "pia", "quin"):
            organiser.register_bot(name)
    text = 'game = "alquerque"\nswiss = { rounds = 2 }\nentrants = ["nina", "olaf", "pia", "quin"]\n'
    cli.output_of("tournament", "create", write_plan(tmp_path, "staffed", text))
    cli.output_of("tournament", "start", "staffed")
    reason = ("--message", "the hall is closed")
    paired = cli.output_of("tournament", "pair", "staffed", "1", "quin,nina", "pia,olaf", *reason)
    assert [line.partition(":")[0] for line in paired.splitlines()] == ["1.1-2", "1.2-2"]
    cli.output_of("tournament", "postpone", "staffed", "1.1-2", "2030-12-01T18:00Z", *reason)
    assert "(quin absent)" in cli.output_of("tournament", "absent", "staffed", "1.1-2", "quin", *reason)
    assert cli.output_of("tournament", "reopen", "staffed", "1.1-2", *reason).startswith("1.1-2: quin - nina")
    late = cli.invoke("tournament", "reopen", "staffed", "1.2-2", *reason)
    assert (late.exit_code, "it is not finished" in late.output) == (1, True)
    wrong = cli.invoke("tournament", "postpone", "staffed", "1.1-2", "tomorrow", *reason)
    assert (wrong.exit_code, "'tomorrow' is no time" in wrong.output) == (2, True)
    cli.output_of("tournament", "cancel", "staffed")
    log = cli.output_of("tournament", "watch", "staffed")
    assert log.count("the hall is closed") == 4


def test_a_final_takes_the_best_entrants_of_a_finished_tournament(cli: CliHarness, tmp_path: Path) -> None:
    terms = 'game = "alquerque"\nclock = "60+1"\n'
    first = write_plan(tmp_path, "first", terms + 'entrants = ["anna", "bert", "carl"]\nround_robin = {}\n')
    last = write_plan(tmp_path, "last", terms + "elimination = {}\n")
    cli.output_of("tournament", "create", first)
    early = cli.invoke("tournament", "create", last, "--entrants-of", "first", "--best", "2")
    assert (early.exit_code, "the tournament first is not finished" in early.output) == (1, True)
    cli.output_of("tournament", "withdraw", "first", "carl")
    assert cli.output_of("tournament", "create", last, "--entrants-of", "first").startswith("last: entry, 2 entrants")
    assert cli.output_of("tournament", "show", "last").splitlines()[1:] == ["anna", "bert"]

    cli.output_of("tournament", "enter", "first", "carl")
    cli.output_of("tournament", "start", "first")
    cli.output_of("tournament", "watch", "first")
    paired = cli.output_of("tournament", "pairings", "first", "--round", "1").splitlines()
    assert re.fullmatch(r"1\.1: \w+ [01½], \w+ [01½]", paired[0])
    match_id = paired[1].strip()
    assert len(paired) == 2
    assert len(cli.output_of("tournament", "pairings", "first", "--entrant", "anna").splitlines()) == 4
    table = cli.output_of("tournament", "export", "first", "csv").splitlines()
    best = [row.split(",")[1] for row in table[1:3]]
    final = write_plan(tmp_path, "final", terms + "elimination = {}\n")
    cli.output_of("tournament", "create", final, "--entrants-of", "first", "--best", "2")
    assert cli.output_of("tournament", "show", "final").splitlines()[1:] == best

    listed = json.loads(cli.output_of("matches", "list", "--tournament", "first", "--json"))
    assert ({row["tournament"] for row in listed}, match_id in {row["id"] for row in listed}) == ({"first"}, True)
    drawn = cli.output_of("tournament", "correct", "first", "1.1", "1", "1", "--message", "by agreement")
    assert re.fullmatch(r"1\.1: \w+ ½, \w+ ½\n", drawn)
    paired = cli.output_of("tournament", "pairings", "first", "--round", "1").splitlines()
    assert paired[1] == f"     {match_id}  corrected: by agreement"
    unknown = cli.invoke("tournament", "strike", "first", "9.9", "--message", "?")
    assert (unknown.exit_code, "has no pairing 9.9" in unknown.output) == (1, True)
    without = cli.invoke("tournament", "strike", "last", "1.1", "--message", "?")
    assert without.exit_code == 1


def test_former_entrants_are_refused_beside_those_of_the_file(cli: CliHarness, tmp_path: Path) -> None:
    file = write_plan(tmp_path, "two", 'game = "alquerque"\nclock = "60+1"\nentrants = ["anna"]\n')
    assert "remove them" in cli.invoke("tournament", "create", file, "--entrants-of", "cup").output
    assert "--best needs --entrants-of" in cli.invoke("tournament", "create", file, "--best", "2").output


def test_the_bots_of_a_tournament_are_listed_and_the_absent_ones_alone(cli: CliHarness, tmp_path: Path) -> None:
    with Organiser(cli.server.address, cli.token) as organiser:
        organiser.register_bot("dora")
    plan = 'game = "alquerque"\nclock = "60+1"\nentrants = ["anna", "bert", "carl", "dora"]\n'
    cli.output_of("tournament", "create", write_plan(tmp_path, "roll", plan))
    cli.output_of("tournament", "withdraw", "roll", "bert")
    listed = cli.output_of("tournament", "entrants", "roll").splitlines()
    assert [line.split()[0] for line in listed[1:]] == ["anna", "carl", "dora"]
    (absent,) = json.loads(cli.output_of("tournament", "entrants", "roll", "--absent", "--json"))
    assert absent["name"] == "dora"


def test_an_entrant_can_be_withdrawn_and_a_tournament_cancelled(cli: CliHarness, tmp_path: Path) -> None:
    entrants = 'entrants = ["anna", "bert", "carl"]'
    file = write_plan(tmp_path, "rain", f'game = "trox"\nround_robin = {{ cycles = 40 }}\n{entrants}\n')
    cli.output_of("tournament", "create", file)
    assert "2 entrants" in cli.output_of("tournament", "withdraw", "rain", "carl")
    cli.output_of("tournament", "start", "rain")
    assert cli.output_of("tournament", "cancel", "rain", "--message", "it rains").startswith("rain: cancelled")
    assert cli.output_of("tournament", "watch", "rain").splitlines()[-1].endswith("cancelled: it rains")


def test_an_entrant_can_ask_not_to_play_a_round(cli: CliHarness, tmp_path: Path) -> None:
    entrants = 'entrants = ["anna", "bert", "carl"]\nforbidden_pairs = [["anna", "bert"]]'
    terms = f"swiss = {{ rounds = 2 }}\nmax_requested_byes = 1\n{entrants}\n"
    cli.output_of("tournament", "create", write_plan(tmp_path, "away", f'game = "trox"\n{terms}'))
    cli.output_of("tournament", "bye", "away", "2", "anna", "--points", "half")
    cli.output_of("tournament", "bye", "away", "2", "anna", "--points", "none")
    cli.output_of("tournament", "bye", "away", "1", "anna")
    again = cli.invoke("tournament", "bye", "away", "2", "anna")
    assert (again.exit_code, "the terms allow 1 for each entrant" in again.output) == (1, True)
    cli.output_of("tournament", "start", "away")
    exported = json.loads(cli.output_of("tournament", "export", "away", "json"))
    assert exported["requested_byes"] == [{"entrant": "anna", "round": 1, "kind": "zero_point"}]
    cli.output_of("tournament", "cancel", "away")
    log = cli.output_of("tournament", "watch", "away")
    assert re.findall(r"anna (?:does not play|plays) in round .*(?= \()", log) == [
        "anna does not play in round 2, for half a point",
        "anna plays in round 2 after all",
        "anna does not play in round 1, for no points",
    ]


def test_a_ladder_can_be_created_played_closed_and_reported(cli: CliHarness, tmp_path: Path) -> None:
    text = 'title = "The main ladder"\nclock = "60+1"\nmax_matches_per_hour = 0\n[[games]]\ngame = "alquerque"\n'
    file = write_plan(tmp_path, "main", text)
    assert cli.output_of("ladder", "create", file).startswith("main is open")
    for name in NAMES[:2]:
        assert f"{name} joined, rated 1500" in cli.output_of("ladder", "join", "main", name)
    assert "carl joined" in cli.output_of("ladder", "join", "main", token=cli.tokens["carl"])
    with Organiser(cli.server.address, cli.token) as organiser:
        entries = organiser.ladders.watch("main")
        rated = [next(entry.event for entry in entries if isinstance(entry.event, MatchRated)) for _ in range(6)]
        entries.close()
    challenge = cli.output_of("ladder", "challenge", "main", "anna", "bert")
    assert (
        "anna - bert" in challenge or "bert - anna" in challenge
    )  # The bot that had the first move less often is first.
    assert "carl left" in cli.output_of("ladder", "leave", "main", "carl")
    assert "season 2 started" in cli.output_of("ladder", "season", "main")
    match_id = rated[0].match_id
    assert f"{match_id} is struck" in cli.output_of("ladder", "strike", "main", match_id, "--message", "arranged")
    assert f"{match_id} is restored" in cli.output_of("ladder", "restore", "main", match_id, "--message", "fair")
    cli.output_of("ladder", "correct", "main", match_id, "1", "1", "--message", "a bug")
    bot = rated[1].ratings[0].bot
    assert rated[1].match_id in cli.output_of("ladder", "history", "main", bot)
    assert "main" in cli.output_of("ladder", "list", "--game", "alquerque")
    assert "main is paused" in cli.output_of("ladder", "pause", "main", "--message", "back soon")
    assert " paused " in cli.output_of("ladder", "list")
    assert "main is resumed" in cli.output_of("ladder", "resume", "main")
    assert "main is closing" in cli.output_of("ladder", "close", "main", "--message", "thanks")
    lines = cli.output_of("ladder", "watch", "main").splitlines()
    assert lines[-1].endswith("closed: thanks")
    assert [int(line.split()[0]) for line in lines] == list(range(1, len(lines) + 1))

    assert "matches looks arranged" in cli.output_of("ladder", "review", "main")
    record = tmp_path / "main.jsonl"
    cli.output_of("ladder", "export", "main", "-o", str(record))
    assert f"{record}: fine: ladder/main" in cli.output_of("verify", str(record))

    shown = cli.output_of("ladder", "show", "main")
    assert " at least " in shown
    assert "state: closed, season: 2" in shown
    assert "main" not in cli.output_of("ladder", "list")
    assert "main" in cli.output_of("ladder", "list", "--closed")
    page = cli.output_of("report", "main", "--html")
    assert "Rating over time" in page
    report = cli.output_of("report", "main", "--ladder")
    assert report.startswith("The main ladder")
    assert f"{match_id} corrected to 1 1: a bug" in report


def test_an_error_of_the_server_is_one_sentence_and_status_1(cli: CliHarness) -> None:
    failed = cli.invoke("tournament", "start", "nowhere")
    assert (failed.exit_code, failed.output.count("\n")) == (1, 1)
    assert "NO_SUCH_TOURNAMENT" in failed.output
    assert "neither a tournament nor a ladder called 'nowhere'" in cli.invoke("report", "nowhere").output
    assert "NO_SUCH_LADDER" in cli.invoke("ladder", "join", "nowhere").output
    assert "NO_SUCH_LADDER" in cli.invoke("ladder", "review", "nowhere").output


def test_a_token_is_read_from_a_file(cli: CliHarness, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{cli.token}\n")
    assert cli.output_of("bot", "list", "--token-file", str(file), token="rf_wrong")
    file.write_text("rf_wrong\n")
    assert "BAD_TOKEN" in cli.invoke("bot", "list", "--token-file", str(file)).output


@pytest.mark.parametrize(
    ("content", "more", "message"),
    [
        ("\n", [], "the file is empty"),
        ("rf_one\nrf_two\n", [], "invalid characters"),
        ("rf_one\n", ["--token", "rf_two"], "either --token or --token-file"),
    ],
)
def test_a_file_without_one_token_is_rejected(tmp_path: Path, content: str, more: list[str], message: str) -> None:
    file = tmp_path / "token"
    file.write_text(content)
    failed = run("bot", "list", "--at", "localhost:1", "--token-file", file, *more)
    assert failed.exit_code
    assert message in failed.stderr


@pytest.mark.parametrize(
    ("reason", "text"),
    [("HEARTBEAT_LOST", "it was stopped, its connection broke, or it sent no pong"), ("BAD_TOKEN", "bad token")],
)
def test_a_lost_session_is_shown_with_what_may_have_ended_it(reason: ErrorReason, text: str) -> None:
    assert event_text(BotLogEntry(session_lost=SessionLost(reason=reason))) == f"session lost: {text}"


class DueTimer:
    """A timer that is due at once."""

    def __init__(self, _: float, function: Callable[[str], None], args: tuple[str]) -> None:
        self.start = partial(function, *args)

    def cancel(self) -> None:
        """Do nothing."""


def test_a_command_says_that_it_waits_only_while_the_server_accepts_no_connection(
    cli: CliHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_options, "Timer", DueTimer)
    monkeypatch.setattr(client_options, "PATIENCE_S", 0)
    assert "waiting" not in cli.invoke("bot", "list").stderr
    assert "waiting for localhost:1, " in cli.invoke("bot", "list", "--at", "localhost:1").stderr


@pytest.mark.parametrize("kind", ["ladder", "tournament"])
def test_a_negative_entry_number_is_rejected_and_not_sent(kind: str) -> None:
    assert "x>=0" in refusal_of(kind, "watch", "main", "--after", "-1", *NOWHERE)


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("admin bots pause anna --why rest", "an administrator's token"),
        ("invitation list", "an organiser's token"),
        ("bot show anna", "the token of the bot or its owner"),
        ("ladder list", "a token"),
    ],
)
def test_a_missing_token_is_named_by_what_the_command_needs(command: str, wanted: str) -> None:
    environment = {"BOT_REFEREE": "localhost:1", "BOT_TOKEN": None, "BOT_TOKEN_FILE": None}
    assert refusal_of(*command.split(), status=1, env=environment) == f"Error: {wanted} is missing: set BOT_TOKEN"


def test_a_missing_address_and_local_bots_are_reported(tmp_path: Path) -> None:
    no_environment = {"BOT_REFEREE": None, "BOT_TOKEN": None}
    assert "BOT_REFEREE" in refusal_of("ladder", "list", status=1, env=no_environment)
    file = write_plan(tmp_path, "cup", 'game = "trox"\n[bots]\nanna = "random"\n')
    assert "by themselves" in refusal_of("tournament", "create", file, *NOWHERE)
