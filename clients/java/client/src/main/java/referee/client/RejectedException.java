package referee.client;

/** The referee rejects the bot, for example because of its token. */
public final class RejectedException extends PlayException {
    private static final long serialVersionUID = 1;

    private final transient RefereeError error;

    RejectedException(RefereeError error) {
        super("the referee rejects this bot: " + error, null);
        this.error = error;
    }

    /** {@return what the referee says, which is not serialised} */
    public RefereeError error() {
        return error;
    }
}
