"""`referee tournament publish` and `referee ladder publish` on a real server: contents, reproducibility, and checks."""

import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from click.testing import Result

from tests.cli.runner import output_of
from tests.e2e.contests import create_ladder, join_ladder, play_match, start_tournament
from tests.e2e.organiser import Organiser
from tests.e2e.test_operator_commands import run_command
from tests.show.parsed_page import ParsedPage

pytestmark = pytest.mark.slow


def publish(organiser: Organiser, kind: str, file: Path) -> Result:
    return run_command(organiser, organiser.token, kind, "publish", organiser.name, "--out", str(file))


def finish_tournament(organiser: Organiser) -> str:
    start_tournament(organiser, title="The <b>first</b> cup")
    match_id = play_match(organiser)
    for response in organiser.call("TournamentService/WatchTournament", tournament=organiser.name):
        assert response.items
    return match_id


def publish_and_extract(organiser: Organiser, kind: str, folder: Path) -> tuple[str, Path]:
    """Publish a contest; return what the command prints, and the folder that is in the file."""
    done = publish(organiser, kind, folder / "published.tar.gz")
    assert done.exit_code == 0, done.output
    with tarfile.open(folder / "published.tar.gz") as archive:
        archive.extractall(folder / "extracted", filter="data")
    (extracted,) = (folder / "extracted").iterdir()
    return done.output, extracted


def read_csv(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))


def test_a_finished_tournament_is_published_and_checked_by_the_commands_of_its_readme(
    organiser: Organiser, tmp_path: Path
) -> None:
    match_id = finish_tournament(organiser)
    output, folder = publish_and_extract(organiser, "tournament", tmp_path)
    assert "1 match" in output
    assert folder.name == organiser.name
    for path in ("README.md", "key.txt", "log.jsonl", "site/index.html", f"site/matches/{match_id}.html"):
        assert (folder / path).stat().st_size
    rows = read_csv(folder / "tables/standings.csv")
    assert [(row["entrant"], row["points"]) for row in rows] == [(organiser.bots[0], "1.0"), (organiser.bots[1], "0.0")]
    (pairing,) = read_csv(folder / "tables/pairings.csv")
    assert (pairing["round"], pairing["matches"]) == ("1", match_id)
    assert json.loads((folder / "tables/tournament.json").read_text())["phase"] == "finished"
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    kinds = [line["event"]["kind"] for line in lines[1:-1]]
    assert (kinds[0], kinds[-2:]) == ("tournament_created", ["tournament_ended", "standings"])
    for page in (folder / "site").rglob("*.html"):
        html = page.read_text(encoding="utf-8")
        assert "<b>first</b>" not in html
        assert_links_lead_to_files(page, ParsedPage(html))
    commands = re.findall(r"^\$ (.*)$", (folder / "README.md").read_text(), re.MULTILINE)
    assert len(commands) == 2
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for command in commands:
        subprocess.run(command, shell=True, cwd=folder, env=environment, check=True)  # The commands use wildcards.


def assert_links_lead_to_files(page: Path, parsed: ParsedPage) -> None:
    ids = {attributes.get("id") for _, attributes in parsed.tags}
    targets = [attributes.get("href") or "" for tag, attributes in parsed.tags if tag == "a"]
    assert targets
    for target in targets:
        path, _, anchor = target.partition("#")
        assert (page.parent / path).exists()
        assert path or anchor in ids


def test_a_publication_is_the_same_byte_for_byte_and_has_fixed_headers(organiser: Organiser, tmp_path: Path) -> None:
    finish_tournament(organiser)
    first, second = tmp_path / "a.tar.gz", tmp_path / "b.tar.gz"
    for file in (first, second):
        assert publish(organiser, "tournament", file).exit_code == 0
    data = first.read_bytes()
    assert data == second.read_bytes()
    assert data[3:8] == bytes(5), "neither a name nor a time"
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(data))) as archive:
        members = archive.getmembers()
    assert [item.name for item in members] == sorted(item.name for item in members)
    assert {(item.mode, item.uid, item.gid, item.uname, item.gname) for item in members} == {(0o644, 0, 0, "", "")}
    assert len({item.mtime for item in members}) == 1


def test_a_closed_ladder_is_published(organiser: Organiser, tmp_path: Path) -> None:
    create_ladder(organiser)
    join_ladder(organiser, 0, 1)
    match_id = play_match(organiser)
    early = publish(organiser, "ladder", tmp_path / "early.tar.gz")
    assert (early.exit_code, "is not closed" in early.output, [*tmp_path.iterdir()]) == (1, True, [])
    organiser.call("LadderService/CloseLadder", ladder=organiser.name)
    follow_until_closed(organiser)
    _, folder = publish_and_extract(organiser, "ladder", tmp_path)
    assert (folder / f"records/{match_id}.jsonl").exists()
    rows = read_csv(folder / "tables/standings.csv")
    assert {row["entrant"] for row in rows} == {*organiser.bots}  # Lots decide on the seats, and so on the winner.
    assert float(rows[0]["rating"]) > float(rows[1]["rating"])
    folders = ("--records", folder / "records", "--key", folder / "key.txt")
    assert f"fine: ladder/{organiser.name}" in output_of("verify", *folders, folder / "log.jsonl")


def follow_until_closed(organiser: Organiser) -> None:
    """Wait until the ladder is closed; decide a match that it had started before."""
    watching = organiser.call("LadderService/WatchLadder", ladder=organiser.name)
    for match in organiser.call("MatchService/ListMatches", ladder=organiser.name, phase="MATCH_PHASE_PLAYING").matches:
        organiser.call_as_admin(
            "AdminService/VoidMatch", request_id=f"void {match.id}", match_id=match.id, message="the ladder closes"
        )
    assert list(watching)


def test_an_unfinished_tournament_is_not_published_and_no_file_is_left(organiser: Organiser, tmp_path: Path) -> None:
    start_tournament(organiser)
    file = tmp_path / "cup.tar.gz"
    refused = publish(organiser, "tournament", file)
    assert (refused.exit_code, "is not finished" in refused.output) == (1, True)
    assert list(tmp_path.iterdir()) == []
