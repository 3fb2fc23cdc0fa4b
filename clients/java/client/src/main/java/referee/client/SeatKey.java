package referee.client;

/** A seat in a match. It has at most one open turn. */
record SeatKey(String matchId, int seat) {
    static SeatKey of(Turn turn) {
        return new SeatKey(turn.matchId(), turn.seat());
    }
}
