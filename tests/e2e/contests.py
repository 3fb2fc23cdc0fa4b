"""Helpers that create ladders and tournaments of an organiser."""

from typing import Any

from referee_api.v1 import clock_pb2, game_pb2, match_pb2

from tests.e2e.organiser import ALQUERQUE, HOUR, Organiser

TOC = game_pb2.Rules(game="toc")
ROUND_ROBIN: dict[str, Any] = {"round_robin": {}}


def match_terms(rules: game_pb2.Rules = ALQUERQUE, **more: Any) -> match_pb2.MatchTerms:
    """Return terms of a match with one hour for each seat."""
    control = clock_pb2.TimeControl(rule=HOUR)
    return match_pb2.MatchTerms(rules=rules, time_control=control, start_timeout_ms=600_000, **more)


def ladder_request(organiser: Organiser, **overrides: Any) -> dict[str, Any]:
    """Return the fields of a request for a ladder of the organiser's name; other arguments become its terms.

    Unless they say otherwise, the number of its matches is not limited, so that tests do not wait for the next one.
    """
    fields = {field: overrides.pop(field) for field in ("request_id", "name", "title") if field in overrides}
    terms = {"match_terms": [match_terms()], "max_matches_per_hour": 0} | overrides
    return {"request_id": "make it", "name": organiser.name, "terms": terms} | fields


def create_ladder(organiser: Organiser, **overrides: Any) -> Any:
    return organiser.call("LadderService/CreateLadder", **ladder_request(organiser, **overrides)).ladder


def tournament_request(organiser: Organiser, **overrides: Any) -> dict[str, Any]:
    """Return the fields of a request for a tournament; a round robin unless the arguments say otherwise."""
    names = ("request_id", "name", "title", "entrants")
    fields = {field: overrides.pop(field) for field in names if field in overrides}
    terms = {"match_terms": match_terms()} | (overrides or ROUND_ROBIN)
    return {"request_id": "make it", "name": organiser.name, "terms": terms} | fields


def create_tournament(organiser: Organiser, **overrides: Any) -> Any:
    return organiser.call("TournamentService/CreateTournament", **tournament_request(organiser, **overrides)).tournament


def entrants_of(organiser: Organiser) -> list[dict[str, Any]]:
    """Return each bot of the organiser as an entrant of its own."""
    return [{"bots": [{"bot": bot}]} for bot in organiser.bots]


def start_tournament(organiser: Organiser, **overrides: Any) -> Any:
    """Create a tournament with all bots of the organiser, and start it."""
    create_tournament(organiser, entrants=entrants_of(organiser), **overrides)
    return organiser.call("TournamentService/StartTournament", name=organiser.name).tournament


def call_for_ladder(organiser: Organiser, method: str, **fields: Any) -> Any:
    return organiser.call(f"LadderService/{method}", ladder=organiser.name, **fields)


def call_for_tournament(organiser: Organiser, method: str, **fields: Any) -> Any:
    """Call a method for the organiser's tournament; the answer of a streaming method is read to its end."""
    answer = organiser.call(f"TournamentService/{method}", tournament=organiser.name, **fields)
    return list(answer) if method.startswith(("Watch", "Export")) else answer


def join_ladder(organiser: Organiser, *seats: int) -> None:
    """Let the bots in these seats join the organiser's ladder."""
    for seat in seats:
        organiser.call_as_bot(seat, "LadderService/JoinLadder", ladder=organiser.name)


def play_match(organiser: Organiser, moves: int = 3) -> str:
    """Let the bots play some moves of their next match; an administrator then decides it. Return its id."""
    for seat in range(len(organiser.bots)):
        organiser.connection(seat)
    match_id = ""
    for ply in range(moves):
        turn = organiser.next_turn(ply % 2)
        match_id = turn.match_id
        organiser.connection(ply % 2).send_move(turn)
    organiser.connection(moves % 2).receive("turn")
    decide_match(organiser, match_id)
    return match_id


def decide_match(organiser: Organiser, match_id: str) -> None:
    """Let the first side win as an administrator."""
    fields = {"request_id": f"decide {match_id}", "match_id": match_id, "message": "by agreement"}
    organiser.call_as_admin("AdminService/AdjudicateMatch", side_scores=[1, 0], **fields)
