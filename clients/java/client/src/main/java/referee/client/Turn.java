package referee.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request for a move. It is self-contained: a bot may forget everything between two turns.
 *
 * <p>Tests of a bot make turns of their own: {@code
 * Turn.builder("alquerque").legalMoves(List.of("c2-c3", "d2-d3")).ply(7).build()}.
 */
public final class Turn {
    private final String matchId;
    private final int seat;
    private final String token;
    private final String game;
    private final Map<String, String> options;
    private final int ply;
    private final String position;
    private final String view;
    private final List<PlayedMove> history;
    private final List<String> legalMoves;
    private final boolean legalMovesTruncated;
    private final List<Clock> clocks;
    private final Optional<Duration> timeLeft;
    private final int attemptsLeft;
    private final List<Integer> drawOffers;
    private final boolean simultaneous;
    private final boolean repeated;
    private final Optional<RefereeError> rejection;

    private boolean cancelled;

    /** The thread that computes the answer; null if there is none. */
    private @Nullable Thread thread;

    private Turn(Builder builder) {
        matchId = builder.matchId;
        seat = builder.seat;
        token = builder.token;
        game = builder.game;
        options = Map.copyOf(builder.options);
        ply = builder.ply;
        position = builder.position;
        view = builder.view;
        history = List.copyOf(builder.history);
        legalMoves = List.copyOf(builder.legalMoves);
        legalMovesTruncated = builder.legalMovesTruncated;
        clocks = List.copyOf(builder.clocks);
        timeLeft = builder.timeLeft;
        attemptsLeft = builder.attemptsLeft;
        drawOffers = List.copyOf(builder.drawOffers);
        simultaneous = builder.simultaneous;
        repeated = builder.repeated;
        rejection = builder.rejection;
    }

    /**
     * Returns a builder of a turn, for tests of a bot. Whatever is not set is 0, false or empty.
     *
     * @param game the name of the game
     * @return the builder
     */
    public static Builder builder(String game) {
        return new Builder().game(game);
    }

    /** Returns a builder with the values of this turn, which has not been cancelled. */
    Builder toBuilder() {
        Builder copy = new Builder();
        copy.matchId = matchId;
        copy.seat = seat;
        copy.token = token;
        copy.game = game;
        copy.options = options;
        copy.ply = ply;
        copy.position = position;
        copy.view = view;
        copy.history = history;
        copy.legalMoves = legalMoves;
        copy.legalMovesTruncated = legalMovesTruncated;
        copy.clocks = clocks;
        copy.timeLeft = timeLeft;
        copy.attemptsLeft = attemptsLeft;
        copy.drawOffers = drawOffers;
        copy.simultaneous = simultaneous;
        copy.repeated = repeated;
        copy.rejection = rejection;
        return copy;
    }

    /**
     * Returns the id of the match.
     *
     * @return the id of the match
     */
    public String matchId() {
        return matchId;
    }

    /**
     * Returns the number of the seat that has to move, from 0.
     *
     * @return the number of the seat that has to move
     */
    public int seat() {
        return seat;
    }

    /**
     * Returns what identifies the turn within its match.
     *
     * @return what identifies the turn within its match
     */
    public String token() {
        return token;
    }

    /**
     * Returns the name of the game.
     *
     * @return the name of the game
     */
    public String game() {
        return game;
    }

    /**
     * Returns the value of each of the game's options.
     *
     * @return the value of each of the game's options
     */
    public Map<String, String> options() {
        return options;
    }

    /**
     * Returns the number of moves played.
     *
     * @return the number of moves played
     */
    public int ply() {
        return ply;
    }

    /**
     * Returns the position in the game's notation, with "?" for what this seat may not know.
     *
     * @return the position in the game's notation
     */
    public String position() {
        return position;
    }

    /**
     * Returns the position as JSON in the game's view schema; empty unless {@link
     * Client.Builder#view()} asks for it.
     *
     * @return the position as JSON in the game's view schema
     */
    public String view() {
        return view;
    }

