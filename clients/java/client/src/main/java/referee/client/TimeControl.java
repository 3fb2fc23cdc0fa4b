package referee.client;

import java.time.Duration;

/** The time control of all seats of a match. */
public sealed interface TimeControl {
    /** No clock. */
    record Untimed() implements TimeControl {}

    /**
     * A main time with an increment for each move.
     *
     * @param main the main time
     * @param increment the time for each move
     */
    record Fischer(Duration main, Duration increment) implements TimeControl {}

    /**
     * A main time for all moves.
     *
     * @param main the main time
     */
    record SuddenDeath(Duration main) implements TimeControl {}

    /**
     * A time for each move.
     *
     * @param move the time
     */
    record PerMove(Duration move) implements TimeControl {}
}
