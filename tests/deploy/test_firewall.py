"""The rules of the firewall: nft accepts them, and they protect the port of the server."""

from referee.server.settings_reader import read_settings
from tests.deploy.tools import DEPLOY, find_tool, run_command

RULES = DEPLOY / "firewall" / "referee.nft"


def test_nft_accepts_the_rules() -> None:
    # In a network namespace of its own, which also those may change who are not root.
    run_command(find_tool("unshare"), "--map-root-user", "--net", find_tool("nft"), "--check", "--file", RULES)


def test_the_rules_protect_the_default_port() -> None:
    port = read_settings({}, environment={}).settings.listen.port
    assert f"tcp dport {port} jump strangers" in RULES.read_text(encoding="utf-8")
