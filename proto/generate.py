"""Makes the Python stubs and the values of the contract.

    python generate.py [FOLDER]     write them below FOLDER; default: python/ beside this file
    python generate.py --check      write nothing; name what is stale, and exit with 1 if anything is

The interpreter that runs this must have grpcio-tools, mypy-protobuf and ruff. The same tools give the same bytes. The
version of grpcio-tools decides which runtimes the stubs accept: docs/decisions/clients.md.
"""

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

PROTO = Path(__file__).resolve().parent
STUBS = PROTO / "python"
PACKAGE = Path("referee_api", "v1")
GENERATED = "*_pb2*.py*"
VALUES = "referee_values"
BY_HAND = "value.py"
"""The module of the values that is not generated."""


def main(arguments: list[str]) -> int:
    if not find_spec("grpc_tools"):
        print("grpcio-tools is not installed; the pinned version is there for Python 3.11 to 3.13 only")
        return 1
    match arguments:
        case ["--check"]:
            return check()
        case [] | [_] if not any(argument.startswith("-") for argument in arguments):
            generate(Path(*arguments).resolve() if arguments else STUBS)
            return 0
    print(__doc__)
    return 2


def check() -> int:
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        fresh, committed = read(Path(folder)), read(STUBS)
    stale = sorted(name for name in fresh.keys() | committed.keys() if fresh.get(name) != committed.get(name))
    for name in stale:
        print(f"stale: {STUBS / name}")
    return 1 if stale else 0


def read(folder: Path) -> dict[str, bytes]:
    files = [*(folder / PACKAGE).glob(GENERATED), *(folder / VALUES).glob("*.py")]
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files if file.name != BY_HAND}


def generate(folder: Path) -> None:
    for stale in (folder / PACKAGE).glob(GENERATED):
        stale.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    protos = sorted(path.relative_to(PROTO).as_posix() for path in (PROTO / PACKAGE).glob("*.proto"))
    protoc(protos, f"--python_out={folder}", f"--mypy_out=quiet:{folder}")
    # Only files with a service: the others would get modules with nothing in them.
    services = [proto for proto in protos if proto.endswith("_service.proto")]
    protoc(services, f"--grpc_python_out={folder}", f"--mypy_grpc_out=quiet:{folder}")
    (folder / VALUES).mkdir(exist_ok=True)
    subprocess.run([sys.executable, str(PROTO / "values" / "generate_values.py"), str(folder / VALUES)], check=True)


def protoc(protos: list[str], *outputs: str) -> None:
    plugins = [
        f"--plugin=protoc-gen-{name}={Path(sys.executable).with_name(f'protoc-gen-{name}')}"
        for name in ("mypy", "mypy_grpc")
    ]
    command = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={PROTO}", *plugins, *outputs, *protos]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
