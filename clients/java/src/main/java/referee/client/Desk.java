package referee.client;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import referee.api.v1.BotItem;
import referee.api.v1.ErrorDetail;
import referee.api.v1.Turn;
import referee.api.v1.TurnExpired;
import referee.api.v1.Verdict;

/**
 * The open turns, and their answers.
 *
 * <p>It is independent of time and network: it receives the messages of the referee and the answers
 * of the bot, and calls back when a turn needs an answer or an answer is to be sent. It outlives
 * the stream, so that an answer found while there was no stream is sent when its turn is repeated.
 */
final class Desk {
    private static final String RETRY_AFTER_MS = "retry_after_ms";

    /** Calls a function after a delay. */
    interface Later {
        void after(long ms, Runnable what);
    }

    /** A seat in a match, which has at most one open turn. */
    private record Place(String matchId, int seat) {
        static Place of(Turn turn) {
            return new Place(turn.getMatchId(), turn.getSeat());
        }
    }

    private static final class Owed {
        final Asked asked;
        BotItem answer;

        /** The error of a rejected answer. */
        ErrorDetail refused;

        Owed(Asked asked) {
            this.asked = asked;
        }

        /** Compares match and token, because turns of other matches may have the same token. */
        boolean is(String matchId, String token) {
            Turn turn = asked.turn();
            return turn.getMatchId().equals(matchId) && turn.getTurnToken().equals(token);
        }

        /** Whether it is the verdict on this answer. Only verdicts on moves contain the token. */
        boolean isMeant(Verdict verdict) {
            return verdict.getTurnToken().isEmpty()
                    ? answer != null && answer.getItemId() == verdict.getItemId()
                    : is(verdict.getMatchId(), verdict.getTurnToken());
        }
    }

    private final Consumer<Asked> think;
    private final Consumer<BotItem> say;
    private final Later later;
    private final Map<Place, Owed> byPlace = new HashMap<>();
    private long answers;

    Desk(Consumer<Asked> think, Consumer<BotItem> say, Later later) {
        this.think = think;
        this.say = say;
        this.later = later;
    }

    /** Handles a turn. A turn with a new token replaces the previous turn of the seat. */
    void asked(Turn turn) {
        Owed before = byPlace.get(Place.of(turn));
        if (before == null) {
            begin(turn, Optional.empty());
        } else if (before.is(turn.getMatchId(), turn.getTurnToken())) {
            sayAgain(before);
        } else {
            before.asked.drop();
            begin(turn, Optional.ofNullable(before.refused));
        }
    }

    /** Handles the bot's answer. Only the first answer to a turn is sent. */
    void found(Asked asked, BotItem answer) {
        Owed owed = byPlace.get(Place.of(asked.turn()));
        if (owed != null && owed.asked == asked && owed.answer == null) {
            owed.answer = answer.toBuilder().setItemId(++answers).build();
            sayAgain(owed);
        }
    }

    /** Handles the verdict on an answer. It arrives before the next turn of the seat. */
    void judged(Verdict verdict) {
        byPlace.values().stream()
                .filter(owed -> owed.isMeant(verdict))
                .findFirst()
                .ifPresent(owed -> judged(owed, verdict));
    }

    private void judged(Owed owed, Verdict verdict) {
        if (verdict.hasStale()) {
            forget(owed);
        } else if (verdict.hasRejected()) {
            refused(owed, verdict.getRejected().getError());
        }
    }

    private void refused(Owed owed, ErrorDetail refusal) {
        String retryAfterMs = refusal.getMetadataMap().get(RETRY_AFTER_MS);
        if (retryAfterMs == null) {
            owed.refused = refusal;
            return;
        }
        // Temporary (store unavailable, match in transfer): the turn stays open and is not sent
        // again.
        later.after(
                Long.parseLong(retryAfterMs),
                () -> {
                    if (owed.asked.wanted()) {
                        sayAgain(owed);
                    }
                });
    }

    /** Handles a turn that no longer needs an answer. */
    void lapsed(TurnExpired lapsed) {
        for (Owed owed : List.copyOf(byPlace.values())) {
            if (owed.is(lapsed.getMatchId(), lapsed.getTurnToken())) {
                forget(owed);
            }
        }
    }

    /** Handles the end of a match, whether or not it was known. */
    void ended(String matchId) {
        for (Owed owed : List.copyOf(byPlace.values())) {
            if (owed.asked.turn().getMatchId().equals(matchId)) {
                forget(owed);
            }
        }
    }

    /** Drops all open turns, because the bot stops. */
    void clear() {
        byPlace.values().forEach(owed -> owed.asked.drop());
        byPlace.clear();
    }

    private void begin(Turn turn, Optional<ErrorDetail> refused) {
        Asked asked = new Asked(turn, refused);
        byPlace.put(Place.of(turn), new Owed(asked));
        think.accept(asked);
    }

    private void forget(Owed owed) {
        byPlace.remove(Place.of(owed.asked.turn()), owed);
        owed.asked.drop();
    }

    private void sayAgain(Owed owed) {
        if (owed.answer != null) {
            say.accept(owed.answer);
        }
    }
}
