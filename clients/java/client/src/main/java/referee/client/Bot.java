package referee.client;

/**
 * A bot that is a function, which chooses moves.
 *
 * <p>It is called for different seats at the same time. A bot that keeps something for each match,
 * or answers with more than moves, is a {@link SeatBot}.
 */
@FunctionalInterface
public interface Bot {
    /**
     * Returns the move to play, in the game's notation.
     *
     * <p>If the answer is no longer needed, the thread is interrupted, and {@link
     * Turn#isCancelled()} returns true. If the bot throws, its seat resigns; other matches
     * continue.
     *
     * @param turn the turn, with everything that is needed to choose
     * @return the move
     * @throws Exception if there is none
     */
    String choose(Turn turn) throws Exception;
}
