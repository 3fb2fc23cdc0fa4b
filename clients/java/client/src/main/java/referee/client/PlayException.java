package referee.client;

import org.jspecify.annotations.Nullable;

/** Why a bot does not play any more, or has not begun to. Reconnecting does not help. */
public abstract sealed class PlayException extends RuntimeException
        permits SettingException, TakenOverException, RejectedException {
    private static final long serialVersionUID = 1;

    PlayException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
