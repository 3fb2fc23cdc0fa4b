"""Helpers that create ladders and tournaments of a club."""

from typing import Any

from referee_api.v1 import clock_pb2, game_pb2, match_pb2

from tests.e2e.club import ALQUERQUE, HOUR, Club

TOC = game_pb2.Rules(game="toc")
ROUND_ROBIN: dict[str, Any] = {"round_robin": {}}


def match_terms(rules: game_pb2.Rules = ALQUERQUE, **more: Any) -> match_pb2.MatchTerms:
    """Return terms of a match with one hour for each seat."""
    control = clock_pb2.TimeControl(rule=HOUR)
    return match_pb2.MatchTerms(rules=rules, time_control=control, start_timeout_ms=600_000, **more)


def ladder_request(here: Club, **otherwise: Any) -> dict[str, Any]:
    """Return the fields of a request for a ladder with the club's name; other arguments become terms of the ladder."""
    asked = {field: otherwise.pop(field) for field in ("request_id", "name", "title") if field in otherwise}
    terms = {"match_terms": [match_terms()]} | otherwise
    return {"request_id": "make it", "name": here.name, "terms": terms} | asked


def new_ladder(here: Club, **otherwise: Any) -> Any:
    return here.ask("LadderService/CreateLadder", **ladder_request(here, **otherwise)).ladder


def tournament_request(here: Club, **otherwise: Any) -> dict[str, Any]:
    """Return the fields of a request for a tournament; a round robin unless the arguments say otherwise."""
    fields = ("request_id", "name", "title", "entrants")
    asked = {field: otherwise.pop(field) for field in fields if field in otherwise}
    terms = {"match_terms": match_terms()} | (otherwise or ROUND_ROBIN)
    return {"request_id": "make it", "name": here.name, "terms": terms} | asked


def new_tournament(here: Club, **otherwise: Any) -> Any:
    return here.ask("TournamentService/CreateTournament", **tournament_request(here, **otherwise)).tournament


def entrants(here: Club) -> list[dict[str, Any]]:
    """Return each bot of the club as an entrant of its own."""
    return [{"bots": [{"bot": bot}]} for bot in here.bots]


def started(here: Club, **otherwise: Any) -> Any:
    """Create a tournament with all bots of the club, and start it."""
    new_tournament(here, entrants=entrants(here), **otherwise)
    return here.ask("TournamentService/StartTournament", name=here.name).tournament


def in_ladder(here: Club, method: str, **fields: Any) -> Any:
    return here.ask(f"LadderService/{method}", ladder=here.name, **fields)


def in_tournament(here: Club, method: str, **fields: Any) -> Any:
    """Call a method for the club's tournament; the answer of a streaming method is read to its end."""
    answer = here.ask(f"TournamentService/{method}", tournament=here.name, **fields)
    return list(answer) if method.startswith(("Watch", "Export")) else answer


def joined(here: Club, *seats: int) -> None:
    """Let the bots in these seats join the club's ladder."""
    for seat in seats:
        here.ask_as(seat, "LadderService/JoinLadder", ladder=here.name)
