"""Conversion of messages to a report and to text, and saved reports."""

from pathlib import Path

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from referee_api.v1 import (
    clock_pb2,
    contest_pb2,
    game_pb2,
    ladder_pb2,
    match_pb2,
    rating_pb2,
    result_pb2,
    sprt_pb2,
    tournament_pb2,
)
from referee_api.v1.tournament_service_pb2 import GetTournamentStandingsResponse

from referee.reporting.collector import ReportDataMissing, read_saved_report
from referee.reporting.formatting import local_moment
from referee.reporting.message_conversion import (
    EntrantIndex,
    Entry,
    chosen_text,
    clock_text,
    entry_line,
    finished_games,
    rules_text,
)
from referee.reporting.record_statistics import RecordStatistics
from referee.reporting.report import End, Rating
from referee.reporting.report_builder import build_ladder_report, build_tournament_report

TWO_SIDES = game_pb2.SeatLayout(sides=[game_pb2.Side(seats=[0]), game_pb2.Side(seats=[1])])
DONE = contest_pb2.Pairing(id="3.1", entrants=["anna", "bert"], phase=contest_pb2.PAIRING_PHASE_DONE, points=[0.5, 0.5])
PLAYING = contest_pb2.Pairing(id="3.1", entrants=["anna", "bert"], phase=contest_pb2.PAIRING_PHASE_PLAYING)
POSTPONED = contest_pb2.Pairing(
    id="3.1", entrants=["anna", "bert"], phase=contest_pb2.PAIRING_PHASE_PLANNED, not_before=Timestamp(seconds=60)
)
BYE = contest_pb2.Pairing(id="3.2", entrants=["carl"], phase=contest_pb2.PAIRING_PHASE_DONE, points=[1])
CHANGE = rating_pb2.RatingChange(bot="anna", before=rating_pb2.Rating(value=1500), after=rating_pb2.Rating(value=1512))
SPRT_STATE = sprt_pb2.SprtState(
    counts=[1, 2, 3],
    llr=1.5,
    llr_lower=-2.94,
    llr_upper=2.94,
    estimate=rating_pb2.EloEstimate(elo=12, low_elo=-8, high_elo=32),
)
TournamentEntry = tournament_pb2.TournamentEntry


def entrant(bot: str, version: str = "", name: str = "") -> contest_pb2.Entrant:
    return contest_pb2.Entrant(name=name or bot, bots=[match_pb2.BotRef(bot=bot, version=version)])


def match(
    first_bot: str, second_bot: str, result: result_pb2.Result, at: int = 0, version: str = ""
) -> match_pb2.Match:
    seats = [match_pb2.Seat(bot=first_bot, version=version), match_pb2.Seat(bot=second_bot, version=version)]
    message = match_pb2.Match(id=f"{first_bot}-{second_bot}-{at}", seat_layout=TWO_SIDES, seats=seats, result=result)
    message.end_time.FromMilliseconds(at)
    return message


def won(*ranks: int) -> result_pb2.Result:
    return result_pb2.Result(
        played=result_pb2.PlayedResult(ending=result_pb2.ENDING_RULES, reason="no_men"),
        sides=[result_pb2.SideResult(rank=rank) for rank in ranks],
    )


def test_finished_games_are_sorted_by_their_end_and_name_entrants() -> None:
    forfeit = result_pb2.Result(
        forfeited=result_pb2.ForfeitedResult(
            forfeits=[result_pb2.Forfeit(seat=1, cause=result_pb2.FORFEIT_CAUSE_TIME, ply=3)]
        ),
        sides=[result_pb2.SideResult(rank=1), result_pb2.SideResult(rank=2)],
    )
    in_play = match_pb2.Match(seat_layout=TWO_SIDES, seats=[match_pb2.Seat(bot="anna"), match_pb2.Seat(bot="bert")])
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
    assert rules_text(game_pb2.Rules(game="alquerque", options={"huff": "true", "multi_pawn": "false"})).startswith(
        "alquerque, "
    )
    assert "huff=true" in rules_text(game_pb2.Rules(game="alquerque", options={"huff": "true"}))
    assert (
        rules_text(game_pb2.Rules(game="nobody-knows-it", options={"b": "2", "a": "1"})) == "nobody-knows-it, a=1, b=2"
    )


