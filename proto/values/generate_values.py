"""Makes the values of the contract: one frozen class for each message that is more than a request or a response.

    python generate_values.py FOLDER    write the modules to FOLDER, beside `value.py`, which is written by hand

`proto/generate.py` runs it. The types of fields and what they default to: docs/decisions/values.md.
"""

import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path
from textwrap import wrap

from contract_files import comments_of, contract_files
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)

Field = FieldDescriptorProto
PACKAGE = "referee_values"
BY_HAND = "value"
TIMESTAMP = ".google.protobuf.Timestamp"
LINE_CHARS = 120
SCALARS = {
    Field.TYPE_BOOL: ("bool", "False"),
    Field.TYPE_BYTES: ("bytes", 'b""'),
    Field.TYPE_DOUBLE: ("float", "0.0"),
    Field.TYPE_INT32: ("Int32", "0"),
    Field.TYPE_INT64: ("Int64", "0"),
    Field.TYPE_STRING: ("str", '""'),
    Field.TYPE_UINT32: ("Count", "0"),
    Field.TYPE_UINT64: ("Count64", "0"),
}
UPPER_CASE = ("ErrorReason",)
"""Enums whose words are written as in error messages and documents."""


def generate(folder: Path) -> None:
    files = [file for file in contract_files() if not file.extension]
    methods = [method for file in files for service in file.service for method in service.method]
    left_out = {name.rpartition(".")[2] for method in methods for name in (method.input_type, method.output_type)}
    modules = {Path(file.name).stem: Module(file, left_out) for file in files}
    homes = {name: stem for stem, module in modules.items() for name in module.names}
    homes |= dict.fromkeys(("Count", "Count64", "EMPTY", "Int32", "Int64", "Timestamp", "Value", "normal"), BY_HAND)
    for old in folder.glob("*.py"):
        if old.stem != BY_HAND:
            old.unlink()
    for stem, module in modules.items():
        if module.names:
            (folder / f"{stem}.py").write_text(module.text(homes), encoding="utf-8")
    lines = ['"""The values of the contract: its messages as immutable objects."""', *imports(homes, homes)]
    lines.append(f"__all__ = {sorted(homes, key=lambda name: (kind_rank(name), name))!r}")
    (folder / "__init__.py").write_text("\n".join(lines), encoding="utf-8")
    ruff = [str(Path(sys.executable).with_name("ruff")), "format", "--quiet", "--isolated"]
    options = ["--line-length", str(LINE_CHARS), "--target-version", "py311"]
    subprocess.run([*ruff, *options, *map(str, folder.glob("*.py"))], check=True)


def kind_rank(name: str) -> int:
    """Return 0 for a constant, 1 for a class, 2 for a function: linters sort by this, and then by the name."""
    return 0 if name.isupper() else 1 if name[0].isupper() else 2


def imports(names: Collection[str], homes: Mapping[str, str]) -> Iterator[str]:
    ordered = sorted(names, key=lambda name: (kind_rank(name), name.lower()))
    for module in sorted({homes[name] for name in names}):
        yield f"from {PACKAGE}.{module} import {', '.join(name for name in ordered if homes[name] == module)}"


