package referee.client;

/**
 * Exponential backoff after broken sessions: it doubles each time, up to ten seconds.
 *
 * <p>A Welcome alone does not reset it: otherwise a bot whose own message breaks the stream would
 * reconnect at full speed for ever. Times are milliseconds of a monotonic clock.
 */
final class Backoff {
    private static final long FIRST_MS = 500;
    private static final long LONGEST_MS = 10_000;

    /** A session that lasts this long from its Welcome resets the backoff. */
    private static final long STABLE_MS = 10_000;

    private long nextMs = FIRST_MS;
    private long stableAtMs = Long.MAX_VALUE;

    /**
     * Returns the next pause. {@code random}, from 0 to 1, scales it by a factor from 0.5 to 1.5,
     * so that the bots of a referee that was down do not all reconnect at the same moment.
     */
    long nextMs(long nowMs, double random) {
        long pauseMs = nowMs >= stableAtMs ? FIRST_MS : nextMs;
        stableAtMs = Long.MAX_VALUE;
        nextMs = Math.min(2 * pauseMs, LONGEST_MS);
        return Math.round(pauseMs * (0.5 + random));
    }

    /**
     * Returns the pause after a stream that a draining referee has ended, which is not a failure.
     */
    long afterDrainingMs(long reconnectDelayMs, double random) {
        return reconnectDelayMs + Math.round(FIRST_MS * random);
    }

    /** Must be called when a Welcome has arrived. */
    void onWelcome(long nowMs) {
        stableAtMs = nowMs + STABLE_MS;
    }
}
