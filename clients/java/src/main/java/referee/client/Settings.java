package referee.client;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ManagedChannelRegistry;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
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

    /** The host is a name, an IPv4 address, or an IPv6 address in brackets. */
    private static final Pattern HOST_PORT =
            Pattern.compile("(?:([^\\s:/\\[\\]]+)|\\[([^\\s/\\[\\]]+)\\]):([0-9]{1,9})");

    private static final int MAX_PORT = 65_535;
    private static final Pattern PRINTABLE_ASCII = Pattern.compile("[ -~]*");
    private static final Pattern DIGITS = Pattern.compile("[0-9]+");

    /**
     * @param environment returns the value of a variable, or null
     * @throws IllegalArgumentException if a setting is invalid; the message says why
     */
    static Settings of(UnaryOperator<String> environment) {
        String maxMatches = optional(environment, "BOT_MAX_MATCHES").orElse(DEFAULT_MAX_MATCHES);
        return new Settings(
                address(required(environment, "BOT_REFEREE")),
                token(environment),
                optional(environment, "BOT_CA").map(Settings::certificates),
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
        int port = parts.matches() ? Integer.parseInt(parts.group(3)) : 0;
        if (port < 1 || port > MAX_PORT) {
            throw new IllegalArgumentException("BOT_REFEREE is not HOST:PORT: " + text);
        }
        String host = parts.group(1) == null ? parts.group(2) : parts.group(1);
        return InetSocketAddress.createUnresolved(host, port);
    }

    /** Returns a file with certificates. Without one, each connection would fail later. */
    private static File certificates(String file) {
        try (InputStream pem = Files.newInputStream(Path.of(file))) {
            if (CertificateFactory.getInstance("X.509").generateCertificates(pem).isEmpty()) {
                throw new IllegalArgumentException("BOT_CA has no certificate: " + file);
            }
            return new File(file);
        } catch (IOException | CertificateException e) {
            throw new IllegalArgumentException("BOT_CA: " + file + ": " + e, e);
        }
    }

    /** Returns BOT_TOKEN, or else the content of the file that BOT_TOKEN_FILE names. */
    private static String token(UnaryOperator<String> environment) {
        String token = readToken(environment);
        if (!PRINTABLE_ASCII.matcher(token).matches()) {
            throw new IllegalArgumentException(
                    "BOT_TOKEN has characters that no token has, such as the end of a line");
        }
        return token;
    }

    private static String readToken(UnaryOperator<String> environment) {
        Optional<String> file = optional(environment, "BOT_TOKEN_FILE");
        if (optional(environment, "BOT_TOKEN").isPresent() || file.isEmpty()) {
            return required(environment, "BOT_TOKEN");
        }
        String token;
        try {
            token = Files.readString(Path.of(file.get())).strip();
        } catch (IOException e) {
            throw new IllegalArgumentException("BOT_TOKEN_FILE: " + file.get(), e);
        }
        if (token.isEmpty()) {
            throw new IllegalArgumentException("BOT_TOKEN_FILE is empty: " + file.get());
        }
        return token;
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
            if (DIGITS.matcher(text).matches()) {
                return Integer.parseUnsignedInt(text);
            }
        } catch (NumberFormatException e) {
            // It is too large.
        }
        throw new IllegalArgumentException(name + " is not a number: " + text);
    }
}
