package referee.client;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The pauses before what has failed for a moment is repeated. */
final class Retries {
    private static final int MAX_ATTEMPTS = 5;

    private final Pause pause;
    private Backoff backoff = new Backoff();

    /** Waits for a number of milliseconds. */
    interface Pause {
        void of(long ms) throws InterruptedException;
    }

    Retries(Pause pause) {
        this.pause = pause;
    }

    /**
     * Makes attempts, five at most, until one succeeds or fails for good, and returns its outcome.
     *
     * @param isClosed whether the connection is closed, after which no attempt succeeds
     */
    static <T> T repeat(Supplier<T> attempt, BooleanSupplier isClosed, Pause pause) {
        Retries retries = new Retries(pause);
        for (int attempts = 1; ; attempts++) {
            try {
                return attempt.get();
            } catch (StatusRuntimeException e) {
                CallException failure = Calls.failure(e);
                if (attempts == MAX_ATTEMPTS || isClosed.getAsBoolean() || isFinal(failure, e)) {
                    throw failure;
                }
                retries.pause(failure);
            }
        }
    }

    /** Must be called when an attempt has made progress. */
    void reset() {
        backoff = new Backoff();
    }

    /**
     * Waits as long as the server asks, or else as the backoff says. Throws the failure if the
     * thread is interrupted.
     */
    void pause(CallException failure) {
        long ms = failure.error().retryAfterMs().orElse(0);
        if (ms == 0) {
            double random = ThreadLocalRandom.current().nextDouble();
            ms = backoff.nextMs(System.nanoTime() / 1_000_000, false, random);
        }
        try {
            pause.of(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure;
        }
    }

    private static boolean isFinal(CallException failure, StatusRuntimeException cause) {
        return cause.getStatus().getCode() != Status.Code.UNAVAILABLE
                && failure.error().retryAfterMs().isEmpty();
    }
}
