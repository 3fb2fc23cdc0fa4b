"""`referee bot` and `referee matches` on a real server: each command once, by the token that it is meant for."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from referee_api.v1 import policy_pb2

from referee.cli.bot import bot
from referee.cli.server_matches import matches
from tests.e2e.organiser import Organiser, server_with_organiser
from tests.e2e.test_operator_commands import assert_refused, run, run_command, run_json

pytestmark = pytest.mark.slow

TERMS = """
title = "a test"
game = "alquerque"
clock = "1h"
odds = [{ seat = 1, rule = "30m" }]
visibility = "delayed 2"
start_timeout_ms = 600000
"""


def paths(group: click.Group, prefix: str) -> Iterator[str]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from paths(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}"


def test_every_command_of_these_groups_is_run_by_a_test_of_this_module() -> None:
    source = Path(__file__).read_text(encoding="utf-8").replace('", "', " ")
    commands = [*paths(bot, "bot"), *paths(matches, "matches")]
    assert [path for path in commands if f'"{path}' not in source] == []


def test_an_owner_registers_shows_lists_and_describes_a_bot(organiser: Organiser) -> None:
    name = f"{organiser.name}-new"
    secret = run(organiser, organiser.token, "bot", "register", name, "--description", "a bot").strip()
    assert secret.startswith("rf_")
    assert run_json(organiser, secret, "bot", "show", name)["description"] == "a bot"
    assert "a bot" in run(organiser, secret, "bot", "show", name)
    changed = run_json(organiser, organiser.token, "bot", "update", name, "--description", "another")
    assert changed["description"] == "another"
    assert_refused(organiser, secret, f"did you mean {name}?", "bot", "show", f"{name[:-1]}x")
    assert_refused(organiser, organiser.token, "NAME_TAKEN", "bot", "register", name)
    left = run(organiser, organiser.token, "bot", "leave-match", organiser.bots[0], organiser.create_match())
    assert left.startswith(f"{organiser.bots[0]} has left match ")
    listed = run_json(organiser, organiser.token, "bot", "list", "--owner", organiser.name)
    assert [row["name"] for row in listed] == sorted([*organiser.bots, name])


def test_versions_and_tokens_of_a_bot_are_managed_by_its_owner(organiser: Organiser) -> None:
    name, own = organiser.bots[0], organiser.secrets[0]
    run(organiser, own, "bot", "versions", "register", name, "1.0", "--note", "the first")
    (version,) = run_json(organiser, own, "bot", "versions", "list", name)
    assert (version["version"], version["note"]) == ("1.0", "the first")
    made = run_json(organiser, organiser.token, "bot", "tokens", "make", name, "--label", "spare", "--days", "3")
    assert run_json(organiser, made["secret"], "bot", "show", name)["name"] == name
    listed = run_json(organiser, organiser.token, "bot", "tokens", "list", name)
    assert [token["label"] for token in listed] == ["spare", ""]
    (revoked,) = run_json(organiser, organiser.token, "bot", "tokens", "revoke", name, made["token"]["id"])
    assert revoked["revoked"]
    assert_refused(organiser, made["secret"], "BAD_TOKEN", "bot", "show", name)


def test_the_log_of_a_bot_is_shown_to_its_owner_only(organiser: Organiser) -> None:
    organiser.start_match()
    turn = organiser.next_turn()
    with pytest.raises(Exception, match="nonsense"):
        organiser.submit_move(turn, "nonsense")
    name = organiser.bots[0]
    assert "rejected: nonsense" in run(organiser, organiser.token, "bot", "log", name)
    (entry,) = run_json(organiser, organiser.secrets[0], "bot", "log", name, "--match", turn.match_id)
    assert entry["item_rejected"]["move"] == "nonsense"
    assert_refused(organiser, organiser.secrets[1], "NOT_YOURS", "bot", "log", name)


def test_a_bot_that_was_paused_for_its_faults_returns(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path, "--ephemeral", "--max-consecutive-faults", "1") as organiser:
        policy = policy_pb2.IllegalMovePolicy(action=policy_pb2.ILLEGAL_MOVE_ACTION_FORFEIT)
        organiser.start_match(policies=policy_pb2.Policies(illegal_move=policy))
        turn = organiser.next_turn()
        organiser.connection(0).send_move(turn, "nonsense")
        organiser.connection(0).receive("match_ended")
        organiser.connection(0).receive("notice")
        name = organiser.bots[0]
        assert run_json(organiser, organiser.token, "bot", "show", name)["pause"]["cause"] == "PAUSE_CAUSE_FAULTS"
        assert "pause" not in run_json(organiser, organiser.secrets[0], "bot", "return", name)


def test_a_match_is_created_by_a_file_listed_shown_and_aborted(organiser: Organiser, tmp_path: Path) -> None:
    file = tmp_path / "match.toml"
    file.write_text(TERMS)
    made = run_json(organiser, organiser.token, "matches", "create", str(file), *organiser.bots)
    assert made["terms"]["time_control"]["odds"][0]["rule"]["sudden_death"]["main_ms"] == "1800000"
    assert made["terms"]["visibility"] == {"kind": "VISIBILITY_KIND_DELAYED", "delay_plies": 2}
    (listed,) = run_json(organiser, organiser.token, "matches", "list", "--bot", organiser.bots[0])
    assert listed["id"] == made["id"]
    assert "waiting" in run(organiser, organiser.token, "matches", "show", made["id"])
    assert run_json(organiser, organiser.token, "matches", "abort", made["id"], "--why", "rain")["kind"] == "void"
    assert "void" in run(organiser, organiser.token, "matches", "show", made["id"])
    void = ("matches", "void", organiser.create_match(), "--why", "no power")
    assert_refused(organiser, organiser.token, "NOT_YOURS", *void)
    assert run_json(organiser, organiser.server.admin_token, *void)["kind"] == "void"


def test_a_finished_match_is_watched_and_its_record_is_verified(organiser: Organiser, tmp_path: Path) -> None:
    match_id, admin_token = organiser.start_match(), organiser.server.admin_token
    record = ("bot", "record", match_id, "-o")
    assert_refused(organiser, organiser.token, "MATCH_NOT_OVER", *record, str(tmp_path / "early"))
    run(organiser, admin_token, "matches", "adjudicate", match_id, "1", "0", "--why", "by agreement")
    lines = run(organiser, organiser.token, "matches", "watch", match_id).splitlines()
    assert ("match created" in lines[0], "ended" in lines[-1]) == (True, True)
    file = tmp_path / "match.jsonl"
    found = run_json(organiser, organiser.token, *record, str(file))
    assert (found["status"], file.exists()) == ("fine", True)
    for command in (("replay",), ("explain", "--seat", "0")):  # Of an id, they fetch the record.
        by_id = run(organiser, organiser.token, *command, match_id)
        assert by_id == run(organiser, organiser.token, *command, str(file))


def test_an_invalid_file_of_a_match_is_rejected_by_its_key(organiser: Organiser, tmp_path: Path) -> None:
    file = tmp_path / "match.toml"
    for text, sentence in (
        ('game = "alquerque"\nsped = 1', "unknown key"),
        ('game = "alquerque"\nodds = [{ seat = 2, rule = "30" }]', "seats are 0 to 1"),
        ('game = "alquerque"\nvisibility = "never"', "visibility"),
        ('game = "alquerque"\nseed = "xyz"', "hexadecimal"),
        ('game = "alquerque"\nopening = 3', "opening"),
    ):
        file.write_text(text)
        rejected = run_command(organiser, organiser.token, "matches", "create", str(file))
        assert (rejected.exit_code, sentence in rejected.output) == (2, True), rejected.output
