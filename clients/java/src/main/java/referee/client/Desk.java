package referee.client;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import referee.api.v1.FromBot;
import referee.api.v1.Refusal;
import referee.api.v1.Turn;
import referee.api.v1.TurnLapsed;
import referee.api.v1.Verdict;

/**
 * The turns that are owed, and the answers that were found.
 *
 * <p>It knows neither time nor network: it is told what the referee and the bot say, and tells what
 * is to be thought about and what is to be said. It outlives the stream, so that an answer found
 * while nobody was there to hear it is said when its turn is asked again.
 */
final class Desk {
    private static final String RETRY_AFTER_MS = "retry_after_ms";

    /** Does something when a time has passed. */
    interface Later {
        void after(long ms, Runnable what);
    }

    /** A seat in a match owes one turn at most. */
    private record Place(String matchId, int seat) {
        static Place of(Turn turn) {
            return new Place(turn.getMatchId(), turn.getSeat());
        }
    }

    private static final class Owed {
        final Asked asked;
        FromBot answer;

        /** What was wrong with it. */
        Refusal refused;

        Owed(Asked asked) {
            this.asked = asked;
        }

        /** A token alone does not say: turns of other matches may have it too. */
        boolean is(String matchId, String token) {
            Turn turn = asked.turn();
            return turn.getMatchId().equals(matchId) && turn.getToken().equals(token);
        }

        /** Only of a move does the verdict repeat the token. */
        boolean isMeant(Verdict verdict) {
            return verdict.getToken().isEmpty()
                    ? answer != null && answer.getItemId() == verdict.getItemId()
                    : is(verdict.getMatchId(), verdict.getToken());
        }
    }

    private final Consumer<Asked> think;
    private final Consumer<FromBot> say;
    private final Later later;
    private final Map<Place, Owed> byPlace = new HashMap<>();
    private long answers;

    Desk(Consumer<Asked> think, Consumer<FromBot> say, Later later) {
        this.think = think;
        this.say = say;
        this.later = later;
    }

    /** A turn is asked. One with a new token takes the place of the seat's turn before it. */
    void asked(Turn turn) {
        Owed before = byPlace.get(Place.of(turn));
        if (before == null) {
            begin(turn, Optional.empty());
        } else if (before.is(turn.getMatchId(), turn.getToken())) {
            sayAgain(before);
        } else {
            before.asked.drop();
            begin(turn, Optional.ofNullable(before.refused));
        }
    }

    /** The bot has found its answer. The first to a turn is said; nobody hears of another. */
    void found(Asked asked, FromBot answer) {
        Owed owed = byPlace.get(Place.of(asked.turn()));
        if (owed != null && owed.asked == asked && owed.answer == null) {
            owed.answer = answer.toBuilder().setItemId(++answers).build();
            sayAgain(owed);
        }
    }

    /** The referee has judged an answer. It says so before it asks the seat's next turn. */
    void judged(Verdict verdict) {
        byPlace.values().stream()
                .filter(owed -> owed.isMeant(verdict))
                .findFirst()
                .ifPresent(owed -> judged(owed, verdict));
    }

    private void judged(Owed owed, Verdict verdict) {
        if (verdict.hasStale()) {
            forget(owed);
        } else if (verdict.hasRefused()) {
            refused(owed, verdict.getRefused().getRefusal());
        }
    }

    private void refused(Owed owed, Refusal refusal) {
        String retryAfterMs = refusal.getMetadataMap().get(RETRY_AFTER_MS);
        if (retryAfterMs == null) {
            owed.refused = refusal;
            return;
        }
        // A store that is away, or a match on its way elsewhere: the turn stands, and is not asked
        // again.
        later.after(
                Long.parseLong(retryAfterMs),
                () -> {
                    if (owed.asked.wanted()) {
                        sayAgain(owed);
                    }
                });
    }

    /** A turn needs no answer any more. */
    void lapsed(TurnLapsed lapsed) {
        for (Owed owed : List.copyOf(byPlace.values())) {
            if (owed.is(lapsed.getMatchId(), lapsed.getToken())) {
                forget(owed);
            }
        }
    }

    /** A match is over, whether it was known or not. */
    void ended(String matchId) {
        for (Owed owed : List.copyOf(byPlace.values())) {
            if (owed.asked.turn().getMatchId().equals(matchId)) {
                forget(owed);
            }
        }
    }

    /** Nothing is owed any more: the bot stops. */
    void clear() {
        byPlace.values().forEach(owed -> owed.asked.drop());
        byPlace.clear();
    }

    private void begin(Turn turn, Optional<Refusal> refused) {
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
