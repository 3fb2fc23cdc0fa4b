"""The files of the contract as the compiler of protobuf describes them, with the comments that stubs do not have."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

PROTO = Path(__file__).resolve().parents[1]


def contract_files() -> list[FileDescriptorProto]:
    """Return all files of the contract, in the order of their names."""
    protos = [str(path) for path in sorted((PROTO / "referee_api" / "v1").glob("*.proto"))]
    with tempfile.NamedTemporaryFile() as file:
        options = [f"--proto_path={PROTO}", "--include_source_info", f"--descriptor_set_out={file.name}"]
        subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *options, *protos], check=True)
        return sorted(FileDescriptorSet.FromString(Path(file.name).read_bytes()).file, key=lambda it: it.name)


def comments_of(file: FileDescriptorProto) -> dict[str, str]:
    """Return the comments by name.

    The names are such as `Match`, `Match.id`, `oneof Result.kind` and `MatchService.GetMatch`, and "" for the file.
    """
    return dict(_comments(file))


def _comments(file: FileDescriptorProto) -> Iterator[tuple[str, str]]:
    for location in file.source_code_info.location:
        comment = location.leading_comments
        match tuple(location.path):
            case (12,):
                yield "", comment
            case (4, message):
                yield file.message_type[message].name, comment
            case (4, message, 2, field):
                yield f"{file.message_type[message].name}.{file.message_type[message].field[field].name}", comment
            case (4, message, 8, oneof):
                owner = file.message_type[message]
                yield f"oneof {owner.name}.{owner.oneof_decl[oneof].name}", comment
            case (5, enum):
                yield file.enum_type[enum].name, comment
            case (5, enum, 2, value):
                yield f"{file.enum_type[enum].name}.{file.enum_type[enum].value[value].name}", comment
            case (6, service, 2, method):
                yield f"{file.service[service].name}.{file.service[service].method[method].name}", comment
