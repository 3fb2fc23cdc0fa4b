package referee.client;

import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An error of the referee: it rejected an answer or a bot.
 *
 * @param reason an upper-case name from the contract, such as {@code ILLEGAL_MOVE}, which programs
 *     should use, and never the message; if the error is not from the referee itself, the name of a
 *     gRPC status code
 * @param message one sentence for people
 * @param metadata the variables of the message by name
 */
public record RefereeError(String reason, String message, Map<String, String> metadata) {
    private static final Pattern MILLISECONDS = Pattern.compile("0*([0-9]{1,5})");
    private static final long MAX_RETRY_AFTER_MS = 60_000;

    /** Replaces a time that is not a number from 0 to the maximum. */
    private static final long DEFAULT_RETRY_AFTER_MS = 1_000;

    /**
     * Creates an error without metadata, for tests of a bot.
     *
     * @param reason an upper-case name from the contract
     * @param message one sentence
     */
    public RefereeError(String reason, String message) {
        this(reason, message, Map.of());
    }

    /** Returns after how many milliseconds a retry may succeed, if it is known that one will. */
    OptionalLong retryAfterMs() {
        String text = metadata.get("retry_after_ms");
        if (text == null) {
            return OptionalLong.empty();
        }
        Matcher matcher = MILLISECONDS.matcher(text);
        long ms = matcher.matches() ? Long.parseLong(matcher.group(1)) : Long.MAX_VALUE;
        return OptionalLong.of(ms <= MAX_RETRY_AFTER_MS ? ms : DEFAULT_RETRY_AFTER_MS);
    }

    @Override
    public String toString() {
        return "%s (%s)".formatted(message, reason);
    }
}
