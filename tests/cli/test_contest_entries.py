"""Entries of ladders and tournaments, a line each."""

import pytest
from referee_api.v1 import contest_pb2, ladder_pb2, rating_pb2, sprt_pb2, tournament_pb2

from referee.cli._shared.contest_entries import Entry, entry_line

DONE = contest_pb2.Pairing(id="3.1", entrants=["anna", "bert"], phase=contest_pb2.PAIRING_PHASE_DONE, points=[0.5, 0.5])
PLAYING = contest_pb2.Pairing(id="3.1", entrants=["anna", "bert"], phase=contest_pb2.PAIRING_PHASE_PLAYING)
BYE = contest_pb2.Pairing(id="3.2", entrants=["carl"], phase=contest_pb2.PAIRING_PHASE_DONE, points=[1])
CHANGE = rating_pb2.RatingChange(bot="anna", before=rating_pb2.Rating(value=1500), after=rating_pb2.Rating(value=1512))
SPRT = sprt_pb2.SprtState(
    counts=[1, 2, 3],
    llr=1.5,
    llr_lower=-2.94,
    llr_upper=2.94,
    estimate=rating_pb2.EloEstimate(elo=12, low_elo=-8, high_elo=32),
)
TournamentEntry = tournament_pb2.TournamentEntry


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
        (TournamentEntry(pairing=BYE), "3.2: carl has a bye"),
        (TournamentEntry(sprt=SPRT), "LLR 1.50 (−2.94, 2.94), +12 Elo (−8 to +32), 1-2-3"),
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
            ladder_pb2.LadderEntry(match_rated=ladder_pb2.MatchRated(match_id="m", ratings=[CHANGE])),
            "m: anna 1512 (+12)",
        ),
        (ladder_pb2.LadderEntry(season_started=ladder_pb2.SeasonStarted(season=2)), "season 2 started"),
        (ladder_pb2.LadderEntry(closed=ladder_pb2.LadderClosed(message="thanks")), "closed: thanks"),
        (ladder_pb2.LadderEntry(), "unknown event; this program is older than the referee"),
    ],
)
def test_an_entry_is_a_line(entry: Entry, line: str) -> None:
    assert entry_line(entry) == line


def test_every_entry_of_the_contract_has_its_line() -> None:
    for message in (TournamentEntry, ladder_pb2.LadderEntry):
        for field in message.DESCRIPTOR.oneofs_by_name["event"].fields:
            entry = message()
            getattr(entry, field.name).SetInParent()
            assert "unknown event" not in entry_line(entry), field.name
