"""The operator's commands on a real server: `referee doctor` and `referee admin`."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.cli import runner
from tests.e2e.organiser import Organiser, call_method, server_with_organiser
from tests.e2e.server import TIMEOUT_S, run_server

pytestmark = pytest.mark.slow


def run_command(organiser: Organiser, token: str, *arguments: str) -> Result:
    environment = {"BOT_REFEREE": organiser.server.address, "BOT_TOKEN": token}
    return runner.run(*arguments, env=environment)


def run(organiser: Organiser, token: str, *arguments: str) -> str:
    """Run a command that must succeed, and return what it prints."""
    result = run_command(organiser, token, *arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def run_json(organiser: Organiser, token: str, *arguments: str) -> Any:
    return json.loads(run(organiser, token, *arguments, "--json"))


def run_admin(organiser: Organiser, *arguments: str) -> Any:
    """Run a command with the token of an administrator, and return its JSON output."""
    return run_json(organiser, organiser.server.admin_token, *arguments)


def assert_refused(organiser: Organiser, token: str, text: str, *arguments: str) -> None:
    refused = run_command(organiser, token, *arguments)
    assert (refused.exit_code, text in refused.stderr) == (1, True), refused.output


def test_a_token_is_shown_once_and_can_be_revoked(organiser: Organiser) -> None:
    make = ("admin", "tokens", "make", "organiser", "tess", "--days", "2")
    secret = run(organiser, organiser.server.admin_token, *make).strip()
    (token,) = run_admin(organiser, "admin", "tokens", "list", "--holder", "tess")
    assert secret.startswith("rf_")
    assert secret not in json.dumps(token)
    assert (token["role"], token["holder"], "expire_time" in token) == ("ROLE_ORGANISER", "tess", True)
    assert run_admin(organiser, "admin", "tokens", "revoke", token["id"])[0]["revoked"]
    assert run_admin(organiser, "admin", "tokens", "list", "--holder", "tess") == []
    assert_refused(organiser, secret, "BAD_TOKEN", "admin", "tokens", "list")


def test_the_consent_of_a_bot_is_set_at_its_registration_and_changed_in_parts(organiser: Organiser) -> None:
    run_admin(organiser, "bot", "register", "anna", "--accept", "anyone", "--game", "toc", "--min-move-ms", "50")
    changed = run_admin(organiser, "bot", "update", "anna", "--odds", "--matches-per-maker", "3")
    assert changed["consent"] == {
        "scope": "CONSENT_SCOPE_ANYONE",
        "games": ["toc"],
        "min_first_move_ms": 1000,
        "min_move_ms": 50,
        "accept_odds": True,
        "max_matches_per_maker": 3,
    }
    changed = run_admin(organiser, "bot", "update", "anna", "--accept", "own", "--no-odds", "--description", "new")
    assert (changed["description"], changed["consent"]["scope"]) == ("new", "CONSENT_SCOPE_OWN")
    assert not changed["consent"].get("accept_odds")


def test_an_administrator_can_adjudicate_void_pause_set_quotas_and_drain(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path, "--ephemeral") as organiser:
        playing, other = organiser.start_match(), organiser.create_match()
        decided = run_admin(organiser, "matches", "adjudicate", playing, "1", "0", "--why", "by agreement")
        assert decided["scores"] == [1, 0]
        assert run_admin(organiser, "matches", "void", other, "--why", "no power")["kind"] == "void"
        assert len(run_admin(organiser, "admin", "bots", "sessions")) == len(organiser.bots)
        (paused,) = run_admin(organiser, "admin", "bots", "pause", organiser.bots[0], "--why", "a rest")
        assert paused["pause"]["message"] == "a rest"
        assert "pause" not in run_admin(organiser, "admin", "bots", "resume", organiser.bots[0])[0]
        assert run_admin(organiser, "admin", "quota", "set", "organiser", "bots=7")["max_bots"] == 7
        assert run_admin(organiser, "admin", "quota", "show", "organiser")["usage"]["bots"] == len(organiser.bots)
        assert run_admin(organiser, "admin", "drain", "--grace-s", "1")["matches_in_play"] == 0
        assert organiser.server.process.wait(TIMEOUT_S) == 0


def test_quotas_are_set_one_by_one_and_seen_in_one_table(organiser: Organiser) -> None:
    assert run_admin(organiser, "admin", "quota", "set", organiser.name, "bots=7", "matches=5")["max_bots"] == 7
    assert run_admin(organiser, "admin", "quota", "set", organiser.name, "contests=9", "matches=0")["max_bots"] == 7
    by_holder = {quota["holder"]: quota for quota in run_admin(organiser, "admin", "quota", "list")}
    assert by_holder.keys() >= {"admin", organiser.name}
    own = by_holder[organiser.name]["own_quota"]
    assert {field: number for field, number in own.items() if int(number)} == {"max_bots": 7, "max_contests": 9}
    token = organiser.server.admin_token
    table = run(organiser, token, "admin", "quota", "list")
    (line,) = (line for line in table.splitlines() if line.startswith(f"{organiser.name} "))
    assert {"2/7*", "0/9*", "0/1000"} <= set(line.split())
    assert "ladders and tournaments that are not over" in run(
        organiser, token, "admin", "quota", "show", organiser.name
    )
    for wrong in ("bot=7", "bots", "bots=-1", "bots=4294967296"):
        assert run_command(organiser, token, "admin", "quota", "set", organiser.name, wrong).exit_code == 2, wrong


def test_an_author_is_invited_and_signs_up_by_the_command_line(organiser: Organiser) -> None:
    invitation = partial(run, organiser, organiser.token, "invitation")
    code = invitation("make", "--uses", "2", "--label", "cup").strip()
    assert code.startswith("rf_invite_")
    secret = run(organiser, "", "invitation", "redeem", code, "eve").strip()
    bot = call_method(organiser.channel, "BotService/RegisterBot", secret, request_id="b", name="eve-bot").bot
    assert bot.owner == "eve"
    (listed,) = json.loads(invitation("list", "--json"))
    assert (listed["uses"], listed["max_uses"], listed["label"]) == (1, 2, "cup")
    assert json.loads(invitation("uses", listed["id"], "--json"))[0]["holder"] == "eve"
    assert "eve" in invitation("uses", listed["id"])
    assert invitation("uses") == invitation("uses", listed["id"])
    assert "revoked" in invitation("revoke", listed["id"])
    assert json.loads(invitation("list", "--json")) == []
    assert "1 of 2" in invitation("list", "--all")
    assert_refused(organiser, "", "the invitation is revoked", "invitation", "redeem", code, "tom")


def test_the_doctor_reports_a_healthy_server(tmp_path: Path) -> None:
    with run_server(tmp_path) as server:
        flags = ("--listen", server.address, "--http-listen", server.http, "--data-dir", str(tmp_path / "data"))
        completed = runner.run("doctor", "--json", *flags)
    found = {(finding["state"], finding["about"], finding["sentence"]) for finding in json.loads(completed.stdout)}
    assert completed.exit_code in (0, 3)
    assert ("ok", "ports", f"a referee is serving gRPC on {server.address}") in found
    assert ("ok", "ports", f"a referee is serving HTTP on {server.http}") in found
    assert ("ok", "database", "quick check passed") in found
    assert not [finding for finding in found if finding[0] == "bad"]
