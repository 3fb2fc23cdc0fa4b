package referee.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Settings from environment variables. */
final class Environment {
    private static final Pattern DIGITS = Pattern.compile("[0-9]+");
    private final Function<String, @Nullable String> variables;

    private Environment(Function<String, @Nullable String> variables) {
        this.variables = variables;
    }

    /**
     * Returns a builder with the settings.
     *
     * @param variables returns the value of a variable, or null
     * @throws SettingException if a variable is missing or has an invalid value
     */
    static Client.Builder read(Function<String, @Nullable String> variables) {
        Environment environment = new Environment(variables);
        Client.Builder builder =
                Client.builder(environment.required("BOT_REFEREE"), environment.token());
        environment.optional("BOT_CA").map(Environment::readCa).ifPresent(builder::caPem);
        environment.optional("BOT_VERSION").ifPresent(builder::version);
        environment
                .optional("BOT_MAX_MATCHES")
                .map(Environment::parseNumber)
                .ifPresent(builder::maxMatches);
        if (environment.isOn("BOT_PLAINTEXT")) {
            builder.plaintext();
        }
        if (environment.isOn("BOT_VERDICTS_WITH_TURNS")) {
            builder.verdictsWithTurns();
        }
        return builder;
    }

    private Optional<String> optional(String name) {
        return Optional.ofNullable(variables.apply(name)).filter(text -> !text.isEmpty());
    }

    private String required(String name) {
        return optional(name).orElseThrow(() -> new SettingException(name, "is not set"));
    }

    private boolean isOn(String name) {
        return optional(name).equals(Optional.of("1"));
    }

    /** Returns BOT_TOKEN, or else the content of the file that BOT_TOKEN_FILE names. */
    private String token() {
        Optional<String> file = optional("BOT_TOKEN_FILE");
        if (optional("BOT_TOKEN").isPresent() || file.isEmpty()) {
            return required("BOT_TOKEN");
        }
        String token;
        try {
            token = Files.readString(Path.of(file.get())).strip();
        } catch (IOException | IllegalArgumentException e) {
            throw new SettingException("BOT_TOKEN_FILE", "cannot be read: " + file.get(), e);
        }
        if (token.isEmpty()) {
            throw new SettingException("BOT_TOKEN_FILE", "is empty: " + file.get());
        }
        return token;
    }

    private static byte[] readCa(String file) {
        try {
            return Files.readAllBytes(Path.of(file));
        } catch (IOException | IllegalArgumentException e) {
            throw new SettingException("BOT_CA", "cannot be read: " + e, e);
        }
    }

    private static long parseNumber(String text) {
        try {
            if (DIGITS.matcher(text).matches()) {
                return Long.parseLong(text);
            }
        } catch (NumberFormatException e) {
            // It is too large.
        }
        throw new SettingException("BOT_MAX_MATCHES", "is not a number that is possible: " + text);
    }
}