def test_clocks_and_formats_are_described_in_words() -> None:
    fischer = clock_pb2.ClockRule(fischer=clock_pb2.Fischer(main_ms=60_000, increment_ms=500))
    assert clock_text(clock_pb2.TimeControl(rule=fischer)) == "fischer, main 60 s, increment 0.5 s"
    assert clock_text(clock_pb2.TimeControl(rule=clock_pb2.ClockRule(untimed=clock_pb2.Untimed()))) == "no clock"
    byo_yomi = clock_pb2.ClockRule(
        moves_per_period=clock_pb2.MovesPerPeriod(periods=[clock_pb2.Period(moves=40, added_ms=9_000)])
    )
    assert "moves 40, added 9 s" in clock_text(clock_pb2.TimeControl(rule=byo_yomi))
    gauntlet = tournament_pb2.TournamentTerms(gauntlet=tournament_pb2.Gauntlet(challengers=["anna", "bert"], cycles=2))
    assert chosen_text(gauntlet) == "gauntlet, challengers anna; bert, cycles 2"
    sprt = tournament_pb2.TournamentTerms(sprt=sprt_pb2.Sprt(elo1=5, model=sprt_pb2.SPRT_MODEL_TRINOMIAL))
    assert chosen_text(sprt) == "sprt, elo1 5, model trinomial"


