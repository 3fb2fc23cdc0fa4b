package referee.client;

/**
 * Which ladders a list has.
 *
 * @param game only those of this game; empty: all
 * @param bot only those that this bot has joined; empty: all
 * @param includeClosed whether the list has closed ladders too
 */
public record LadderFilter(String game, String bot, boolean includeClosed) {
    /** All ladders that are not closed. */
    public static final LadderFilter OPEN = new LadderFilter("", "", false);

    /** All ladders. */
    public static final LadderFilter ALL = new LadderFilter("", "", true);

    /**
     * Returns a filter that also demands a game.
     *
     * @param game the name of the game
     * @return the filter
     */
    public LadderFilter ofGame(String game) {
        return new LadderFilter(game, bot, includeClosed);
    }

    /**
     * Returns a filter that also demands that a bot has joined.
     *
     * @param bot the name of the bot
     * @return the filter
     */
    public LadderFilter ofBot(String bot) {
        return new LadderFilter(game, bot, includeClosed);
    }
}
