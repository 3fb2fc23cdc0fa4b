"""Save the data of a report to a results folder, and read it without a server."""

import json
from pathlib import Path

from google.protobuf import json_format
from referee_api.v1 import tournament_pb2
from referee_api.v1.match_service_pb2 import ListMatchesResponse
from referee_api.v1.tournament_service_pb2 import GetTournamentStandingsResponse
from referee_client import Organiser

from referee.reporting.message_conversion import EntrantIndex
from referee.reporting.record_statistics import RecordStatistics
from referee.reporting.report import Report
from referee.reporting.tournament_report import build_tournament_report

FILE = "report-data.json"
RECORDS = "records"


class ReportDataMissing(Exception):
    """The folder has no readable report data; `str()` is one sentence."""


def save_report_data(organiser: Organiser, name: str, folder: Path) -> None:
    """Save the data of a tournament atomically. Its records are in the folder already."""
    data = {
        "tournament": json_format.MessageToDict(organiser.tournaments.get(name)),
        "table": json_format.MessageToDict(organiser.tournaments.table(name)),
        "matches": json_format.MessageToDict(ListMatchesResponse(matches=organiser.tournaments.matches(name))),
    }
    part = folder / f"{FILE}.part"
    part.write_text(f"{json.dumps(data, indent=1, sort_keys=True)}\n", encoding="utf-8")
    part.replace(folder / FILE)


def read_saved_report(folder: Path) -> Report:
    """Build the report of a results folder. Raises ReportDataMissing."""
    try:
        data = json.loads((folder / FILE).read_text(encoding="utf-8"))
        tournament = json_format.ParseDict(data["tournament"], tournament_pb2.Tournament(), ignore_unknown_fields=True)
        table = json_format.ParseDict(data["table"], GetTournamentStandingsResponse(), ignore_unknown_fields=True)
        matches = json_format.ParseDict(data["matches"], ListMatchesResponse(), ignore_unknown_fields=True)
    except FileNotFoundError:
        raise ReportDataMissing(f"{folder} is not the folder of a tournament run: it has no {FILE}") from None
    except (OSError, ValueError, KeyError, TypeError, json_format.ParseError) as error:
        raise ReportDataMissing(f"{folder / FILE} cannot be read: {error}") from None
    statistics = RecordStatistics(EntrantIndex(tournament.entrants).find)
    for record in sorted((folder / RECORDS).glob("*.jsonl")):
        try:
            statistics.add_record(record.read_bytes())
        except OSError as error:
            raise ReportDataMissing(f"{record} cannot be read: {error.strerror}") from None
    return build_tournament_report(tournament, table, matches.matches, statistics)
