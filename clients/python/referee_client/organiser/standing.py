"""The current state of a match, as the organiser may see it."""

from dataclasses import dataclass

from referee_api.v1 import match_pb2, match_service_pb2

from referee_client.clocks import Clock, clock_in
from referee_client.matches import Match, Result, match_in, result_in

PHASES = {
    match_pb2.MATCH_PHASE_WAITING: "waiting",
    match_pb2.MATCH_PHASE_PLAYING: "playing",
    match_pb2.MATCH_PHASE_OVER: "over",
}


@dataclass(frozen=True)
class Standing:
    match: Match
    phase: str
    """`waiting`, `playing` or `over`."""
    number: int = 0
    """Number of the last entry that is included. If nothing may be seen yet, it is 0 and all fields below are empty."""
    ply: int = 0
    position: str = ""
    owing: tuple[int, ...] = ()
    """Seats that are to move."""
    clocks: tuple[Clock, ...] = ()
    result: Result | None = None


def standing_in(message: match_service_pb2.GetMatchResponse) -> Standing:
    state = message.state
    return Standing(
        match_in(message.match),
        phase_in(message.match),
        state.entry_number,
        state.ply,
        state.position,
        tuple(state.seats_to_move),
        tuple(map(clock_in, state.clocks)),
        result_in(message.match.result) if message.match.HasField("result") else None,
    )


def phase_in(message: match_pb2.Match) -> str:
    return PHASES.get(message.phase, "")
