package referee.client;

/** The server rejects a call of an {@link Organiser}, or cannot be reached. */
public final class CallException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient RefereeError error;

    CallException(RefereeError error, Throwable cause) {
        super(error.toString(), cause);
        this.error = error;
    }

    /** {@return what the server says, which is not serialised} */
    public RefereeError error() {
        return error;
    }
}
