package referee.client;

/**
 * A newer session of the same bot and version has taken over its seats. Reconnecting would make the
 * two sessions replace each other for ever.
 */
public final class TakenOverException extends PlayException {
    private static final long serialVersionUID = 1;

    TakenOverException() {
        super("a newer session of this bot has taken over its seats", null);
    }
}
