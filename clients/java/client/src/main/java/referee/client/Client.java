package referee.client;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Plays the matches of a bot on a server.
 *
 * <pre>{@code
 * try (Client client = Client.builder("localhost:7700", token).build()) {
 *     client.play(turn -> turn.legalMoves().get(0));
 * }
 * }</pre>
 *
 * <p>It answers pings while the bot computes, plays several matches at the same time, and
 * reconnects after the connection was lost, without losing a turn or answering one twice. It
 * handles no signals, does not read the environment unless {@link #fromEnvironment()} is called,
 * logs with {@link System.Logger}, and never ends the process; {@link Program} does these things.
 */
public final class Client implements AutoCloseable {
    private final Settings settings;
    private @Nullable Player player;
    private boolean closed;

    private Client(Settings settings) {
        this.settings = settings;
    }

    /**
     * Returns a builder with the default settings.
     *
     * @param address the address of the server, HOST:PORT
     * @param token the token of the bot
     * @return the builder
     */
    public static Builder builder(String address, String token) {
        Builder builder = new Builder();
        builder.address = Objects.requireNonNull(address, "address");
        builder.token = Objects.requireNonNull(token, "token");
        return builder;
    }

    /**
     * Returns a builder with the settings of the environment variables, which the README lists.
     *
     * @return the builder
     * @throws SettingException if a variable is missing or has an invalid value
     */
    public static Builder fromEnvironment() {
        return Environment.read(System::getenv);
    }

    /**
     * Plays until this client is closed, and reconnects after a session has ended.
     *
     * <p>It does not wait for calls of the bot that are still running; their turns are cancelled.
     *
     * @param bot the bot
     * @throws TakenOverException if a newer session of the same bot has taken over its seats
     * @throws RejectedException if the referee rejects the bot
     * @throws InterruptedException if this thread is interrupted, which also ends the play
     * @throws IllegalStateException if this client plays already
     */
    public void play(Bot bot) throws InterruptedException {
        Objects.requireNonNull(bot, "bot");
        SeatBot everySeat = turn -> new Answer.Move(bot.choose(turn));
        playPerSeat(() -> everySeat);
    }

    /**
     * Plays like {@link #play}, with an object for each seat of each match.
     *
     * @param bots makes the bot of another seat, such as {@code MyBot::new}
     * @throws TakenOverException if a newer session of the same bot has taken over its seats
     * @throws RejectedException if the referee rejects the bot
     * @throws InterruptedException if this thread is interrupted, which also ends the play
     * @throws IllegalStateException if this client plays already
     */
    public void playPerSeat(Supplier<? extends SeatBot> bots) throws InterruptedException {
        Objects.requireNonNull(bots, "bots");
        synchronized (this) {
            if (closed) {
                return;
            }
            if (player != null) {
                throw new IllegalStateException("this client plays already");
            }
            player = Player.create(bots, settings);
        }
        try {
            player.play();
        } finally {
            synchronized (this) {
                player = null;
            }
        }
    }

    /** Ends the play, if there is one, and any later one. It may be called on every thread. */
    @Override
    public synchronized void close() {
        closed = true;
        if (player != null) {
            player.requestStop();
        }
    }

    /** Builds a client, see {@link Client#builder}. */
    public static final class Builder {
        private static final int DEFAULT_MAX_LEGAL_MOVES = 5_000;

        String address;
        String token;

        /** Certificate authorities in PEM. Null: those of the system. */
        byte @Nullable [] caPem;

        boolean plaintext;
        String version = "";
        List<String> games = List.of();
        long maxMatches = 1;
        int maxLegalMoves = DEFAULT_MAX_LEGAL_MOVES;
        boolean view;
        boolean fullHistory;
        boolean verdictsWithTurns;
        NonceChooser nonce = (matchId, seat) -> Nonces.randomNonce();

        /** Null: threads of the client. */
        @Nullable Executor executor;

        System.Logger logger = System.getLogger("referee.client");

        Builder() {}

        /**
         * Trusts the certificate authorities of this PEM text, and no others. The connection then
         * always uses TLS. Default: TLS with the certificate authorities of the system, except for
         * addresses of this machine.
         *
         * @param pem the text
         * @return this builder
         */
        public Builder caPem(byte[] pem) {
            caPem = pem.clone();
            return this;
        }

        /**
         * Permits connections to other machines without TLS.
         *
         * @return this builder
         */
        public Builder plaintext() {
            plaintext = true;
            return this;
        }

        /**
         * Sets the version that the bot plays as. Default: the last one that was registered.
         *
         * @param version the version
         * @return this builder
         */
        public Builder version(String version) {
            this.version = Objects.requireNonNull(version, "version");
            return this;
        }

        /**
         * Sets the games that the bot plays. Default: all.
         *
         * @param games the names of the games
         * @return this builder
         */
        public Builder games(String... games) {
            this.games = List.of(games);
            return this;
        }

        /**
         * Sets how many matches the bot plays at once. Default: 1, because concurrent matches share
         * the CPU while all of their clocks run. With 0 the bot gets no new matches.
         *
         * @param matches the number, which has 32 bits without a sign
         * @return this builder
         */
        public Builder maxMatches(long matches) {
            maxMatches = matches;
            return this;
        }

        /**
         * Sets how many legal moves a turn lists at most. Default: 5000. With 0 it lists none.
         *
         * @param moves the number
         * @return this builder
         * @throws IllegalArgumentException if it is negative
         */
        public Builder maxLegalMoves(int moves) {
            if (moves < 0) {
                throw new IllegalArgumentException("maxLegalMoves is negative: " + moves);
            }
            maxLegalMoves = moves;
            return this;
        }

        /**
         * Asks for the position as JSON in each turn.
         *
         * @return this builder
         */
        public Builder view() {
            view = true;
            return this;
        }

        /**
         * Asks for all moves of the match in each turn, instead of those since the last turn of the
         * seat.
         *
         * @return this builder
         */
        public Builder fullHistory() {
            fullHistory = true;
            return this;
        }

        /**
         * Lets the verdict on an accepted move arrive with the next turn, which saves messages.
         *
         * @return this builder
         */
        public Builder verdictsWithTurns() {
            verdictsWithTurns = true;
            return this;
        }

        /**
         * Lets the bot choose what it adds to the seed of a match. Default: 32 random bytes.
         *
         * @param chooser chooses the bytes, and must return at once
         * @return this builder
         */
        public Builder nonce(NonceChooser chooser) {
            nonce = Objects.requireNonNull(chooser, "chooser");
            return this;
        }

        /**
         * Sets what runs the calls of the bot. Default: as many threads as there are calls.
         *
         * <p>It must run them on other threads: pings are answered meanwhile. The client does not
         * shut it down.
         *
         * @param executor the executor
         * @return this builder
         */
        public Builder executor(Executor executor) {
            this.executor = Objects.requireNonNull(executor, "executor");
            return this;
        }

        /**
         * Sets where the client logs. Default: the system's logger {@code referee.client}.
         *
         * @param logger the logger
         * @return this builder
         */
        public Builder logger(System.Logger logger) {
            this.logger = Objects.requireNonNull(logger, "logger");
            return this;
        }

        /**
         * Returns the client, which is not connected yet.
         *
         * @return the client
         * @throws SettingException if a setting is invalid
         */
        public Client build() {
            return new Client(Settings.of(this));
        }

        /**
         * Returns what makes calls of the contract with this token, which may be an organiser's,
         * author's or spectator's. It connects with its first call. Settings that are about bots
         * have no effect.
         *
         * @return the organiser
         * @throws SettingException if a setting is invalid
         */
        public Organiser buildOrganiser() {
            return new Organiser(Settings.of(this));
        }
    }
}
