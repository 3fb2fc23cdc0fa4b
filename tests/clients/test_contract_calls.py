"""The clients in Go and Rust have a method for each call of the contract but `Play`, and all fields of its messages."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from referee_api.v1 import (
    admin_service_pb2,
    bot_service_pb2,
    game_service_pb2,
    invitation_service_pb2,
    ladder_service_pb2,
    match_service_pb2,
    token_service_pb2,
    tournament_service_pb2,
)

from tests.clients.languages import CLIENTS

GENERATE = CLIENTS.parent / "proto" / "calls" / "generate_calls.py"
FOLDERS = {"go": CLIENTS / "go", "rust": CLIENTS / "rust" / "src" / "organiser" / "contract"}
GO_METHOD = re.compile(r"^func \(c Contract\) (\w+)\(ctx context\.Context, request \*contract\.(\w+)\)", re.MULTILINE)
RUST_METHOD = re.compile(r"^    pub (?:async )?fn (\w+)\(\s*&self,\s*request: (\w+)", re.MULTILINE)
GO_TYPE = re.compile(r"^type (\w+) struct \{(.*?)^\}", re.MULTILINE | re.DOTALL)
RUST_TYPE = re.compile(r"^pub struct (\w+) \{(.*?)\}", re.MULTILINE | re.DOTALL)
RUST_ONEOF = re.compile(r"^pub enum (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
SERVICES = [
    service
    for module in (
        admin_service_pb2,
        bot_service_pb2,
        game_service_pb2,
        invitation_service_pb2,
        ladder_service_pb2,
        match_service_pb2,
        token_service_pb2,
        tournament_service_pb2,
    )
    for service in module.DESCRIPTOR.services_by_name.values()
]


def calls() -> list[MethodDescriptor]:
    return [method for service in SERVICES for method in service.methods]


def messages() -> Iterator[Descriptor]:
    """Yield each message of the contract that a call needs, once."""
    seen, waiting = set[str](), [message for call in calls() for message in (call.input_type, call.output_type)]
    while waiting:
        message = waiting.pop()
        if message.full_name.startswith("referee_api.v1.") and message.full_name not in seen and not is_map(message):
            seen.add(message.full_name)
            waiting += [field.message_type for field in message.fields if field.message_type]
            yield message


def is_map(message: Descriptor) -> bool:
    return message.GetOptions().map_entry


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def test_every_service_but_that_of_bots_is_looked_at() -> None:
    files = (CLIENTS.parent / "proto" / "referee_api" / "v1").glob("*_service.proto")
    known = {Path(service.file.name).name for service in SERVICES}
    assert {file.name for file in files} == known | {"play_service.proto"}


def test_go_has_a_method_for_each_call() -> None:
    methods = dict(GO_METHOD.findall((FOLDERS["go"] / "contract_calls.go").read_text()))
    assert methods == {call.name: call.input_type.name for call in calls()}


def test_rust_has_a_method_for_each_call() -> None:
    methods = dict(RUST_METHOD.findall((FOLDERS["rust"] / "calls.rs").read_text()))
    assert methods == {snake(call.name): call.input_type.name for call in calls()}


def test_go_has_each_field() -> None:
    source = "".join(file.read_text() for file in (FOLDERS["go"] / "contract").glob("*.go"))
    types = {name: set(re.findall(r'`contract:"(\w+)"`', body)) for name, body in GO_TYPE.findall(source)}
    for message in messages():
        assert types[re.sub("^Sprt", "SPRT", message.name)] == set(message.fields_by_name), message.name


def test_rust_has_each_field() -> None:
    source = "".join(file.read_text() for file in (FOLDERS["rust"] / "types").glob("*.rs"))
    types = {
        name: set(re.findall(r"^ +pub (?:r#)?(\w+):", body, re.MULTILINE)) for name, body in RUST_TYPE.findall(source)
    }
    oneofs = {name: set(re.findall(r"^    (\w+)\(", body, re.MULTILINE)) for name, body in RUST_ONEOF.findall(source)}
    for message in messages():
        name = "MatchResult" if message.name == "Result" else message.name
        choices = {oneof.name: oneof.fields for oneof in message.oneofs if not is_optional(oneof.fields)}
        plain = {
            field.name
            for field in message.fields
            if field.name not in {it.name for its in choices.values() for it in its}
        }
        assert types[name] == plain | choices.keys(), name
        for oneof, fields in choices.items():
            variants = oneofs.get(name + oneof.capitalize()) or oneofs[f"{name}Kind"]
            assert variants == {"".join(word.capitalize() for word in field.name.split("_")) for field in fields}, name


def is_optional(fields: Sequence[FieldDescriptor]) -> bool:
    """Tell whether a oneof only says that a field may be not set."""
    return len(fields) == 1 and not fields[0].message_type


@pytest.mark.toolchain
def test_generating_them_again_changes_nothing(tmp_path: Path) -> None:
    if missing := [tool for tool in ("gofmt", "rustfmt") if not shutil.which(tool)]:
        reason = f"needs {' and '.join(missing)}"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    subprocess.run([sys.executable, GENERATE, tmp_path], check=True)
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    for file in files:
        assert (CLIENTS / file.relative_to(tmp_path)).read_text() == file.read_text(), "run make proto"
    generated = {file.relative_to(tmp_path) for file in files}
    for folder in (FOLDERS["go"] / "contract", FOLDERS["rust"] / "types"):
        stale = {file.relative_to(CLIENTS) for file in folder.iterdir()} - generated
        assert stale <= {Path("go/contract/doc.go")}
