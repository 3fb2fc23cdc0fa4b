"""What is not published: records that are missing or do not verify, ids that are no names of files; and archives."""

import re
import tarfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner
from referee_client import Organiser, Refused
from referee_client.errors import Refusal
from referee_values import Ladder, LadderEntry, LadderSnapshot, Match, PlayedResult, Result

from referee.cli import main
from referee.show.publication import NotPublishable, publish_ladder
from referee.show.tarball import write_tarball

MATCH = "m1"


class FakeLadders:
    """A closed ladder without entrants, with one match."""

    def __init__(self, match: Match, title: str = "") -> None:
        self._match = match
        self._title = title

    def get(self, name: str) -> Ladder:
        return Ladder(name=name, title=self._title, closed=True)

    def matches(self, _name: str) -> list[Match]:
        return [self._match]

    def record(self, _name: str) -> str:
        return ""

    def snapshot(self, name: str) -> LadderSnapshot:
        return LadderSnapshot(ladder=self.get(name))

    def watch(self, _name: str, _after: int = 0) -> Iterator[LadderEntry]:
        yield from ()


class FakeOrganiser:
    def __init__(self, match_id: str, record: Callable[[], bytes], title: str = "") -> None:
        result = Result(played=PlayedResult())
        self.ladders = FakeLadders(Match(id=match_id, result=result), title)
        self._record = record

    def record_bytes(self, _match_id: str) -> bytes:
        return self._record()


def publish(match_id: str, record: Callable[[], bytes]) -> Any:
    return publish_ladder(cast(Organiser, FakeOrganiser(match_id, record)), "main")


def record_of(folder: Path) -> bytes:
    file = folder / "record.jsonl"
    result = CliRunner().invoke(main, ["play", "alquerque", "--seed", "1", "--record", str(file)])
    assert result.exit_code == 0, result.output
    return file.read_bytes()


def test_a_record_that_verifies_is_published(tmp_path: Path) -> None:
    record = record_of(tmp_path)
    publication = publish(MATCH, lambda: record)
    assert publication.files[f"records/{MATCH}.jsonl"] == record
    assert f"site/matches/{MATCH}.html" in publication.files


def test_a_title_is_only_text_in_the_readme_of_the_archive(tmp_path: Path) -> None:
    title = (
        "Cup (2026) ![x](https://evil.example/x) <img src=y> [**win**](//evil.example) www.evil.example &lt; `z` {sums}"
    )
    organiser = FakeOrganiser(MATCH, partial(record_of, tmp_path), title)
    heading = publish_ladder(cast(Organiser, organiser), "main").files["README.md"].decode().splitlines()[0]
    assert re.sub(r"\\([!-/:-@[-`{-~])", r"\1", heading) == f"# {title}"
    assert not re.search(r"(?<!\\)[!\[\]<>*_`&.:{}]", heading)


def test_an_edited_record_is_not_published(tmp_path: Path) -> None:
    edited = record_of(tmp_path).replace(b'"seat":0', b'"seat":1', 1)
    with pytest.raises(NotPublishable, match="the record of m1 does not verify: edited"):
        publish(MATCH, lambda: edited)


def test_a_record_that_the_server_does_not_have_is_named() -> None:
    def refuse() -> bytes:
        raise Refused(Refusal("MATCH_ARCHIVED", "it is archived"))

    with pytest.raises(NotPublishable, match="the record of m1 cannot be read: it is archived"):
        publish(MATCH, refuse)


def test_an_id_that_is_a_path_is_rejected() -> None:
    with pytest.raises(NotPublishable, match="cannot be the name of a file"):
        publish("../m1", lambda: b"")


def test_the_order_of_the_contents_of_an_archive_does_not_matter(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    write_tarball(first, "cup", {"a": b"1", "b/c": b"2"}, 5)
    write_tarball(second, "cup", {"b/c": b"2", "a": b"1"}, 5)
    assert first.read_bytes() == second.read_bytes()
    with tarfile.open(first) as archive:
        assert archive.getnames() == ["cup/a", "cup/b/c"]


def test_an_archive_in_a_folder_that_does_not_exist_is_an_error_and_no_part_is_left(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        write_tarball(tmp_path / "missing" / "cup", "cup", {}, 0)
    assert list(tmp_path.iterdir()) == []
