package referee.client;

/**
 * Exponential backoff after broken sessions: its limit doubles each time, up to ten seconds.
 *
 * <p>A Welcome alone does not reset it: otherwise a bot whose own message breaks the stream would
 * reconnect at full speed for ever. Times are milliseconds of a monotonic clock.
 */
final class Backoff {
    private static final long FIRST_MS = 750;
    private static final long LONGEST_MS = 10_000;

    /** Limit while a clock of the bot may run. */
    private static final long LONGEST_WITH_OPEN_TURN_MS = 3_000;

    /** The longest time that is added to the delay after draining. */
    private static final long MAX_DRAINING_JITTER_MS = 500;

    /** A session that lasts this long from its Welcome resets the backoff. */
    private static final long STABLE_MS = 10_000;

    private long nextMs = FIRST_MS;
    private long stableAtMs = Long.MAX_VALUE;

    /**
     * Returns the next pause, for a random number from 0 to 1. It is between a third of its limit
     * and all of it, so that the bots of a referee that was down do not all reconnect at the same
     * moment.
     */
    long nextMs(long nowMs, boolean hasOpenTurn, double random) {
        long limitMs = nowMs >= stableAtMs ? FIRST_MS : nextMs;
        stableAtMs = Long.MAX_VALUE;
        nextMs = Math.min(2 * limitMs, LONGEST_MS);
        long pauseMs = hasOpenTurn ? Math.min(limitMs, LONGEST_WITH_OPEN_TURN_MS) : limitMs;
        return Math.round(pauseMs * (1 + 2 * random) / 3);
    }

    /**
     * Returns the pause after a stream that a draining referee has ended, which is not a failure.
     */
    long afterDrainingMs(long reconnectDelayMs, double random) {
        return reconnectDelayMs + Math.round(MAX_DRAINING_JITTER_MS * random);
    }

    /** Must be called when a Welcome has arrived. */
    void onWelcome(long nowMs) {
        stableAtMs = nowMs + STABLE_MS;
    }
}
