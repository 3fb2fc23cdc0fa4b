package referee.client;

import referee.api.v1.TurnWishes;

/** A bot: it is asked for moves. */
@FunctionalInterface
public interface Bot {
    /**
     * The move to play, in the game's notation.
     *
     * <p>Called on a thread of its own for each turn, so that turns of different matches are
     * thought about at the same time. The thread is interrupted if the answer is not wanted any
     * more. What is thrown resigns the seat; the other matches go on.
     */
    String choose(Asked asked) throws Exception;

    /** What each turn should carry beyond the position. Default: nothing. */
    default TurnWishes wishes() {
        return TurnWishes.getDefaultInstance();
    }

    /**
     * Plays until the program is told to stop, and tells with which status it is to exit: 0 after
     * SIGINT or SIGTERM, 2 if the settings in the environment are wrong, 3 if another copy of the
     * bot has taken its seats, 4 if the referee refuses this bot. Standard error says why.
     */
    static int run(Bot bot) throws InterruptedException {
        Player player;
        try {
            player = new Player(bot, Settings.of(System::getenv));
        } catch (IllegalArgumentException why) {
            Player.complain(why.getMessage());
            return Player.MISCONFIGURED;
        }
        return player.play();
    }
}
