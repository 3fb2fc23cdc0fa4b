"""What a report needs, kept in a folder: for when the referee that was asked is there no more."""

import json
from pathlib import Path

from google.protobuf import json_format
from referee_api.v1 import tournament_pb2
from referee_api.v1.match_service_pb2 import ListMatchesResponse
from referee_api.v1.tournament_service_pb2 import GetTournamentStandingsResponse
from referee_client import Organiser

from referee.reporting.of_tournament import of_tournament
from referee.reporting.report import Report
from referee.reporting.timing import Stopwatches
from referee.reporting.wire import Entrants

FILE = "told.json"
RECORDS = "records"


class NothingKept(Exception):
    """`str()` is one sentence."""


def keep(organiser: Organiser, name: str, folder: Path) -> None:
    """What the referee tells of a tournament, whole or not at all. Its records are kept elsewhere in the folder."""
    told = {
        "tournament": json_format.MessageToDict(organiser.tournaments.get(name)),
        "table": json_format.MessageToDict(organiser.tournaments.table(name)),
        "matches": json_format.MessageToDict(ListMatchesResponse(matches=organiser.tournaments.matches(name))),
    }
    part = folder / f"{FILE}.part"
    part.write_text(f"{json.dumps(told, indent=1, sort_keys=True)}\n", encoding="utf-8")
    part.replace(folder / FILE)


def kept_report(folder: Path) -> Report:
    """Raises NothingKept."""
    try:
        told = json.loads((folder / FILE).read_text(encoding="utf-8"))
        tournament = json_format.ParseDict(told["tournament"], tournament_pb2.Tournament(), ignore_unknown_fields=True)
        table = json_format.ParseDict(told["table"], GetTournamentStandingsResponse(), ignore_unknown_fields=True)
        matches = json_format.ParseDict(told["matches"], ListMatchesResponse(), ignore_unknown_fields=True)
    except FileNotFoundError:
        raise NothingKept(f"{folder} is not the folder of a tournament run: there is no {FILE} in it") from None
    except (OSError, ValueError, KeyError, TypeError, json_format.ParseError) as error:
        raise NothingKept(f"{folder / FILE} cannot be read: {error}") from None
    watches = Stopwatches(Entrants(tournament.entrants).of)
    for record in sorted((folder / RECORDS).glob("*.jsonl")):
        try:
            watches.take(record.read_bytes())
        except OSError as error:
            raise NothingKept(f"{record} cannot be read: {error.strerror}") from None
    return of_tournament(tournament, table, matches.matches, watches)
