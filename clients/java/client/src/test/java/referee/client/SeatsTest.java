package referee.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import referee.api.v1.BotItem;
import referee.api.v1.MatchEnded;
import referee.api.v1.MatchStarted;

class SeatsTest {
    private static final TestLogger LOGGER = new TestLogger(line -> {});

    private static Turn turn(int ply) {
        return Turn.builder("alquerque").matchId("m1").seat(2).ply(ply).build();
    }

    @Test
    void aBotThatCannotBeMadeOrReturnsNothingResigns() {
        Supplier<SeatBot> failing =
                () -> {
                    throw new Error("no idea", null, false, false) {}; // Without a stack trace.
                };
        for (Supplier<SeatBot> bots :
                List.of(failing, () -> turn -> null, () -> turn -> new Answer.Move(null))) {
            List<BotItem> answers = new ArrayList<>();
            new Seats(bots, Runnable::run, LOGGER).choose(turn(0), answers::add);
            assertEquals(1, answers.size());
            assertEquals(2, answers.get(0).getResignation().getSeat());
        }
    }

    @Test
    void aCallThatWasCancelledBeforeItBeganIsNotMade() {
        List<Turn> called = new ArrayList<>();
        SeatBot bot =
                turn -> {
                    called.add(turn);
                    return new Answer.Resignation();
                };
        Turn cancelled = turn(0);
        cancelled.cancel();
        List<BotItem> answers = new ArrayList<>();
        new Seats(() -> bot, Runnable::run, LOGGER).choose(cancelled, answers::add);
        assertEquals(List.of(), called);
        assertEquals(List.of(), answers);
    }

    @Test
    void aCancelledCallIsInterruptedAndTheNextOneIsNot() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        SeatBot bot =
                turn -> {
                    if (turn.ply() == 0) {
                        begun.countDown();
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt(); // As well-behaved code does.
                            throw e;
                        }
                    }
                    return new Answer.Move(Thread.interrupted() ? "interrupted" : "c2-c3");
                };
        ExecutorService executor = Executors.newSingleThreadExecutor();
        Seats seats = new Seats(() -> bot, executor, LOGGER);
        List<BotItem> answers = new ArrayList<>();
        Turn first = turn(0);
        seats.choose(first, answers::add);
        seats.choose(turn(1), answers::add);
        begun.await();
        first.cancel();
        executor.submit(() -> {}).get();
        executor.shutdown();
        assertTrue(first.isCancelled());
        assertTrue(answers.get(0).hasResignation());
        assertEquals("c2-c3", answers.get(1).getMove().getMove());
    }

    /** A bot that writes down its calls. */
    private static final class Diary implements SeatBot {
        final List<String> lines = new ArrayList<>();

        @Override
        public void started(Match match, int seat) {
            lines.add("started %s %d".formatted(match.id(), seat));
        }

        @Override
        public Answer choose(Turn turn) {
            lines.add("chose " + turn.ply());
            return new Answer.Resignation();
        }

        @Override
        public void ended(End end) {
            lines.add("ended " + end.matchId());
        }
    }

    @Test
    void aBotPerSeatIsToldEverythingInOrder() throws Exception {
        List<Diary> diaries = new ArrayList<>();
        ExecutorService executor = Executors.newFixedThreadPool(4);
        Seats seats =
                new Seats(
                        () -> {
                            diaries.add(new Diary());
                            return diaries.get(0);
                        },
                        executor,
                        LOGGER);
        referee.api.v1.Match match = referee.api.v1.Match.newBuilder().setId("m1").build();
        List<String> expected = new ArrayList<>(List.of("started m1 2"));
        seats.onMatchStarted(MatchStarted.newBuilder().setMatch(match).setSeat(2).build());
        CountDownLatch answered = new CountDownLatch(50);
        for (int ply = 0; ply < 50; ply++) {
            seats.choose(turn(ply), answer -> answered.countDown());
            expected.add("chose " + ply);
        }
        seats.onMatchEnded(MatchEnded.newBuilder().setMatchId("m1").setSeat(2).build());
        expected.add("ended m1");
        executor.shutdown();
        assertTrue(executor.awaitTermination(1, TimeUnit.MINUTES));
        assertEquals(0, answered.getCount());
        assertEquals(1, diaries.size());
        assertEquals(expected, diaries.get(0).lines);
    }

    @Test
    void aBotIsTestedWithATurnMadeByHand() throws Exception {
        Bot bot = turn -> turn.legalMoves().get(turn.ply());
        Turn turn = Turn.builder("alquerque").legalMoves(List.of("c2-c3", "d2-d3")).ply(1).build();
        assertEquals("d2-d3", bot.choose(turn));
        assertFalse(turn.isCancelled());
    }
}