class Module:
    """The module of one file of the contract."""

    def __init__(self, file: FileDescriptorProto, left_out: set[str]) -> None:
        self._file = file
        self._comments = comments_of(file)
        self._messages = {message.name: message for message in file.message_type if message.name not in left_out}
        self.names = {enum.name for enum in file.enum_type} | self._messages.keys()
        self._used: set[str] = set()

    def text(self, homes: Mapping[str, str]) -> str:
        body = [line for enum in self._file.enum_type for line in self._enum(enum)]
        # A default is an empty value of another class, which must be defined before. A cycle is an error here.
        needed = {
            name: [field.type_name.rpartition(".")[2] for field in message.field]
            for name, message in self._messages.items()
        }
        for name in TopologicalSorter(needed).static_order():
            if name in self._messages:
                body += self._class(self._messages[name])
        used = self._used - self.names
        standard = [("collections.abc", "Mapping"), ("typing", "Literal")]
        lines = docstring(self._comments[""])
        lines += [f"from {module} import {name}" for module, name in standard if name in used]
        lines += ["", *imports(used & homes.keys(), homes)]
        return "\n".join([*lines, *body, ""])

    def _enum(self, enum: EnumDescriptorProto) -> Iterator[str]:
        self._used.add("Literal")
        prefix = enum.value[0].name.removesuffix("UNSPECIFIED")
        words = ["", *(value.name.removeprefix(prefix) for value in enum.value[1:])]
        words = words if enum.name in UPPER_CASE else [word.lower() for word in words]
        yield f"{enum.name} = Literal{words!r}"
        comments = [self._comments[f"{enum.name}.{value.name}"] for value in enum.value]
        items = [f'- `"{word}"`: {comment}' for word, comment in zip(words, comments, strict=True)]
        yield from docstring("\n\n".join([self._comments[enum.name], *items]))

    def _class(self, message: DescriptorProto) -> Iterator[str]:
        self._used.add("Value")
        yield f"class {message.name}(Value, frozen=True, kw_only=True):"
        yield from docstring(self._comments[message.name], "    ")
        maps = {entry.name: entry for entry in message.nested_type if entry.options.map_entry}
        for field in message.field:
            kind, default = self._type(field, maps)
            yield f"    {field.name}: {kind} = {default}"
            yield from docstring(self._comments[f"{message.name}.{field.name}"], "    ")
        for number, oneof in enumerate(message.oneof_decl):
            members = [it for it in message.field if it.HasField("oneof_index") and it.oneof_index == number]
            if not members[0].proto3_optional:
                kinds = dict.fromkeys(self._base(member)[0] for member in members)
                yield "    @property"
                yield f"    def {oneof.name}(self) -> {' | '.join(kinds)} | None:"
                yield from docstring(self._comments[f"oneof {message.name}.{oneof.name}"], "        ")
                yield f"        return {' or '.join(f'self.{member.name}' for member in members)}"

    def _type(self, field: Field, maps: Mapping[str, DescriptorProto]) -> tuple[str, str]:
        """Return the annotation and the default of a field."""
        if entry := maps.get(field.type_name.rpartition(".")[2]):
            self._used |= {"EMPTY", "Mapping"}
            return f"Mapping[{', '.join(self._base(part)[0] for part in entry.field)}]", "EMPTY"
        kind, default = self._base(field)
        if field.label == Field.LABEL_REPEATED:
            return f"tuple[{kind}, ...]", "()"
        if field.HasField("oneof_index") or field.type_name == TIMESTAMP:
            return f"{kind} | None", "None"
        return kind, default

    def _base(self, field: Field) -> tuple[str, str]:
        """Return the type of one content of a field, and the empty value of that type."""
        if field.type in SCALARS:
            kind, default = SCALARS[field.type]
        else:
            kind = field.type_name.rpartition(".")[2]
            default = '""' if field.type == Field.TYPE_ENUM else f"{kind}()"
        self._used.add(kind)
        return kind, default


def docstring(comment: str, indent: str = "") -> list[str]:
    """Return the lines of a comment of the contract as a docstring."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in comment.split("\n\n")]
    line = f'{indent}"""{paragraphs[0]}"""'
    if len(paragraphs) == 1 and len(line) <= LINE_CHARS:
        return [line]
    lines: list[str] = []
    for paragraph in paragraphs:
        is_item = paragraph.startswith("- ")
        lines += [""] if lines and not (is_item and lines[-1].lstrip().startswith(("- ", "  "))) else []
        hanging = indent + "  " * is_item
        start = indent if lines else f'{indent}"""'
        # The formatter moves the closing quotes into a line that is alone.
        lines += wrap(paragraph, LINE_CHARS - 3, initial_indent=start, subsequent_indent=hanging)
    return [*lines, f'{indent}"""']


if __name__ == "__main__":
    generate(Path(sys.argv[1]))
