"""All names in docs/protocol.md exist in the contract, and its examples work."""

import re
import subprocess
import sys

import grpc
import pytest
from google.protobuf import json_format, message_factory
from referee_api.v1.error_pb2 import ErrorReason

from referee.match.clock import SECOND, Clock, Fischer
from referee.match.clock_charge import TurnMeasurement, charge
from tests.docs import contract
from tests.docs.test_links import FENCED, ROOT

PAGE = ROOT / "docs" / "protocol.md"
TEXT = PAGE.read_text(encoding="utf-8")

CALL = re.compile(r"`(\w+/\w+)` takes\n\n```json\n(.*?)```", re.DOTALL)
ROW = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", TEXT, re.MULTILINE))
PROSE = FENCED.sub("", TEXT)
QUOTED = sorted(set(re.findall(r"`([^`\s]+)`", PROSE)))

OF_OTHERS = {
    *("ErrorInfo", "BadRequest", "RetryInfo", "google.rpc", "google.rpc.Status", "too_many_pings"),
    *("grpc.aio.secure_channel", "referee", "referee-api", "referee_api.v1", "my-bot", "buf"),
    *("1", "=?", "\\n", "::1", "localhost"),
}
"""Names on the page that are not part of the contract."""
OTHER_PREFIX = ("ERROR_REASON_", "BOT_", "grpc-", "[")


def known() -> set[str]:
    """Return every name of the contract, in all forms that the page uses."""
    named = {*contract.messages(), *contract.enums(), *contract.enum_values(), *contract.methods(), *contract.fields()}
    services = {part for method in contract.methods() for part in method.split("/")}
    metadata = {word for reason in contract.reasons() for word in re.findall(r"[a-z_]+", reason.metadata)}
    return named | services | metadata | {reason.name for reason in contract.reasons()}


def test_every_name_on_the_page_is_in_the_contract() -> None:
    strange = {name for name in QUOTED if not name.startswith(OTHER_PREFIX) and "/" not in name.strip("/")}
    assert sorted(strange - known() - OF_OTHERS) == []
    called = {name for name in QUOTED if re.fullmatch(r"[A-Z]\w+/[A-Z]\w+", name)}
    assert sorted(called - set(contract.methods())) == []
    assert len(called) >= 8


def test_every_item_of_the_stream_is_told_of() -> None:
    sides = (contract.messages()[side] for side in ("BotItem", "RefereeItem"))
    items = {field.message_type.name for side in sides for field in side.oneofs_by_name["item"].fields}
    assert sorted(items - set(QUOTED)) == []


def test_the_comment_of_every_reason_says_code_and_metadata() -> None:
    named = {f"ERROR_REASON_{reason.name}" for reason in contract.reasons()}
    assert named == set(ErrorReason.keys()) - {"ERROR_REASON_UNSPECIFIED"}
    assert {reason.code for reason in contract.reasons()} <= {code.name for code in grpc.StatusCode}


@pytest.mark.parametrize(("method", "body"), CALL.findall(TEXT), ids=lambda text: text.split("\n")[0])
def test_every_request_on_the_page_can_be_read(method: str, body: str) -> None:
    request = message_factory.GetMessageClass(contract.methods()[method].input_type)()
    json_format.Parse(body, request)
    assert request.ByteSize()


def test_the_clock_row_on_the_page_adds_up() -> None:
    row = {name: int(us) for name, us in ROW.items()}
    measured = TurnMeasurement(row["arrived_us"], row["network_us"], row["stall_us"])
    computed = charge(Fischer(60 * SECOND, SECOND), Clock(row["before"]), row["asked_us"], measured, 100_000)
    assert computed.network_credit_us == row["network_credit_us"]
    assert computed.charged_us == row["charged_us"]
    assert computed.after == Clock(row["after"])


@pytest.mark.slow
def test_the_bot_of_the_page_passes_the_whole_kit() -> None:
    bot = PAGE.parent / "bot.py"
    kit = [sys.executable, "-m", "referee", "conformance", "--patience", "120", "--", sys.executable, str(bot)]
    tried = subprocess.run(kit, capture_output=True, text=True, check=False)
    assert tried.returncode == 0, tried.stdout + tried.stderr
