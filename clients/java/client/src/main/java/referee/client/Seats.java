package referee.client;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import referee.api.v1.BotItem;
import referee.api.v1.DrawAnswer;
import referee.api.v1.DrawClaim;
import referee.api.v1.MatchEnded;
import referee.api.v1.MatchStarted;
import referee.api.v1.Move;
import referee.api.v1.Resignation;
import referee.api.v1.Rules;

/** The bots of all seats, and their calls: one after the other for each seat. */
final class Seats {
    /** No game has longer moves, and the referee rejects longer texts. */
    private static final int MAX_MOVE_CHARS = 1000;

    /** The highest score that is sent, and the negative of the lowest. */
    private static final int MAX_SCORE = 1_000_000;

    private static final Pattern LONE_SURROGATE = Pattern.compile("\\p{Cs}");

    private final Supplier<? extends SeatBot> bots;
    private final Executor executor;
    private final Logger logger;
    private final Map<SeatKey, Seat> byKey = new HashMap<>();

    private final class Seat implements Runnable {
        /** Those that arrived last for this seat: turns omit large ones. */
        Rules rules = Rules.getDefaultInstance();

        private final Queue<Consumer<Supplier<SeatBot>>> waiting = new ArrayDeque<>();

        /** Whether somebody makes the calls. */
        private boolean running;

        /** Null before the first call. */
        private @Nullable SeatBot bot;

        void call(Consumer<Supplier<SeatBot>> call) {
            synchronized (waiting) {
                waiting.add(call);
                if (running) {
                    return;
                }
                running = true;
            }
            executor.execute(this);
        }

        /** Makes calls until none is waiting. */
        @Override
        public void run() {
            while (true) {
                Consumer<Supplier<SeatBot>> call;
                synchronized (waiting) {
                    call = waiting.poll();
                    if (call == null) {
                        running = false;
                        return;
                    }
                }
                call.accept(this::bot);
            }
        }

        /** Makes the bot when it is needed, on its own thread: it may need time, or fail. */
        private SeatBot bot() {
            if (bot == null) {
                bot = bots.get();
            }
            return bot;
        }
    }

    /**
     * @param bots makes the bot of another seat
     * @param executor runs the calls of the bots
     */
    Seats(Supplier<? extends SeatBot> bots, Executor executor, Logger logger) {
        this.bots = bots;
        this.executor = executor;
        this.logger = logger;
    }

    /** Tells the bot, once for each seat. */
    void onMatchStarted(MatchStarted message) {
        Match match = Conversions.match(message.getMatch());
        SeatKey key = new SeatKey(match.id(), message.getSeat());
        boolean known = byKey.containsKey(key);
        Seat seat = seat(key);
        seat.rules = message.getMatch().getTerms().getRules();
        if (!known) {
            seat.call(bot -> callHook("started", key, () -> bot.get().started(match, key.seat())));
        }
    }

    /** Returns the turn as the bot gets it. */
    Turn turn(referee.api.v1.Turn message) {
        Seat seat = seat(new SeatKey(message.getMatchId(), message.getSeat()));
        if (message.hasRules()) {
            seat.rules = message.getRules();
        }
        return Conversions.turn(message, seat.rules);
    }

    /** Computes the answer to a turn, and calls back unless the answer is no longer needed. */
    void choose(Turn turn, Consumer<BotItem> answered) {
        seat(SeatKey.of(turn))
                .call(
                        bot -> {
                            if (turn.begin()) {
                                answered.accept(answer(bot, turn));
                            }
                        });
    }

    /** Tells the bot, once for each seat that is known. */
    void onMatchEnded(MatchEnded message) {
        SeatKey key = new SeatKey(message.getMatchId(), message.getSeat());
        Seat seat = byKey.remove(key);
        if (seat != null) {
            End end = Conversions.end(message);
            seat.call(bot -> callHook("ended", key, () -> bot.get().ended(end)));
        }
    }

    private Seat seat(SeatKey key) {
        return byKey.computeIfAbsent(key, unknown -> new Seat());
    }

    private void callHook(String name, SeatKey key, Runnable call) {
        try {
            call.run();
        } catch (Throwable e) { // Including errors, so that other matches continue.
            String text = "%s: %s of the bot failed".formatted(subject(key), name);
            logger.log(Level.ERROR, text, e);
        }
    }

    /** Returns the bot's answer, or its resignation if its code fails. */
    BotItem answer(Supplier<SeatBot> bot, Turn turn) {
        try {
            return item(turn, bot.get().choose(turn));
        } catch (Throwable e) { // Including errors, so that other matches continue.
            if (!turn.isCancelled()) {
                String subject = subject(SeatKey.of(turn));
                String text = "%s, ply %d: the bot failed and resigns";
                logger.log(Level.ERROR, text.formatted(subject, turn.ply()), e);
            }
            return item(turn, new Answer.Resignation());
        } finally {
            turn.finish();
        }
    }

    private BotItem item(Turn turn, Answer answer) {
        Objects.requireNonNull(answer, "the bot has returned no answer");
        if (answer instanceof Answer.Move move) {
            return move(turn, new Answer.Choice(move.text(), false, OptionalInt.empty()));
        } else if (answer instanceof Answer.Choice choice) {
            return move(turn, choice);
        }
        String matchId = turn.matchId();
        int seat = turn.seat();
        BotItem.Builder item = BotItem.newBuilder();
        if (answer instanceof Answer.DrawAcceptance) {
            DrawAnswer.Builder accepted = DrawAnswer.newBuilder().setAccept(true);
            item.setDrawAnswer(accepted.setMatchId(matchId).setSeat(seat));
        } else if (answer instanceof Answer.DrawClaim) {
            item.setDrawClaim(DrawClaim.newBuilder().setMatchId(matchId).setSeat(seat));
        } else {
            item.setResignation(Resignation.newBuilder().setMatchId(matchId).setSeat(seat));
        }
        return item.build();
    }

    private BotItem move(Turn turn, Answer.Choice choice) {
        Objects.requireNonNull(choice.text(), "the bot has returned no move");
        Move.Builder move =
                Move.newBuilder()
                        .setMatchId(turn.matchId())
                        .setTurnToken(turn.token())
                        .setMove(sendable(turn, choice.text()))
                        .setOfferDraw(choice.offerDraw());
        choice.score().ifPresent(s -> move.setScore(Math.max(-MAX_SCORE, Math.min(s, MAX_SCORE))));
        return BotItem.newBuilder().setMove(move).build();
    }

    /**
     * Returns the move, or a similar text that the referee rejects if the move cannot be sent.
     *
     * <p>Such a move would break the stream, and with it all other matches. The similar text costs
     * only one attempt.
     */
    private String sendable(Turn turn, String move) {
        String subject = subject(SeatKey.of(turn)) + ": the answer";
        String text = LONE_SURROGATE.matcher(move).replaceAll("\ufffd");
        if (!text.equals(move)) {
            logger.log(Level.ERROR, subject + " is not valid UTF-8; the referee will reject it");
        }
        int chars = text.codePointCount(0, text.length());
        if (chars > MAX_MOVE_CHARS) {
            String problem = "%s has %d characters, the limit is %d; the referee will reject it";
            logger.log(Level.ERROR, problem.formatted(subject, chars, MAX_MOVE_CHARS));
            text = text.substring(0, text.offsetByCodePoints(0, MAX_MOVE_CHARS + 1));
        }
        return text;
    }

    private static String subject(SeatKey key) {
        return "match %s, seat %d".formatted(key.matchId(), key.seat());
    }
}
