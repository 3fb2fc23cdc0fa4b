"""Records of ladders and tournaments: all that follows is computed again, and the first difference is named."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from referee_values import DuplicatePlay, Elimination, RoundRobin, Swiss

from referee.cli import main
from referee.contests.ladder.events import LadderClosureFinished, MatchRated, PairingPlanned
from referee.contests.pairing import ContestMatchScored, ContestMatchVoided, DuplicateSets
from referee.contests.strength.rating import FinishOrder
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.tournament.commands import RequestBye
from referee.contests.tournament.tournament_terms import Pools, SprtTrial
from referee.hosting.contest_log import ContestEntry
from referee.match.setup import Player
from referee.records.record_format import MAX_CONTEST_LINE_BYTES
from referee.records.record_reader import RecordStatus, VerificationResult
from referee.records.verify_contest import verify_any
from tests.hosting.ladder_harness import ladder_terms
from tests.records.changed_values import changed, leaves, with_leaf
from tests.records.contests import PlayedContest, contest_record, played_cup, played_ladder, run
from tests.records.forgery import OTHER_KEY, lines_of, resigned
from tests.records.matches import find_game

BYES = (
    RequestBye("d", 1, "half_point", "org"),
    RequestBye("e", 2, "zero_point", "org"),
    RequestBye("e", 2, "none", "org"),
    RequestBye("e", 3, "half_point", "org"),
)

CONTESTS: dict[str, Callable[[], PlayedContest]] = {
    "ladder": lambda: run(played_ladder(ladder_terms())),
    "ladder of two games": lambda: run(played_ladder(ladder_terms("nim", "stones"))),
    "ladder of sets": lambda: run(played_ladder(ladder_terms(duplicate_play=DuplicatePlay()))),
    "swiss": lambda: run(played_cup(Swiss(rounds=3), *"abcdefg", seeding="random")),
    "swiss of sets": lambda: run(played_cup(Swiss(rounds=3), *"abcdef", duplicate=DuplicateSets(2))),
    "round robin of sets": lambda: run(played_cup(RoundRobin(), *"abc", duplicate=DuplicateSets(2))),
    "round robin": lambda: run(played_cup(RoundRobin(cycles=2), *"abcde")),
    "knock-out": lambda: run(played_cup(Elimination(double_elimination=True, third_place_match=False), *"abcdef")),
    "swiss with byes": lambda: run(
        played_cup(
            Swiss(rounds=3), *"abcdefg", byes=BYES, max_requested_byes=2, forbidden_pairs=(("a", "b"), ("a", "c"))
        )
    ),
    "swiss with a play-off": lambda: run(played_cup(Swiss(rounds=1), *"abcd", play_off_entrants=4)),
    "pools by a design": lambda: run(played_cup(Pools(4, 3), *"abcdefghi", game="fingers")),
    "pools": lambda: run(played_cup(Pools(3, 3), *"abcdefg", game="fingers")),
    "trial": lambda: run(played_cup(SprtTrial(SprtParameters(50, max_matches=20)), "a", "b")),
}

INPUTS = {
    "ladder_created": ("title", "organiser", "request_id", "terms"),
    "tournament_created": ("title", "organiser", "request_id", "entrants", "terms"),
    "entrant_joined": ("entrant.invited", "entrant.owners", "entrant.rating", "entrant.bots.0.version"),
    "pairing_planned": ("planning", "challenge"),
    "match_rated": ("at_ms",),
    "season_started": ("request",),
    "entrant_left": ("message",),
    "ladder_closing": ("message",),
    "tournament_ended": ("message",),
    "bye_requested": ("round", "bye", "by"),
}
"""Values by kind that nothing else determines, so that another value may be just as possible."""
SHOWN_LATER = {"entrant_joined", "entrant_left", "match_started", "versions_frozen"}
"""Kinds of events of which only what follows shows that they are wrong."""


@cache
def contest(name: str) -> PlayedContest:
    return CONTESTS[name]()


def verdict_on(data: bytes, folder: Path, key: str | None = None, records: Path | None = None) -> VerificationResult:
    file = folder / "contest.jsonl"
    file.write_bytes(data)
    return verify_any(file, key, find_game, records)


@pytest.mark.parametrize("name", CONTESTS)
def test_a_contest_that_was_played_by_the_host_is_fine(name: str, tmp_path: Path) -> None:
    verdict = contest(name).verdict(tmp_path)
    assert verdict.status is RecordStatus.FINE, verdict
    assert f"{len(contest(name).records)} results as in the records" in verdict.sentence
    without = verdict_on(contest_record(contest(name).entries), tmp_path)
    assert "results not compared with the records of the matches" in without.sentence


def test_the_record_has_no_request_ids_and_ends_with_the_standings_of_each_season() -> None:
    data = contest_record(contest("ladder").entries)
    assert b"org/" not in data
    assert b'"r1"' not in data
    seasons = [json.loads(line)["event"] for line in lines_of(data)[-3:-1]]
    assert [(event["kind"], event["season"]) for event in seasons] == [("season_standings", 1), ("season_standings", 2)]


def with_event(lines: list[bytes], at: int, event: Any) -> bytes:
    """Return the record with another event in line `at`, signed by the referee itself."""
    text = json.dumps(event, separators=(",", ":")).encode()
    line = re.sub(rb'"event":.*,"after":', lambda _: b'"event":' + text + b',"after":', lines[at])
    return resigned([*lines[:at], line, *lines[at + 1 :]])


def forgeries(data: bytes) -> Iterator[tuple[int, str, str, bytes]]:
    """Yield number, kind, path and the forged record for each value of each entry."""
    lines = lines_of(data)
    for at in range(1, len(lines) - 1):
        event = json.loads(lines[at])["event"]
        for path, value in leaves({key: part for key, part in event.items() if key not in ("v", "kind")}):
            yield at, event["kind"], path, with_event(lines, at, with_leaf(event, path, changed(value)))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "step"), [("ladder of sets", 11), ("swiss", 3), ("knock-out", 3)])
def test_every_value_that_follows_from_others_is_named_where_it_was_changed(
    name: str, step: int, tmp_path: Path
) -> None:
    """One of `step` values of all entries is changed."""
    played = contest(name)
    played.write(tmp_path)
    tried = 0
    for number, kind, path, forged in islice(forgeries(contest_record(played.entries)), 0, None, step):
        verdict = verdict_on(forged, tmp_path, records=tmp_path / "records")
        where = f"entry {number} ({kind}), {path}: {verdict}"
        if any(path.startswith(prefix) for prefix in INPUTS.get(kind, ())):
            entry = re.search(r"entry (\d+)", verdict.sentence)
            assert entry is None or int(entry[1]) >= number or verdict.status is RecordStatus.FINE, where
            continue
        tried += 1
        assert verdict.status in {RecordStatus.RULES_DIFFER, RecordStatus.RECORD_MISSING, RecordStatus.NO_RECORD}, where
        named = re.search(r"(entry|line) (\d+)", verdict.sentence)
        assert named, where
        expected = {number, number + (named[1] == "line")}
        if kind in SHOWN_LATER:
            assert int(named[2]) >= number, where
        elif path == "match_id" or path.startswith(("finish", "forfeited")):  # The score before says the same.
            assert int(named[2]) in {number - 1, *expected}, where
        else:
            assert int(named[2]) in expected, where
    assert tried > 50


def test_verifying_prints_nothing_on_standard_error(tmp_path: Path) -> None:
    """The pairing library logs a warning if a round cannot be paired, which Python prints if nothing handles it."""
    cup = played_cup(Swiss(rounds=3), *"abcd", forbidden_pairs=(("a", "d"), ("a", "c"), ("b", "c")))
    file = tmp_path / "cup.jsonl"
    file.write_bytes(contest_record(run(cup).entries))
    script = (
        "import sys; from pathlib import Path; from tests.records.matches import find_game; "
        "from referee.records.verify_contest import verify_any; "
        "print(verify_any(Path(sys.argv[1]), None, find_game, None).status.name)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(file)], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("FINE\n", "")


def test_a_changed_byte_is_found_before_anything_is_decided(tmp_path: Path) -> None:
    data = bytearray(contest_record(contest("swiss").entries))
    for at in range(0, len(data), 97):
        forged = bytes([*data[:at], data[at] ^ 1, *data[at + 1 :]])
        assert verdict_on(forged, tmp_path).status not in {RecordStatus.FINE, RecordStatus.RULES_DIFFER}, at


@pytest.mark.parametrize(
    ("name", "path", "value", "sentence"),
    [
        (
            "swiss",
            "terms.tournament.seed",
            "ff" * 32,
            r"entry 9: order\.\d of `tournament_started` is \"\w\" by the record, and \"\w\" by the rules",
        ),
        (
            "round robin of sets",
            "terms.tournament.seed",
            "ff" * 32,
            r"entry \d+: match m\w+ of \S+ has another seed by its own record",
        ),
        ("ladder", "seed", "ff" * 32, r"entry 8: pairing\.entrants\."),
        (
            "ladder of sets",
            "terms.value.duplicate_play.arrangements",
            10**9,
            "entry 1: its sets cannot have 1000000000 matches",
        ),
        ("ladder", "terms.match_terms.0.game", "nothing", "unknown game 'nothing'"),
    ],
)
def test_another_value_in_the_first_entry_is_found_where_something_follows_from_it(
    name: str, path: str, value: object, sentence: str, tmp_path: Path
) -> None:
    lines = lines_of(contest(name).write(tmp_path).read_bytes())
    event = with_leaf(json.loads(lines[1])["event"], path, value)
    verdict = verdict_on(with_event(lines, 1, event), tmp_path, records=tmp_path / "records")
    status = RecordStatus.UNKNOWN_GAME if value == "nothing" else RecordStatus.RULES_DIFFER
    assert (verdict.status, bool(re.search(sentence, verdict.sentence))) == (status, True), verdict


def swapped(entries: tuple[ContestEntry, ...], match: ContestEntry, event: Any) -> list[ContestEntry]:
    return [replace(entry, event=event) if entry is match else entry for entry in entries]


def entry_of(played: PlayedContest, kind: type) -> ContestEntry:
    return next(entry for entry in played.entries if isinstance(entry.event, kind))


def test_a_result_that_is_not_that_of_the_match_is_named(tmp_path: Path) -> None:
    played = contest("round robin")
    scored = [entry for entry in played.entries if isinstance(entry.event, ContestMatchScored)][-1]
    assert isinstance(scored.event, ContestMatchScored)
    ranks = tuple(3 - rank for rank in scored.event.score.ranks)
    event = replace(scored.event, score=replace(scored.event.score, ranks=ranks))
    sentence = played.first_difference(tmp_path, swapped(played.entries, scored, event))
    assert sentence.startswith(f"entry {scored.number}: the score of m")


def test_a_match_that_is_void_only_by_the_contest_is_named(tmp_path: Path) -> None:
    played = contest("ladder")
    scored = entry_of(played, ContestMatchScored)
    assert isinstance(scored.event, ContestMatchScored)
    at = played.entries.index(scored)
    voided = replace(scored, event=ContestMatchVoided(scored.event.pairing, scored.event.number))
    rest = [replace(entry, number=entry.number - 1) for entry in played.entries[at + 2 :]]
    ended = [*played.entries[:at], voided, *rest]
    assert "is void by the contest, and has a result" in played.first_difference(tmp_path, ended)


def test_a_rating_without_its_score_and_a_score_without_its_rating_are_named(tmp_path: Path) -> None:
    played = contest("ladder")
    rated = entry_of(played, MatchRated)
    others = [entry for entry in played.entries if entry is not rated]
    lost = [replace(entry, number=number) for number, entry in enumerate(others, 1)]
    assert "says `match_scored`, and nothing before it leads to that" in played.first_difference(tmp_path, lost)


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        (lambda *_: None, RecordStatus.RECORD_MISSING, "cannot be read: No such file"),
        (lambda record, _: resigned(lines_of(record), OTHER_KEY), RecordStatus.OTHER_KEY, "signed by"),
        (lambda _, other: other, RecordStatus.RULES_DIFFER, "is that of match"),
        (lambda record, _: record[:-20], RecordStatus.TRUNCATED, "the file ends within line"),
    ],
    ids=["missing", "other key", "another match", "cut off"],
)
def test_each_record_of_a_match_must_be_valid(
    change: Callable[[bytes, bytes], bytes | None], status: RecordStatus, words: str, tmp_path: Path
) -> None:
    played = contest("swiss")
    (first, record), (_, other) = list(played.records.items())[:2]
    changed_record = change(record, other)
    kept = {match_id: data for match_id, data in played.records.items() if match_id != first}
    verdict = PlayedContest(
        played.entries, kept if changed_record is None else {**kept, first: changed_record}
    ).verdict(tmp_path)
    assert (verdict.status, bool(re.search(r"entry \d+: the record", verdict.sentence))) == (status, True), verdict
    assert words in verdict.sentence


def without_planning(entry: ContestEntry) -> ContestEntry:
    return (
        replace(entry, event=replace(entry.event, planning=None)) if isinstance(entry.event, PairingPlanned) else entry
    )


def test_a_pairing_without_its_planning_is_not_accepted(tmp_path: Path) -> None:
    played = contest("ladder")
    planned = [entry for entry in played.entries if isinstance(entry.event, PairingPlanned) and entry.event.planning]
    entries = [without_planning(entry) if entry is planned[-1] else entry for entry in played.entries]
    sentence = played.first_difference(tmp_path, entries)
    assert sentence.startswith(f"entry {planned[-1].number}: the record says `pairing_planned`, and nothing before it")


def test_a_contest_that_is_not_over_is_not_accepted(tmp_path: Path) -> None:
    played = contest("ladder")
    assert isinstance(played.entries[-1].event, LadderClosureFinished)
    sentence = played.first_difference(tmp_path, played.entries[:-1])
    assert "says `season_standings`, and nothing before it leads to that" in sentence
    assert (
        "contest is not over"
        in verdict_on(resigned([*lines_of(contest_record(played.entries))[:-4], seal_of(played, 3)]), tmp_path).sentence
    )


def seal_of(played: PlayedContest, dropped: int) -> bytes:
    """Return the last line for a record that lacks that many entries at its end."""
    lines = lines_of(contest_record(played.entries))
    return re.sub(rb'"entries":\d+', f'"entries":{len(lines) - 2 - dropped}'.encode(), lines[-1])


def test_missing_standings_are_named(tmp_path: Path) -> None:
    played = contest("swiss")
    lines = lines_of(contest_record(played.entries))
    sentence = verdict_on(resigned([*lines[:-2], seal_of(played, 1)]), tmp_path).sentence
    assert sentence == f"entry {len(lines) - 3}: it is the last one, and by the rules `standings` follows"


def test_another_contest_than_in_the_first_line_is_named(tmp_path: Path) -> None:
    header, *others = lines_of(contest_record(contest("ladder").entries))
    sentence = verdict_on(resigned([header.replace(b"ladder/main", b"ladder/other"), *others]), tmp_path).sentence
    assert sentence == "entry 1: it creates another contest than the first line names"


def test_a_match_of_too_many_players_is_rejected(tmp_path: Path) -> None:
    lines = lines_of(contest_record(contest("ladder").entries))
    at = next(at for at, line in enumerate(lines) if b'"kind":"match_rated"' in line)
    event = json.loads(lines[at])["event"]
    crowd = FinishOrder(tuple((Player(f"bot{seat}"),) for seat in range(5_000)), (1,) * 5_000)
    event["finish"] = {
        "sides": [[{"bot": player.bot, "version": ""} for player in side] for side in crowd.sides],
        "ranks": list(crowd.ranks),
    }
    sentence = verdict_on(with_event(lines, at, event), tmp_path).sentence
    assert "a match has more players than its game has seats" in sentence


def test_deep_values_and_long_lines_are_rejected(tmp_path: Path) -> None:
    lines = lines_of(contest_record(contest("ladder").entries))
    deep = resigned(
        [
            *lines[:2],
            re.sub(rb'"event":.*,"after":', b'"event":{"v":%s},"after":' % (b"[" * 50_000), lines[2]),
            *lines[3:],
        ]
    )
    assert verdict_on(deep, tmp_path).status is RecordStatus.NO_RECORD
    long = lines[0] + b"x" * (MAX_CONTEST_LINE_BYTES + 1)
    assert verdict_on(long, tmp_path).status is RecordStatus.EDITED


def test_the_command_compares_with_the_records_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.cli.records.find", find_game)
    played = contest("swiss")
    file = played.write(tmp_path)
    done = CliRunner().invoke(main, ["verify", str(file), "--records", str(tmp_path / "records")])
    assert (done.exit_code, "fine: tournament/cup" in done.output) == (0, True), done.output
    next((tmp_path / "records").iterdir()).unlink()
    done = CliRunner().invoke(main, ["verify", str(file), "--records", str(tmp_path / "records")])
    assert (done.exit_code, "record missing" in done.output) == (14, True), done.output
    assert CliRunner().invoke(main, ["verify", str(tmp_path / "none")]).exit_code == 3
