package referee.client;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ManagedChannelRegistry;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the environment says: where the referee is, and who the bot is.
 *
 * @param roots a PEM file of the roots to trust; else the system's
 * @param plaintext permits to speak without TLS to another machine
 * @param verdictsWithTurns whether the verdict on an accepted move may wait for the next turn
 */
record Settings(
        InetSocketAddress referee,
        String token,
        Optional<File> roots,
        boolean plaintext,
        String version,
        int maxMatches,
        boolean verdictsWithTurns) {
    private static final String DEFAULT_MAX_MATCHES = "1";

    /** Matches the whole host: a name that merely begins like an address may be another machine. */
    private static final Pattern LOOPBACK = Pattern.compile("localhost|::1|127(\\.\\d{1,3}){3}");

    private static final Pattern HOST_PORT = Pattern.compile("\\[?([^\\]]+)]?:(.*)");

    /**
     * @param environment gives the value of a variable, or null
     * @throws IllegalArgumentException if they cannot be; the message says what is wrong
     */
    static Settings of(UnaryOperator<String> environment) {
        String maxMatches = given(environment, "BOT_MAX_MATCHES").orElse(DEFAULT_MAX_MATCHES);
        return new Settings(
                address(needed(environment, "BOT_REFEREE")),
                token(environment),
                given(environment, "BOT_CA").map(File::new),
                given(environment, "BOT_PLAINTEXT").equals(Optional.of("1")),
                given(environment, "BOT_VERSION").orElse(""),
                number("BOT_MAX_MATCHES", maxMatches),
                given(environment, "BOT_VERDICTS_WITH_TURNS").equals(Optional.of("1")));
    }

    /** Returns the referee's address as HOST:PORT. */
    String hostPort() {
        String host = referee.getHostString();
        return (host.contains(":") ? "[" + host + "]:" : host + ":") + referee.getPort();
    }

    /** TLS, except if the host is this machine or plaintext is permitted; always with roots. */
    boolean tls() {
        String host = referee.getHostString();
        boolean loopback = LOOPBACK.matcher(host).matches();
        return roots.isPresent() || !(plaintext || loopback);
    }

    /**
     * Makes channels to the referee.
     *
     * @throws IllegalArgumentException if they cannot be; the message says what is wrong
     */
    ManagedChannelBuilder<?> channels() {
        try {
            return Grpc.newChannelBuilderForAddress(
                    referee.getHostString(), referee.getPort(), credentials());
        } catch (ManagedChannelRegistry.ProviderNotFoundException why) {
            throw new IllegalArgumentException("BOT_CA: " + why.getMessage(), why);
        }
    }

    private ChannelCredentials credentials() {
        if (!tls()) {
            return InsecureChannelCredentials.create();
        }
        TlsChannelCredentials.Builder tls = TlsChannelCredentials.newBuilder();
        try {
            return roots.isPresent() ? tls.trustManager(roots.get()).build() : tls.build();
        } catch (IOException why) {
            throw new IllegalArgumentException("BOT_CA: " + why.getMessage(), why);
        }
    }

    private static InetSocketAddress address(String text) {
        Matcher parts = HOST_PORT.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("BOT_REFEREE is not HOST:PORT: " + text);
        }
        int port = number("The port in BOT_REFEREE", parts.group(2));
        return InetSocketAddress.createUnresolved(parts.group(1), port);
    }

    /** Returns BOT_TOKEN, or else the content of the file that BOT_TOKEN_FILE names. */
    private static String token(UnaryOperator<String> environment) {
        Optional<String> file = given(environment, "BOT_TOKEN_FILE");
        if (given(environment, "BOT_TOKEN").isPresent() || file.isEmpty()) {
            return needed(environment, "BOT_TOKEN");
        }
        try {
            return Files.readString(Path.of(file.get())).strip();
        } catch (IOException why) {
            throw new IllegalArgumentException("BOT_TOKEN_FILE: " + file.get(), why);
        }
    }

    private static Optional<String> given(UnaryOperator<String> environment, String name) {
        return Optional.ofNullable(environment.apply(name)).filter(text -> !text.isEmpty());
    }

    private static String needed(UnaryOperator<String> environment, String name) {
        return given(environment, name)
                .orElseThrow(() -> new IllegalArgumentException(name + " is not set"));
    }

    private static int number(String name, String text) {
        try {
            return Integer.parseUnsignedInt(text);
        } catch (NumberFormatException why) {
            throw new IllegalArgumentException(name + " is no number: " + text, why);
        }
    }
}
