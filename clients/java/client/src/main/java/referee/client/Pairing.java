package referee.client;

import java.util.List;

/**
 * Entrants of a contest that play each other.
 *
 * @param id its id
 * @param round the number of the round, from 1; 0 on a ladder
 * @param board the number of the board within the round, from 1; 0 on a ladder
 * @param entrants the names of the entrants, in the order of seats of the first match; only one: a
 *     bye
 * @param phase whether it has begun or is done
 * @param matchIds the ids of its matches in order, with those that were void and played again
 * @param points the points of each entrant; empty until it is done
 * @param absent the names of entrants that lost it by absence
 */
public record Pairing(
        String id,
        int round,
        int board,
        List<String> entrants,
        Phase phase,
        List<String> matchIds,
        List<Double> points,
        List<String> absent) {
    /** Whether a pairing has begun or is done. */
    public enum Phase {
        /** It waits for capacity or for its bots. */
        PLANNED,
        /** One of its matches is in play. */
        PLAYING,
        /** It is finished, with points. */
        DONE,
        /** A phase that is newer than this client. */
        UNKNOWN
    }
}