    /**
     * Returns the moves since the last turn of this seat, or all with {@link
     * Client.Builder#fullHistory()}.
     *
     * @return the moves since the last turn of this seat
     */
    public List<PlayedMove> history() {
        return history;
    }

    /**
     * Returns the legal moves, sorted, and no more than {@link Client.Builder#maxLegalMoves(int)}.
     *
     * @return the legal moves
     */
    public List<String> legalMoves() {
        return legalMoves;
    }

    /**
     * Returns whether there are more legal moves than listed.
     *
     * @return whether there are more legal moves than listed
     */
    public boolean legalMovesTruncated() {
        return legalMovesTruncated;
    }

    /**
     * Returns the clock of each seat.
     *
     * @return the clock of each seat
     */
    public List<Clock> clocks() {
        return clocks;
    }

    /**
     * Returns the time until the flag of this seat falls, when the turn was sent; empty if it has
     * no clock.
     *
     * @return the time until the flag of this seat falls
     */
    public Optional<Duration> timeLeft() {
        return timeLeft;
    }

    /**
     * Returns the number of answers that may still be given, including the next one.
     *
     * @return the number of answers that may still be given
     */
    public int attemptsLeft() {
        return attemptsLeft;
    }

    /**
     * Returns the seats with an open draw offer, which a move declines.
     *
     * @return the seats with an open draw offer
     */
    public List<Integer> drawOffers() {
        return drawOffers;
    }

    /**
     * Returns whether other seats choose at the same time, without seeing this move.
     *
     * @return whether other seats choose at the same time
     */
    public boolean simultaneous() {
        return simultaneous;
    }

    /**
     * Returns whether this turn was sent before, for example to an earlier process of the bot.
     *
     * @return whether this turn was sent before
     */
    public boolean repeated() {
        return repeated;
    }

    /**
     * Returns the error of the previous answer, if this is another attempt at the same move.
     *
     * @return the error of the previous answer
     */
    public Optional<RefereeError> rejection() {
        return rejection;
    }

    /**
     * Returns whether the answer is no longer needed. A long computation may check this regularly.
     *
     * @return whether the turn has ended
     */
    public synchronized boolean isCancelled() {
        return cancelled;
    }

    /** Begins the call of the bot on this thread, unless the answer is no longer needed. */
    synchronized boolean begin() {
        if (!cancelled) {
            thread = Thread.currentThread();
        }
        return !cancelled;
    }

    /** Ends the call of the bot: its thread is not interrupted any more. */
    synchronized void finish() {
        thread = null;
        if (cancelled) {
            Thread.interrupted(); // The interruption was for this call only.
        }
    }

    /** Records that the answer is no longer needed, and interrupts the thread that computes it. */
    synchronized void cancel() {
        cancelled = true;
        if (thread != null) {
            thread.interrupt();
        }
    }

    @Override
    public String toString() {
        return "Turn[match %s, seat %d, ply %d, %s]".formatted(matchId, seat, ply, position);
    }

    /** Builds a turn, see {@link Turn#builder(String)}. */
    public static final class Builder {
        private String matchId = "";
        private int seat;
        private String token = "";
        private String game = "";
        private Map<String, String> options = Map.of();
        private int ply;
        private String position = "";
        private String view = "";
        private List<PlayedMove> history = List.of();
        private List<String> legalMoves = List.of();
        private boolean legalMovesTruncated;
        private List<Clock> clocks = List.of();
        private Optional<Duration> timeLeft = Optional.empty();
        private int attemptsLeft;
        private List<Integer> drawOffers = List.of();
        private boolean simultaneous;
        private boolean repeated;
        private Optional<RefereeError> rejection = Optional.empty();

        Builder() {}

        /**
         * Returns the turn.
         *
         * @return the turn
         */
        public Turn build() {
            return new Turn(this);
        }

        /**
         * Sets the id of the match.
         *
         * @param matchId the value
         * @return this builder
         */
        public Builder matchId(String matchId) {
            this.matchId = matchId;
            return this;
        }

