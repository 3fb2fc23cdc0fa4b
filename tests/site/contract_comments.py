"""Comments of the contract by the name of what they describe, as the compiler of protobuf reads them."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

PROTO = Path(__file__).parents[2] / "proto"


def contract_comments() -> dict[str, str]:
    """Return the comments of messages, their fields and methods, such as `Match.id`, on one line each."""
    protos = [str(path) for path in sorted((PROTO / "referee_api" / "v1").glob("*.proto"))]
    with tempfile.NamedTemporaryFile() as file:
        options = [f"--proto_path={PROTO}", "--include_source_info", f"--descriptor_set_out={file.name}"]
        subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *options, *protos], check=True)
        described = FileDescriptorSet.FromString(Path(file.name).read_bytes())
    return dict(comment for one in described.file for comment in _comments(one))


def _comments(file: FileDescriptorProto) -> Iterator[tuple[str, str]]:
    for location in file.source_code_info.location:
        comment = " ".join(location.leading_comments.split())
        match tuple(location.path):
            case (4, message):
                yield file.message_type[message].name, comment
            case (4, message, 2, field):
                yield f"{file.message_type[message].name}.{file.message_type[message].field[field].name}", comment
            case (6, service, 2, method):
                yield f"{file.service[service].name}.{file.service[service].method[method].name}", comment
