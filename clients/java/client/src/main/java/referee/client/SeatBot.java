package referee.client;

/**
 * A bot that plays one seat of one match, and may keep what it knows about it.
 *
 * <p>Its methods are called one after the other, though not always on the same thread, and may
 * block.
 */
@FunctionalInterface
public interface SeatBot {
    /**
     * Receives the start of the match, before the first turn. After a restart of the program,
     * matches in play are not announced again.
     *
     * @param match the match
     * @param seat the number of the seat that this bot plays, from 0
     */
    default void started(Match match, int seat) {}

    /**
     * Returns what to do.
     *
     * <p>If the answer is no longer needed, the thread is interrupted, and {@link
     * Turn#isCancelled()} returns true. If the bot throws, its seat resigns; other matches
     * continue.
     *
     * @param turn the turn, with everything that is needed to choose
     * @return the answer
     * @throws Exception if there is none
     */
    Answer choose(Turn turn) throws Exception;

    /**
     * Receives the end of the match, after the last turn.
     *
     * @param end the end, as this seat is told
     */
    default void ended(End end) {}
}
