"""Conversion of values of the client to a report and to text, and saved reports."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import referee_values as values
from msgspec import convert
from referee_client.organiser.responses import TournamentTable
from referee_values import (
    BotRef,
    Entrant,
    Forfeit,
    ForfeitedResult,
    Ladder,
    LadderEntry,
    LadderStanding,
    Match,
    PlayedResult,
    RatingPoint,
    Result,
    Rules,
    Seat,
    SeatLayout,
    Side,
    SideResult,
    SprtState,
    TieBreakValue,
    Tournament,
    TournamentEntry,
    TournamentStanding,
)

from referee.records.packed_records import PackedRecords
from referee.show.collector import ReportDataMissing, read_saved_report
from referee.show.formatting import local_moment
from referee.show.record_statistics import RecordStatistics
from referee.show.report import End, Rating
from referee.show.report_builder import build_ladder_report, build_tournament_report
from referee.show.value_conversion import EntrantIndex, entry_line, finished_games, rules_text
from tests.records.forgery import record_of
from tests.records.matches import short_match

TWO_SIDES = SeatLayout(sides=(Side(seats=(0,)), Side(seats=(1,))))

PAIRING: dict[str, Any] = {"id": "3.1", "entrants": ["anna", "bert"]}
TEAMS: dict[str, Any] = {"id": "1.1", "entrants": ["reds", "blues"]}
DONE = PAIRING | {"phase": "done", "points": [0.5, 0.5]}


def entrant(bot: str, version: str = "", name: str = "") -> Entrant:
    return Entrant(name=name or bot, bots=(BotRef(bot=bot, version=version),))


def match(first_bot: str, second_bot: str, result: Result, at: int = 0, version: str = "") -> Match:
    seats = (Seat(bot=first_bot, version=version), Seat(bot=second_bot, version=version))
    return Match(
        id=f"{first_bot}-{second_bot}-{at}",
        seat_layout=TWO_SIDES,
        seats=seats,
        result=result,
        end_time=datetime.fromtimestamp(at / 1_000, UTC),
    )


def won(*ranks: int) -> Result:
    return Result(
        played=PlayedResult(ending="rules", reason="no_men"), sides=tuple(SideResult(rank=rank) for rank in ranks)
    )


def test_finished_games_are_sorted_by_their_end_and_name_entrants() -> None:
    forfeit = Result(
        forfeited=ForfeitedResult(forfeits=(Forfeit(seat=1, cause="time", ply=3),)),
        sides=(SideResult(rank=1), SideResult(rank=2)),
    )
    in_play = Match(seat_layout=TWO_SIDES, seats=(Seat(bot="anna"), Seat(bot="bert")))
    matches = [match("bert", "anna", won(2, 1), 2), match("anna", "bert", forfeit, 1), in_play]
    first, second = finished_games(matches, EntrantIndex([entrant("anna", name="A"), entrant("bert")]))
    assert (first.sides, first.ranks, first.end) == ((("A",), ("bert",)), (1, 2), End("forfeited", "time"))
    assert first.at_fault == ("bert",)
    assert second.end == End("played", "no_men")


def test_entrants_are_found_by_version_or_by_bot_if_no_version_is_given() -> None:
    index = EntrantIndex([entrant("anna", "1", "old"), entrant("anna", "2", "new"), entrant("bert")])
    assert [index.find("anna", "1"), index.find("anna", "2"), index.find("bert", "7")] == ["old", "new", "bert"]
    assert index.find("carl", "") is None


def test_a_match_with_another_bot_is_omitted() -> None:
    assert finished_games([match("anna", "carl", won(1, 2))], EntrantIndex([entrant("anna")])) == ()


def test_only_options_other_than_the_defaults_are_printed() -> None:
    options = {"huff": "true", "multi_pawn": "false"}
    assert rules_text(Rules(game="alquerque", options=options)).startswith("alquerque, huff=true")
    assert rules_text(Rules(game="nobody-knows-it", options={"b": "2", "a": "1"})) == "nobody-knows-it, a=1, b=2"


def test_a_tournament_report_has_standings_tie_breaks_and_rating_histories() -> None:
    tie_break = TieBreakValue(tie_break="median_buchholz", value=0.5)
    first = TournamentStanding(rank=1, entrant="anna", points=1, wins=1, tie_breaks=(tie_break,))
    second = TournamentStanding(rank=2, entrant="bert", losses=1)
    sprt = SprtState(verdict="passed", counts=(0, 0, 1), llr=3, matches=1)
    table = TournamentTable(standings=(first, second), sprt=sprt)
    tournament = Tournament(name="cup", entrants=(entrant("anna"), entrant("bert")), phase="finished")
    report = build_tournament_report(
        tournament, table, [match("anna", "bert", won(1, 2))], RecordStatistics(lambda *_: None), frozenset()
    )
    assert report.tie_breaks == ("median buchholz",)
    assert report.rows[0].tie_breaks == (0.5,)
    assert dict(report.facts)["State"] == "finished"
    assert report.histories["anna"][0].value > report.histories["bert"][0].value
    assert report.sprt
    assert (report.sprt.verdict, report.sprt.llr) == ("passed", 3)


def test_a_ladder_report_has_the_ratings_of_the_ladder() -> None:
    rating = values.Rating(value=1600, deviation=50, provisional=True)
    row = LadderStanding(rank=1, entrant=entrant("anna"), rating=rating, wins=3)
    point = RatingPoint(rating=rating)
    report = build_ladder_report(Ladder(name="main"), [row], [], {"anna": [point]}, RecordStatistics(lambda *_: None))
    assert report.rows[0].rating == Rating(1600, 50, provisional=True)
    assert report.rows[0].points is None
    assert report.histories["anna"][0].value == 1600


def test_a_folder_without_report_data_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReportDataMissing, match=r"is not the folder of a tournament run"):
        read_saved_report(tmp_path)
    for text in ("{}", "[]", "no"):
        (tmp_path / "report-data.json").write_text(text)
        with pytest.raises(ReportDataMissing, match="cannot be read"):
            read_saved_report(tmp_path)


def test_the_error_names_a_record_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "report-data.json").write_text('{"tournament": {}, "table": {}, "matches": {}}')
    (tmp_path / "records" / "1.1.1.jsonl").mkdir(parents=True)
    with pytest.raises(ReportDataMissing, match=r"1\.1\.1\.jsonl: it cannot be read: Is a directory"):
        read_saved_report(tmp_path)


SPRT = {
    "counts": [1, 2, 3],
    "llr": 1.5,
    "llr_lower": -2.94,
    "llr_upper": 2.94,
    "estimate": {"elo": 12, "low_elo": -8, "high_elo": 32},
}
CHANGE = {"bot": "anna", "before": {"value": 1500}, "after": {"value": 1512}}
LINES: list[tuple[dict[str, Any], str]] = [
    ({"created": {"name": "cup"}}, "cup was created"),
    ({"entrant_joined": {"entrant": {"name": "anna"}}}, "anna joined"),
    ({"entrant_left": {"entrant": "anna", "message": "ill"}}, "anna left: ill"),
    ({"round_started": {"round": 2}}, "round 2 started"),
    ({"pairings_planned": {"pairings": [DONE]}}, "1 pairing planned"),
    ({"pairing": DONE}, "3.1: anna ½, bert ½"),
    ({"pairing": PAIRING | {"phase": "playing"}}, "3.1: anna - bert is being played"),
    (
        {"pairing": PAIRING | {"phase": "planned", "not_before": datetime.fromtimestamp(60, UTC)}},
        f"3.1: anna - bert is planned, not before {local_moment(60_000)}",
    ),
    ({"pairing": {"id": "3.2", "entrants": ["carl"], "phase": "done", "points": [1]}}, "3.2: carl has a bye"),
    ({"sprt": SPRT}, "LLR 1.50 (−2.94, 2.94), +12 Elo (−8 to +32), 1-2-3"),
    ({"ended": {"phase": "finished"}}, "finished"),
    ({"ended": {"phase": "cancelled", "message": "rain"}}, "cancelled: rain"),
    (
        {
            "entrants_absent": {
                "pairing": PAIRING | {"phase": "done", "points": [1, 0], "absent_entrants": ["bert"]},
                "message": "not connected for 600 s",
            }
        },
        "3.1: anna 1, bert 0 (bert absent): not connected for 600 s",
    ),
    (
        {
            "entrants_absent": {
                "pairing": TEAMS | {"phase": "playing", "absent_boards": [{"board": 2, "entrants": ["blues"]}]},
                "message": "paused for 600 s",
            }
        },
        "1.1: reds - blues is being played (blues on board 2 absent): paused for 600 s",
    ),
    (
        {
            "pairing": TEAMS
            | {
                "phase": "done",
                "points": [2, 0],
                "absent_entrants": ["blues"],
                "absent_boards": [{"board": board, "entrants": ["blues"]} for board in (1, 2)],
            }
        },
        "1.1: reds 2, blues 0 (blues absent)",
    ),
    (
        {"versions_frozen": {"entrants": [{"name": "a", "bots": [{"bot": "anna", "version": "1.4"}]}]}},
        "versions frozen: anna/1.4",
    ),
    ({"match_rated": {"match_id": "m", "ratings": [CHANGE]}}, "m: anna 1512 (+12)"),
    ({"season_started": {"season": 2}}, "season 2 started"),
    ({"closed": {"message": "thanks"}}, "closed: thanks"),
    ({}, "unknown event; this program is older than the referee"),
]


@pytest.mark.parametrize(("event", "line"), LINES)
def test_an_entry_is_formatted_as_one_line(event: dict[str, Any], line: str) -> None:
    kind: Any = TournamentEntry if event.keys() <= set(TournamentEntry.__struct_fields__) else LadderEntry
    assert entry_line(convert(event, kind)) == line


@pytest.mark.parametrize("entry", [TournamentEntry, LadderEntry])
def test_every_kind_of_entry_has_a_line(entry: Any) -> None:
    events = {name: get_args(hint)[0] for name, hint in get_type_hints(entry).items() if get_args(hint)}
    del events["create_time"]
    assert len(events) > 10
    assert [name for name, event in events.items() if "unknown event" in entry_line(entry(**{name: event()}))] == []


def test_records_of_a_results_folder_may_be_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    added: list[bytes] = []
    monkeypatch.setattr(RecordStatistics, "add_record", lambda _, record: added.append(record))
    (tmp_path / "report-data.json").write_text('{"tournament": {}, "table": {}, "matches": {}}')
    (tmp_path / "records").mkdir()
    first, second = (record_of(short_match(match_id=name)) for name in "ab")
    (tmp_path / "records" / "1.jsonl").write_bytes(first)
    packed_file = tmp_path / "records" / "2.pack"
    with PackedRecords(packed_file) as packed:
        packed.append(second)
    read_saved_report(tmp_path)
    assert added == [first, second]

    whole = packed_file.read_bytes()
    packed_file.write_bytes(whole[:-1])
    with pytest.raises(ReportDataMissing, match=r"2\.pack: its last \d+ bytes are of records"):
        read_saved_report(tmp_path)
    packed_file.write_bytes(whole)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(ReportDataMissing, match="require the package zstandard"):
        read_saved_report(tmp_path)
