package referee.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class BackoffTest {
    private final Backoff backoff = new Backoff();

    private long[] pauses(int count, double random) {
        return LongStream.generate(() -> backoff.nextMs(0, random)).limit(count).toArray();
    }

    @Test
    void pausesDoubleUpToTenSeconds() {
        assertArrayEquals(
                new long[] {500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000}, pauses(7, 0.5));
    }

    @Test
    void theRandomFactorIsFromOneHalfToThreeHalves() {
        assertEquals(250, backoff.nextMs(0, 0));
        assertEquals(1_500, backoff.nextMs(0, 1));
    }

    @Test
    void aSessionOfTenSecondsResetsTheBackoff() {
        pauses(40, 0.5);
        backoff.onWelcome(0);
        assertEquals(500, backoff.nextMs(10_000, 0.5));
        assertEquals(1_000, backoff.nextMs(20_000, 0.5));
    }

    @Test
    void aShorterSessionDoesNotResetTheBackoff() {
        pauses(2, 0.5);
        backoff.onWelcome(0);
        assertEquals(2_000, backoff.nextMs(9_999, 0.5));
    }

    @Test
    void drainingCausesNoShorterPauseThanRequestedAndIsNoFailure() {
        assertEquals(2_000, backoff.afterDrainingMs(2_000, 0));
        assertEquals(2_500, backoff.afterDrainingMs(2_000, 1));
        assertEquals(500, backoff.nextMs(0, 0.5));
    }
}