        /**
         * Sets the number of the seat that has to move, from 0.
         *
         * @param seat the value
         * @return this builder
         */
        public Builder seat(int seat) {
            this.seat = seat;
            return this;
        }

        /**
         * Sets what identifies the turn within its match.
         *
         * @param token the value
         * @return this builder
         */
        public Builder token(String token) {
            this.token = token;
            return this;
        }

        /**
         * Sets the name of the game.
         *
         * @param game the value
         * @return this builder
         */
        public Builder game(String game) {
            this.game = game;
            return this;
        }

        /**
         * Sets the value of each of the game's options.
         *
         * @param options the value
         * @return this builder
         */
        public Builder options(Map<String, String> options) {
            this.options = options;
            return this;
        }

        /**
         * Sets the number of moves played.
         *
         * @param ply the value
         * @return this builder
         */
        public Builder ply(int ply) {
            this.ply = ply;
            return this;
        }

        /**
         * Sets the position in the game's notation, with "?" for what this seat may not know.
         *
         * @param position the value
         * @return this builder
         */
        public Builder position(String position) {
            this.position = position;
            return this;
        }

        /**
         * Sets the position as JSON in the game's view schema.
         *
         * @param view the value
         * @return this builder
         */
        public Builder view(String view) {
            this.view = view;
            return this;
        }

        /**
         * Sets the moves since the last turn of this seat, or all with {@link
         * Client.Builder#fullHistory()}.
         *
         * @param history the value
         * @return this builder
         */
        public Builder history(List<PlayedMove> history) {
            this.history = history;
            return this;
        }

        /**
         * Sets the legal moves, sorted, and no more than {@link Client.Builder#maxLegalMoves(int)}.
         *
         * @param legalMoves the value
         * @return this builder
         */
        public Builder legalMoves(List<String> legalMoves) {
            this.legalMoves = legalMoves;
            return this;
        }

        /**
         * Sets whether there are more legal moves than listed.
         *
         * @param legalMovesTruncated the value
         * @return this builder
         */
        public Builder legalMovesTruncated(boolean legalMovesTruncated) {
            this.legalMovesTruncated = legalMovesTruncated;
            return this;
        }

        /**
         * Sets the clock of each seat.
         *
         * @param clocks the value
         * @return this builder
         */
        public Builder clocks(List<Clock> clocks) {
            this.clocks = clocks;
            return this;
        }

        /**
         * Sets the time until the flag of this seat falls, when the turn was sent.
         *
         * @param timeLeft the value
         * @return this builder
         */
        public Builder timeLeft(Duration timeLeft) {
            this.timeLeft = Optional.of(timeLeft);
            return this;
        }

        /**
         * Sets the number of answers that may still be given, including the next one.
         *
         * @param attemptsLeft the value
         * @return this builder
         */
        public Builder attemptsLeft(int attemptsLeft) {
            this.attemptsLeft = attemptsLeft;
            return this;
        }

        /**
         * Sets the seats with an open draw offer, which a move declines.
         *
         * @param drawOffers the value
         * @return this builder
         */
        public Builder drawOffers(List<Integer> drawOffers) {
            this.drawOffers = drawOffers;
            return this;
        }

        /**
         * Sets whether other seats choose at the same time, without seeing this move.
         *
         * @param simultaneous the value
         * @return this builder
         */
        public Builder simultaneous(boolean simultaneous) {
            this.simultaneous = simultaneous;
            return this;
        }

        /**
         * Sets whether this turn was sent before, for example to an earlier process of the bot.
         *
         * @param repeated the value
         * @return this builder
         */
        public Builder repeated(boolean repeated) {
            this.repeated = repeated;
            return this;
        }

        /**
         * Sets the error of the previous answer, if this is another attempt at the same move.
         *
         * @param rejection the value
         * @return this builder
         */
        public Builder rejection(RefereeError rejection) {
            this.rejection = Optional.of(rejection);
            return this;
        }
    }
}
