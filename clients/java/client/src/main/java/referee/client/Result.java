package referee.client;

import java.util.List;

/**
 * How a match ended.
 *
 * @param kind in which way it ended
 * @param reason for a match that was played, a reason of its game, or "resignation", "draw_agreed",
 *     "draw_claimed" or "adjudication"; for a forfeit its cause, such as "time" or "illegal_move";
 *     otherwise the cause of the void match
 * @param scores the score of each seat in the game's own points; empty if the match is void
 * @param ranks the rank of each seat, where 1 is best; empty if the match is void
 */
public record Result(Kind kind, String reason, List<Double> scores, List<Integer> ranks) {
    /** In which of three ways a match ended. */
    public enum Kind {
        /** The players finished the game. */
        PLAYED,
        /** A side lost by a fault. */
        FORFEITED,
        /** The match does not count. */
        VOID
    }
}
