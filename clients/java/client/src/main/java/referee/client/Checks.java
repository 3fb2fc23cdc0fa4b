package referee.client;

import java.time.Duration;

/** Checks of arguments that would become other numbers in messages, whose fields have no sign. */
final class Checks {
    private static final long MAX_UNSIGNED_INT = 0xffff_ffffL;

    private Checks() {}

    /** Returns the number. Throws IllegalArgumentException if it is negative. */
    static int count(int number, String name) {
        if (number < 0) {
            throw new IllegalArgumentException(name + " is negative: " + number);
        }
        return number;
    }

    /** Returns the time. Throws IllegalArgumentException if it is negative or above 49 days. */
    static Duration shortTime(Duration time, String name) {
        if (time.isNegative() || time.compareTo(Duration.ofMillis(MAX_UNSIGNED_INT)) > 0) {
            throw new IllegalArgumentException(name + " is not from 0 to 49 days: " + time);
        }
        return time;
    }
}
