package referee.client;

import java.util.ResourceBundle;
import java.util.function.Consumer;

/** A logger that passes on what is reported to the author of the bot, as warnings and errors. */
record TestLogger(Consumer<String> reports) implements System.Logger {
    @Override
    public String getName() {
        return "test";
    }

    @Override
    public boolean isLoggable(Level level) {
        return level.compareTo(Level.WARNING) >= 0;
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
        if (isLoggable(level)) {
            reports.accept(message);
        }
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
        log(level, bundle, format, (Throwable) null);
    }
}
