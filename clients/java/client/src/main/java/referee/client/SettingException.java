package referee.client;

import org.jspecify.annotations.Nullable;

/** A setting is missing or invalid. Nothing was connected. */
public final class SettingException extends PlayException {
    private static final long serialVersionUID = 1;

    /** The environment variable of the setting. */
    private final String variable;

    SettingException(String variable, String problem) {
        this(variable, problem, null);
    }

    SettingException(String variable, String problem, @Nullable Throwable cause) {
        super(variable + " " + problem, cause);
        this.variable = variable;
    }

    /** {@return the environment variable of the setting, also if it was set in another way} */
    public String variable() {
        return variable;
    }
}
