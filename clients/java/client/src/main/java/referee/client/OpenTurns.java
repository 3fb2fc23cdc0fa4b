package referee.client;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import referee.api.v1.BotItem;
import referee.api.v1.ErrorDetail;
import referee.api.v1.TurnExpired;
import referee.api.v1.Verdict;

/**
 * The open turns, and their answers.
 *
 * <p>It is independent of time and network: it receives the messages of the referee and the answers
 * of the bot, and calls back when a turn needs an answer or an answer is to be sent. It outlives
 * the stream, so that an answer computed while there was no stream is sent when its turn is
 * repeated.
 */
final class OpenTurns {
    /** Runs a task after a delay. */
    interface Scheduler {
        void schedule(long delayMs, Runnable task);
    }

    private static final class OpenTurn {
        final Turn turn;

        /** The bot's answer; null until there is one. */
        @Nullable BotItem answer;

        /** Whether the turn has arrived in the current session. */
        boolean arrived = true;

        /** The error of a rejected answer; null if none was rejected. */
        @Nullable RefereeError rejection;

        OpenTurn(Turn turn) {
            this.turn = turn;
        }

        /** Compares match and token, because turns of other matches may have the same token. */
        boolean matches(String matchId, String token) {
            return turn.matchId().equals(matchId) && turn.token().equals(token);
        }

        /** Whether it is the verdict on this answer. Only verdicts on moves contain the token. */
        boolean matches(Verdict verdict) {
            return verdict.getTurnToken().isEmpty()
                    ? answer != null && answer.getItemId() == verdict.getItemId()
                    : matches(verdict.getMatchId(), verdict.getTurnToken());
        }

        boolean isAboutDraw() {
            return answer != null && (answer.hasDrawAnswer() || answer.hasDrawClaim());
        }
    }

    private final Consumer<Turn> choose;
    private final Consumer<BotItem> send;
    private final Scheduler scheduler;
    private final Map<SeatKey, OpenTurn> bySeat = new HashMap<>();

    private long lastItemId;

    /**
     * @param choose starts to compute the answer to a turn
     * @param send sends an answer
     * @param scheduler sends an answer again after a delay
     */
    OpenTurns(Consumer<Turn> choose, Consumer<BotItem> send, Scheduler scheduler) {
        this.choose = choose;
        this.send = send;
        this.scheduler = scheduler;
    }

    boolean hasAny() {
        return !bySeat.isEmpty();
    }

    /**
     * Handles the start of a session. The answer to a turn waits until the turn has arrived again,
     * or it would be sent twice.
     */
    void onSessionStarted() {
        bySeat.values().forEach(open -> open.arrived = false);
    }

    /** Handles a turn. A turn with a new token replaces the previous turn of the seat. */
    void onTurn(Turn turn) {
        OpenTurn previous = bySeat.get(SeatKey.of(turn));
        if (previous == null) {
            open(turn);
        } else if (previous.matches(turn.matchId(), turn.token())) {
            previous.arrived = true;
            resend(previous);
        } else {
            previous.turn.cancel();
            open(previous.rejection == null ? turn : attempt(turn, previous.rejection));
        }
    }

    /** Handles the bot's answer. Only the first answer to a call is sent. */
    void setAnswer(Turn turn, BotItem answer) {
        OpenTurn open = bySeat.get(SeatKey.of(turn));
        if (open != null && open.turn == turn && open.answer == null) {
            open.answer = answer.toBuilder().setItemId(++lastItemId).build();
            resend(open);
        }
    }

    /** Handles the verdict on an answer. It arrives before the next turn of the seat. */
    void onVerdict(Verdict verdict) {
        bySeat.values().stream()
                .filter(open -> open.matches(verdict))
                .findFirst()
                .ifPresent(open -> onVerdict(open, verdict));
    }

    private void onVerdict(OpenTurn open, Verdict verdict) {
        if (verdict.hasStale()) {
            close(open);
        } else if (verdict.hasRejected()) {
            onRejection(open, verdict.getRejected().getError());
        }
    }

    private void onRejection(OpenTurn open, ErrorDetail rejection) {
        RefereeError error = Conversions.error(rejection);
        OptionalLong delayMs = error.retryAfterMs();
        if (delayMs.isPresent()) {
            // Temporary (store unavailable, match in transfer): the turn stays open and is not sent
            // again.
            scheduler.schedule(delayMs.getAsLong(), () -> resend(open));
        } else if (open.isAboutDraw()) {
            // It does not answer the turn, which is still open.
            open(attempt(open.turn, error));
        } else {
            open.rejection = error;
        }
    }

    /** Handles a turn that no longer needs an answer. */
    void onTurnExpired(TurnExpired expired) {
        for (OpenTurn open : List.copyOf(bySeat.values())) {
            if (open.matches(expired.getMatchId(), expired.getTurnToken())) {
                close(open);
            }
        }
    }

    /** Handles the end of a match, whether or not it was known. */
    void onMatchEnded(String matchId) {
        for (OpenTurn open : List.copyOf(bySeat.values())) {
            if (open.turn.matchId().equals(matchId)) {
                close(open);
            }
        }
    }

    /** Cancels all open turns, because the bot stops. */
    void cancelAll() {
        bySeat.values().forEach(open -> open.turn.cancel());
        bySeat.clear();
    }

    private static Turn attempt(Turn turn, RefereeError rejection) {
        return turn.toBuilder().rejection(rejection).build();
    }

    private void open(Turn turn) {
        bySeat.put(SeatKey.of(turn), new OpenTurn(turn));
        choose.accept(turn);
    }

    private void close(OpenTurn open) {
        bySeat.remove(SeatKey.of(open.turn), open);
        open.turn.cancel();
    }

    /** Sends the answer, if there is one, and its turn is open and has arrived in this session. */
    private void resend(OpenTurn open) {
        if (open.answer != null && open.arrived && bySeat.get(SeatKey.of(open.turn)) == open) {
            send.accept(open.answer);
        }
    }
}
