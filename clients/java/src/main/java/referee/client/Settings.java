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
 * Settings from environment variables: the address of the referee, and the identity of the bot.
 *
 * @param caFile a PEM file of the root certificates to trust; empty: those of the system
 * @param plaintext whether to connect to other machines without TLS
 * @param verdictsWithTurns whether the verdict on an accepted move may wait for the next turn
 */
record Settings(
        InetSocketAddress referee,
        String token,
        Optional<File> caFile,
        boolean plaintext,
        String version,
        int maxMatches,
        boolean verdictsWithTurns) {
    private static final String DEFAULT_MAX_MATCHES = "1";

    /** Matches the whole host: a name that only begins like an address may be another machine. */
    private static final Pattern LOOPBACK = Pattern.compile("localhost|::1|127(\\.\\d{1,3}){3}");

    private static final Pattern HOST_PORT = Pattern.compile("\\[?([^\\]]+)]?:(.*)");

    /**
     * @param environment returns the value of a variable, or null
     * @throws IllegalArgumentException if a setting is invalid; the message says why
     */
    static Settings of(UnaryOperator<String> environment) {
        String maxMatches = optional(environment, "BOT_MAX_MATCHES").orElse(DEFAULT_MAX_MATCHES);
        return new Settings(
                address(required(environment, "BOT_REFEREE")),
                token(environment),
                optional(environment, "BOT_CA").map(File::new),
                optional(environment, "BOT_PLAINTEXT").equals(Optional.of("1")),
                optional(environment, "BOT_VERSION").orElse(""),
                parseNumber("BOT_MAX_MATCHES", maxMatches),
                optional(environment, "BOT_VERDICTS_WITH_TURNS").equals(Optional.of("1")));
    }

    /** Returns the referee's address as HOST:PORT. */
    String hostPort() {
        String host = referee.getHostString();
        return (host.contains(":") ? "[" + host + "]:" : host + ":") + referee.getPort();
    }

    /** Whether to use TLS. A CA file enforces it, even for this machine or with plaintext. */
    boolean tls() {
        String host = referee.getHostString();
        boolean loopback = LOOPBACK.matcher(host).matches();
        return caFile.isPresent() || !(plaintext || loopback);
    }

    /**
     * Returns a builder of channels to the referee.
     *
     * @throws IllegalArgumentException if a setting is invalid; the message says why
     */
    ManagedChannelBuilder<?> channelBuilder() {
        try {
            return Grpc.newChannelBuilderForAddress(
                    referee.getHostString(), referee.getPort(), credentials());
        } catch (ManagedChannelRegistry.ProviderNotFoundException e) {
            throw new IllegalArgumentException("BOT_CA: " + e.getMessage(), e);
        }
    }

    private ChannelCredentials credentials() {
        if (!tls()) {
            return InsecureChannelCredentials.create();
        }
        TlsChannelCredentials.Builder tls = TlsChannelCredentials.newBuilder();
        try {
            return caFile.isPresent() ? tls.trustManager(caFile.get()).build() : tls.build();
        } catch (IOException e) {
            throw new IllegalArgumentException("BOT_CA: " + e.getMessage(), e);
        }
    }

    private static InetSocketAddress address(String text) {
        Matcher parts = HOST_PORT.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("BOT_REFEREE is not HOST:PORT: " + text);
        }
        int port = parseNumber("The port in BOT_REFEREE", parts.group(2));
        return InetSocketAddress.createUnresolved(parts.group(1), port);
    }

    /** Returns BOT_TOKEN, or else the content of the file that BOT_TOKEN_FILE names. */
    private static String token(UnaryOperator<String> environment) {
        Optional<String> file = optional(environment, "BOT_TOKEN_FILE");
        if (optional(environment, "BOT_TOKEN").isPresent() || file.isEmpty()) {
            return required(environment, "BOT_TOKEN");
        }
        try {
            return Files.readString(Path.of(file.get())).strip();
        } catch (IOException e) {
            throw new IllegalArgumentException("BOT_TOKEN_FILE: " + file.get(), e);
        }
    }

    private static Optional<String> optional(UnaryOperator<String> environment, String name) {
        return Optional.ofNullable(environment.apply(name)).filter(text -> !text.isEmpty());
    }

    private static String required(UnaryOperator<String> environment, String name) {
        return optional(environment, name)
                .orElseThrow(() -> new IllegalArgumentException(name + " is not set"));
    }

    private static int parseNumber(String name, String text) {
        try {
            return Integer.parseUnsignedInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " is not a number: " + text, e);
        }
    }
}
