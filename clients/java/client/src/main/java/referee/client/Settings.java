package referee.client;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ManagedChannelRegistry;
import io.grpc.TlsChannelCredentials;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import referee.api.v1.Hello;
import referee.api.v1.TurnOptions;

/**
 * Settings of a client that were checked.
 *
 * @param caPem the certificate authorities to trust in PEM; empty: those of the system
 * @param plaintext whether to connect to other machines without TLS
 * @param hello what the first session says first
 * @param executor runs the calls of the bot; empty: threads of the client
 */
record Settings(
        InetSocketAddress referee,
        String token,
        Optional<byte[]> caPem,
        boolean plaintext,
        Hello hello,
        NonceChooser nonce,
        Optional<Executor> executor,
        System.Logger logger) {
    /** The release of this library, as `pom.xml` has it. */
    static final String VERSION = "0.1.0";

    /** Matches the whole host: a name that only begins like an address may be another machine. */
    private static final Pattern LOOPBACK = Pattern.compile("localhost|::1|127(\\.\\d{1,3}){3}");

    /** The host is a name, an IPv4 address, or an IPv6 address in brackets. */
    private static final Pattern HOST_PORT =
            Pattern.compile("(?:([^\\s:/\\[\\]]+)|\\[([^\\s/\\[\\]]+)\\]):([0-9]{1,9})");

    private static final int MAX_PORT = 65_535;
    private static final long MAX_UNSIGNED_INT = 0xffff_ffffL;
    private static final Pattern PRINTABLE_ASCII = Pattern.compile("[ -~]+");

    /** A position can have thousands of moves. */
    private static final int MAX_MESSAGE_BYTES = 64 << 20;

    /**
     * @throws SettingException if a setting is invalid
     */
    static Settings of(Client.Builder builder) {
        checkToken(builder.token);
        if (builder.maxMatches < 0 || builder.maxMatches > MAX_UNSIGNED_INT) {
            throw new SettingException(
                    "BOT_MAX_MATCHES", "is not from 0 to 4294967295: " + builder.maxMatches);
        }
        Settings settings =
                new Settings(
                        address(builder.address),
                        builder.token,
                        Optional.ofNullable(builder.caPem),
                        builder.plaintext,
                        hello(builder),
                        builder.nonce,
                        Optional.ofNullable(builder.executor),
                        builder.logger);
        settings.channelBuilder();
        return settings;
    }

    private static Hello hello(Client.Builder builder) {
        TurnOptions.Builder turnOptions =
                TurnOptions.newBuilder()
                        .setMaxLegalMoves(builder.maxLegalMoves)
                        .setIncludeView(builder.view)
                        .setFullMoveHistory(builder.fullHistory);
        return Hello.newBuilder()
                .setVersion(builder.version)
                .addAllGames(builder.games)
                .setMaxMatches((int) builder.maxMatches)
                .setTurnOptions(turnOptions)
                .setVerdictsWithTurns(builder.verdictsWithTurns)
                .setClient("referee-client-java/" + VERSION)
                .build();
    }

    /** Returns the referee's address as HOST:PORT. */
    String hostPort() {
        String host = referee.getHostString();
        return (host.contains(":") ? "[" + host + "]:" : host + ":") + referee.getPort();
    }

    /** Whether to use TLS. Own authorities enforce it, even for this machine or with plaintext. */
    boolean tls() {
        boolean loopback = LOOPBACK.matcher(referee.getHostString()).matches();
        return caPem.isPresent() || !(plaintext || loopback);
    }

    /**
     * Returns a builder of channels to the referee.
     *
     * @throws SettingException if a setting is invalid
     */
    ManagedChannelBuilder<?> channelBuilder() {
        try {
            return Grpc.newChannelBuilderForAddress(
                            referee.getHostString(), referee.getPort(), credentials())
                    .maxInboundMessageSize(MAX_MESSAGE_BYTES);
        } catch (ManagedChannelRegistry.ProviderNotFoundException | IOException e) {
            throw new SettingException("BOT_CA", "cannot be used: " + e.getMessage(), e);
        }
    }

    private ChannelCredentials credentials() throws IOException {
        if (!tls()) {
            return InsecureChannelCredentials.create();
        }
        TlsChannelCredentials.Builder tls = TlsChannelCredentials.newBuilder();
        if (caPem.isPresent()) {
            checkCertificates(caPem.get());
            tls.trustManager(new ByteArrayInputStream(caPem.get()));
        }
        return tls.build();
    }

    /** Without a certificate, each connection would fail later. */
    private static void checkCertificates(byte[] pem) {
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            if (factory.generateCertificates(new ByteArrayInputStream(pem)).isEmpty()) {
                throw new SettingException("BOT_CA", "has no certificate in PEM");
            }
        } catch (CertificateException e) {
            throw new SettingException("BOT_CA", "has an invalid certificate: " + e, e);
        }
    }

    private static InetSocketAddress address(String text) {
        Matcher parts = HOST_PORT.matcher(text);
        int port = parts.matches() ? Integer.parseInt(parts.group(3)) : 0;
        if (port < 1 || port > MAX_PORT) {
            throw new SettingException("BOT_REFEREE", "is not HOST:PORT: " + text);
        }
        String host = parts.group(1) == null ? parts.group(2) : parts.group(1);
        return InetSocketAddress.createUnresolved(host, port);
    }

    /** The error does not contain the token. */
    private static void checkToken(String token) {
        if (token.isEmpty()) {
            throw new SettingException("BOT_TOKEN", "is not set");
        }
        if (!PRINTABLE_ASCII.matcher(token).matches()) {
            throw new SettingException(
                    "BOT_TOKEN", "has characters that no token has, such as the end of a line");
        }
    }
}
