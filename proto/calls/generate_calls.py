"""Makes what the clients in Go and Rust have for each call of the contract but `Play`: methods, and types of their own.

    python proto/calls/generate_calls.py [FOLDER]

FOLDER defaults to `clients/`. The tools `gofmt` and `rustfmt` must be on the path.
"""

import sys
from pathlib import Path

from contract_model import PROTO, read_contract
from go_calls import go_files
from rust_calls import rust_files


def main(arguments: list[str]) -> None:
    folder = Path(*arguments) if arguments else PROTO.parent / "clients"
    contract = read_contract()
    for language, files in (("go", go_files(contract)), ("rust", rust_files(contract))):
        for name, text in files.items():
            path = folder / language / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
