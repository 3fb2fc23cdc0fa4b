package referee.client;

/** The server rejects a call of an {@link Organiser}, or cannot be reached. */
public final class CallException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient RefereeError error;

    CallException(RefereeError error, Throwable cause) {
        super(error.toString(), cause);
        this.error = error;
    }

    /**
     * Returns what the server says. It is not serialised.
     *
     * @return the error
     */
    public RefereeError error() {
        return error;
    }
}
