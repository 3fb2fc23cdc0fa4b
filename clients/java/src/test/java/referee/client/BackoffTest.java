package referee.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class BackoffTest {
    private final Backoff backoff = new Backoff();

    private long[] waits(int breaks, double chance) {
        return LongStream.generate(() -> backoff.nextMs(chance)).limit(breaks).toArray();
    }

    @Test
    void waitsDoubleUpToTenSeconds() {
        assertArrayEquals(
                new long[] {500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000}, waits(7, 0.5));
    }

    @Test
    void chanceTakesAwayOrAddsUpToAHalf() {
        assertEquals(250, backoff.nextMs(0));
        assertEquals(1_500, backoff.nextMs(1));
    }

    @Test
    void afterAWelcomeTheFirstWaitIsShortAgain() {
        waits(40, 0.5);
        backoff.welcomed();
        assertEquals(500, backoff.nextMs(0.5));
    }
}
