package referee.client;

import referee.api.v1.NonceRequest;
import referee.api.v1.TurnOptions;

/** A bot, which chooses moves. */
@FunctionalInterface
public interface Bot {
    /**
     * Returns the move to play, in the game's notation.
     *
     * <p>It is called on a separate thread for each turn, so that turns of different matches are
     * computed at the same time. The thread is interrupted if the answer is no longer needed. An
     * exception resigns the seat; other matches continue.
     */
    String choose(TurnRequest request) throws Exception;

    /** What each turn should contain besides the position. Default: nothing. */
    default TurnOptions turnOptions() {
        return TurnOptions.getDefaultInstance();
    }

    /**
     * Returns what the bot adds to the seed of a match: up to 64 bytes that nobody can guess.
     * Default: 32 random bytes.
     *
     * <p>It is called on the thread of the stream, so it must return at once.
     */
    default byte[] nonce(NonceRequest request) {
        return Nonces.randomNonce();
    }

    /**
     * Plays until the program is stopped, and returns its exit status: 0 after SIGINT or SIGTERM, 2
     * if the settings in the environment are invalid, 3 if a newer session of the same bot has
     * taken over its matches, 4 if the referee rejects this bot. Errors are written to standard
     * error.
     */
    static int run(Bot bot) throws InterruptedException {
        Player player;
        try {
            player = new Player(bot, Settings.of(System::getenv));
        } catch (IllegalArgumentException e) {
            Player.log(e.getMessage());
            return Player.MISCONFIGURED;
        }
        return player.play();
    }
}
