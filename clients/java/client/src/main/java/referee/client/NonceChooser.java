package referee.client;

/** Chooses what a bot adds to the seed of a match. */
@FunctionalInterface
public interface NonceChooser {
    /**
     * Returns up to 64 bytes that nobody can guess. It must return at once.
     *
     * @param matchId the id of the match
     * @param seat the number of the bot's seat, from 0
     * @return the bytes
     */
    byte[] choose(String matchId, int seat);
}
