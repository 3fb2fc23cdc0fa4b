package referee.client;

import java.util.Map;

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
    /**
     * Creates an error without metadata, for tests of a bot.
     *
     * @param reason an upper-case name from the contract
     * @param message one sentence
     */
    public RefereeError(String reason, String message) {
        this(reason, message, Map.of());
    }

    @Override
    public String toString() {
        return "%s (%s)".formatted(message, reason);
    }
}
