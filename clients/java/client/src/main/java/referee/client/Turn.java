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
    /** The values, which nobody changes any more. */
    private final Builder values;

    private boolean cancelled;

    /** The thread that computes the answer; null if there is none. */
    private @Nullable Thread thread;

    private Turn(Builder values) {
        this.values = values;
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
        return values.clone();
    }

    /** {@return the id of the match} */
    public String matchId() {
        return values.matchId;
    }

    /** {@return the number of the seat that has to move, from 0} */
    public int seat() {
        return values.seat;
    }

    /** {@return what identifies the turn within its match} */
    public String token() {
        return values.token;
    }

    /** {@return the name of the game} */
    public String game() {
        return values.game;
    }

    /** {@return the value of each of the game's options} */
    public Map<String, String> options() {
        return values.options;
    }

    /** {@return the number of moves played} */
    public int ply() {
        return values.ply;
    }

    /** {@return the position in the game's notation, with "?" for what this seat may not know} */
    public String position() {
        return values.position;
    }

    /**
     * {@return the position as JSON in the game's view schema; empty unless {@link
     * Client.Builder#view()} asks for it}
     */
    public String view() {
        return values.view;
    }

    /**
     * {@return the moves since the last turn of this seat, or all with {@link
     * Client.Builder#fullHistory()}}
     */
    public List<PlayedMove> history() {
        return values.history;
    }

    /**
     * {@return the legal moves, sorted, and no more than {@link Client.Builder#maxLegalMoves(int)}}
     */
    public List<String> legalMoves() {
        return values.legalMoves;
    }

    /** {@return whether there are more legal moves than listed} */
    public boolean legalMovesTruncated() {
        return values.legalMovesTruncated;
    }

    /** {@return the clock of each seat} */
    public List<Clock> clocks() {
        return values.clocks;
    }

    /**
     * {@return the time until the flag of this seat falls, when the turn was sent; empty if it has
     * no clock}
     */
    public Optional<Duration> timeLeft() {
        return values.timeLeft;
    }

    /** {@return the number of answers that may still be given, including the next one} */
    public int attemptsLeft() {
        return values.attemptsLeft;
    }

    /** {@return the seats with an open draw offer, which a move declines} */
    public List<Integer> drawOffers() {
        return values.drawOffers;
    }

    /** {@return whether other seats choose at the same time, without seeing this move} */
    public boolean simultaneous() {
        return values.simultaneous;
    }

    /** {@return whether this turn was sent before, for example to an earlier process of the bot} */
    public boolean repeated() {
        return values.repeated;
    }

    /** {@return the error of the previous answer, if this is another attempt at the same move} */
    public Optional<RefereeError> rejection() {
        return values.rejection;
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
        return "Turn[match %s, seat %d, ply %d, %s]"
                .formatted(matchId(), seat(), ply(), position());
    }

    /** Builds a turn, see {@link Turn#builder(String)}. */
    public static final class Builder implements Cloneable {
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

        @Override
        protected Builder clone() {
            try {
                return (Builder) super.clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }

        /**
         * Returns the turn.
         *
         * @return the turn
         */
        public Turn build() {
            return new Turn(clone());
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
            this.options = Map.copyOf(options);
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
            this.history = List.copyOf(history);
            return this;
        }

        /**
         * Sets the legal moves, sorted, and no more than {@link Client.Builder#maxLegalMoves(int)}.
         *
         * @param legalMoves the value
         * @return this builder
         */
        public Builder legalMoves(List<String> legalMoves) {
            this.legalMoves = List.copyOf(legalMoves);
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
            this.clocks = List.copyOf(clocks);
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
            this.drawOffers = List.copyOf(drawOffers);
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
