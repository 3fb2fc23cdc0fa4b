package referee.client;

/**
 * How long to stay away after a break: twice as long each time, up to ten seconds.
 *
 * <p>A Welcome alone does not reset it: else a bot whose own message breaks the stream would
 * reconnect at full speed for ever. Times are milliseconds of a clock that never goes back.
 */
final class Backoff {
    private static final long FIRST_MS = 500;
    private static final long LONGEST_MS = 10_000;

    /** A session that lasts this long from its Welcome resets the backoff. */
    private static final long STABLE_MS = 10_000;

    private long nextMs = FIRST_MS;
    private long stableAtMs = Long.MAX_VALUE;

    /**
     * The next wait. {@code chance}, from 0 to 1, makes it half as long up to half as long again,
     * so that the bots of a referee that was away do not all come back in the same moment.
     */
    long nextMs(long nowMs, double chance) {
        long waitMs = nowMs >= stableAtMs ? FIRST_MS : nextMs;
        stableAtMs = Long.MAX_VALUE;
        nextMs = Math.min(2 * waitMs, LONGEST_MS);
        return Math.round(waitMs * (0.5 + chance));
    }

    /**
     * The wait after a stream that the referee has ended to go away for so long. That is no
     * failure.
     */
    long afterDrainingMs(long awayMs, double chance) {
        return awayMs + Math.round(FIRST_MS * chance);
    }

    /** The referee has said Welcome. */
    void welcomed(long nowMs) {
        stableAtMs = nowMs + STABLE_MS;
    }
}
