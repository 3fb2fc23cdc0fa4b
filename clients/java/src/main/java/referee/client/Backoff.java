package referee.client;

/** How long to stay away after a break: twice as long each time, up to ten seconds. */
final class Backoff {
    private static final long FIRST_MS = 500;
    private static final long LONGEST_MS = 10_000;

    private long nextMs = FIRST_MS;

    /**
     * The next wait. {@code chance}, from 0 to 1, makes it half as long up to half as long again,
     * so that the bots of a referee that was away do not all come back in the same moment.
     */
    long nextMs(double chance) {
        long waitMs = nextMs;
        nextMs = Math.min(2 * nextMs, LONGEST_MS);
        return Math.round(waitMs * (0.5 + chance));
    }

    /** The referee has said Welcome: the next break is the first again. */
    void welcomed() {
        nextMs = FIRST_MS;
    }
}