def test_a_tournament_report_has_standings_tie_breaks_and_rating_histories() -> None:
    table = GetTournamentStandingsResponse(
        standings=[
            tournament_pb2.TournamentStanding(
                rank=1,
                entrant="anna",
                points=1,
                wins=1,
                tie_breaks=[
                    tournament_pb2.TieBreakValue(tie_break=tournament_pb2.TIE_BREAK_MEDIAN_BUCHHOLZ, value=0.5)
                ],
            ),
            tournament_pb2.TournamentStanding(rank=2, entrant="bert", losses=1),
        ],
        sprt=sprt_pb2.SprtState(verdict=sprt_pb2.SPRT_VERDICT_PASSED, counts=[0, 0, 1], llr=3, matches=1),
    )
    tournament = tournament_pb2.Tournament(
        name="cup", entrants=[entrant("anna"), entrant("bert")], phase=tournament_pb2.TOURNAMENT_PHASE_FINISHED
    )
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
    rating = rating_pb2.Rating(value=1600, deviation=50, provisional=True)
    row = ladder_pb2.LadderStanding(rank=1, entrant=entrant("anna"), rating=rating, wins=3)
    point = rating_pb2.RatingPoint(rating=rating)
    report = build_ladder_report(
        ladder_pb2.Ladder(name="main"), [row], [], {"anna": [point]}, RecordStatistics(lambda *_: None)
    )
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
    with pytest.raises(ReportDataMissing, match=r"1\.1\.1\.jsonl cannot be read: Is a directory"):
        read_saved_report(tmp_path)


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        (TournamentEntry(created=tournament_pb2.Tournament(name="cup")), "cup was created"),
        (
            TournamentEntry(entrant_joined=contest_pb2.EntrantJoined(entrant=contest_pb2.Entrant(name="anna"))),
            "anna joined",
        ),
        (TournamentEntry(entrant_left=contest_pb2.EntrantLeft(entrant="anna", message="ill")), "anna left: ill"),
        (TournamentEntry(round_started=tournament_pb2.RoundStarted(round=2)), "round 2 started"),
        (TournamentEntry(pairings_planned=tournament_pb2.PairingsPlanned(pairings=[DONE])), "1 pairing planned"),
        (TournamentEntry(pairing=DONE), "3.1: anna ½, bert ½"),
        (TournamentEntry(pairing=PLAYING), "3.1: anna - bert is being played"),
        (TournamentEntry(pairing=POSTPONED), f"3.1: anna - bert is planned, not before {local_moment(60_000)}"),
        (TournamentEntry(pairing=BYE), "3.2: carl has a bye"),
        (TournamentEntry(sprt=SPRT_STATE), "LLR 1.50 (−2.94, 2.94), +12 Elo (−8 to +32), 1-2-3"),
        (
            TournamentEntry(ended=tournament_pb2.TournamentEnded(phase=tournament_pb2.TOURNAMENT_PHASE_FINISHED)),
            "finished",
        ),
        (
            TournamentEntry(
                ended=tournament_pb2.TournamentEnded(phase=tournament_pb2.TOURNAMENT_PHASE_CANCELLED, message="rain")
            ),
            "cancelled: rain",
        ),
        (
            TournamentEntry(
                entrants_absent=tournament_pb2.EntrantsAbsent(
                    pairing=contest_pb2.Pairing(
                        id="1.1",
                        entrants=["anna", "bert"],
                        phase=contest_pb2.PAIRING_PHASE_DONE,
                        points=[1, 0],
                        absent_entrants=["bert"],
                    ),
                    entrants=["bert"],
                    message="not connected for 600 s",
                )
            ),
            "1.1: anna 1, bert 0 (bert absent): not connected for 600 s",
        ),
        (
            TournamentEntry(
                entrants_absent=tournament_pb2.EntrantsAbsent(
                    pairing=contest_pb2.Pairing(
                        id="1.1",
                        entrants=["reds", "blues"],
                        phase=contest_pb2.PAIRING_PHASE_PLAYING,
                        absent_boards=[contest_pb2.AbsentBoard(board=2, entrants=["blues"])],
                    ),
                    entrants=["blues"],
                    message="paused for 600 s",
                    board=2,
                )
            ),
            "1.1: reds - blues is being played (blues on board 2 absent): paused for 600 s",
        ),
        (
            TournamentEntry(
                pairing=contest_pb2.Pairing(
                    id="1.1",
                    entrants=["reds", "blues"],
                    phase=contest_pb2.PAIRING_PHASE_DONE,
                    points=[2, 0],
                    absent_entrants=["blues"],
                    absent_boards=[contest_pb2.AbsentBoard(board=board, entrants=["blues"]) for board in (1, 2)],
                )
            ),
            "1.1: reds 2, blues 0 (blues absent)",
        ),
        (
            TournamentEntry(
                versions_frozen=tournament_pb2.VersionsFrozen(
                    entrants=[contest_pb2.Entrant(name="a", bots=[match_pb2.BotRef(bot="anna", version="1.4")])]
                )
            ),
            "versions frozen: anna/1.4",
        ),
        (
            ladder_pb2.LadderEntry(match_rated=ladder_pb2.MatchRated(match_id="m", ratings=[CHANGE])),
            "m: anna 1512 (+12)",
        ),
        (ladder_pb2.LadderEntry(season_started=ladder_pb2.SeasonStarted(season=2)), "season 2 started"),
        (ladder_pb2.LadderEntry(closed=ladder_pb2.LadderClosed(message="thanks")), "closed: thanks"),
        (ladder_pb2.LadderEntry(), "unknown event; this program is older than the referee"),
    ],
)
def test_an_entry_is_formatted_as_one_line(entry: Entry, line: str) -> None:
    assert entry_line(entry) == line


def test_every_kind_of_entry_has_a_line() -> None:
    for message in (TournamentEntry, ladder_pb2.LadderEntry):
        for field in message.DESCRIPTOR.oneofs_by_name["event"].fields:
            entry = message()
            getattr(entry, field.name).SetInParent()
            assert "unknown event" not in entry_line(entry), field.name
