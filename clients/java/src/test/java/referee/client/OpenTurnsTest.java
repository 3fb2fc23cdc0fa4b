package referee.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import referee.api.v1.Acceptance;
import referee.api.v1.BotItem;
import referee.api.v1.ErrorDetail;
import referee.api.v1.Move;
import referee.api.v1.Rejection;
import referee.api.v1.Resignation;
import referee.api.v1.StaleAnswer;
import referee.api.v1.Turn;
import referee.api.v1.TurnExpired;
import referee.api.v1.Verdict;

class OpenTurnsTest {
    private final List<TurnRequest> requests = new ArrayList<>();
    private final List<BotItem> sent = new ArrayList<>();
    private final List<Long> delays = new ArrayList<>();
    private final List<Runnable> scheduled = new ArrayList<>();
    private final OpenTurns openTurns =
            new OpenTurns(
                    requests::add,
                    sent::add,
                    (delayMs, task) -> {
                        delays.add(delayMs);
                        scheduled.add(task);
                    });

    private void receiveTurn(String matchId, int seat, String token) {
        openTurns.onTurn(
                Turn.newBuilder().setMatchId(matchId).setSeat(seat).setTurnToken(token).build());
    }

    /** Answers the request with this number, counted from 1, as the bot would. */
    private void answer(int number, String text) {
        BotItem move = BotItem.newBuilder().setMove(Move.newBuilder().setMove(text)).build();
        openTurns.setAnswer(requests.get(number - 1), move);
    }

    private void expire(String token) {
        openTurns.onTurnExpired(
                TurnExpired.newBuilder().setMatchId("m1").setTurnToken(token).build());
    }

    private void runScheduled() {
        List.copyOf(scheduled).forEach(Runnable::run);
    }

    private void answerFirstTurn() {
        receiveTurn("m1", 0, "t1");
        answer(1, "c2-c3");
    }

    private static Verdict.Builder accepted(String token) {
        return Verdict.newBuilder()
                .setMatchId("m1")
                .setTurnToken(token)
                .setAccepted(Acceptance.getDefaultInstance());
    }

    private static Verdict.Builder stale(String token) {
        return Verdict.newBuilder()
                .setMatchId("m1")
                .setTurnToken(token)
                .setStale(StaleAnswer.getDefaultInstance());
    }

    private static Verdict.Builder rejected(String token) {
        ErrorDetail.Builder error = ErrorDetail.newBuilder().setMessage("there is no c9");
        return Verdict.newBuilder()
                .setMatchId("m1")
                .setTurnToken(token)
                .setRejected(Rejection.newBuilder().setError(error));
    }

    private static Verdict.Builder rejectedTemporarily(String token) {
        ErrorDetail.Builder error = ErrorDetail.newBuilder().putMetadata("retry_after_ms", "250");
        return Verdict.newBuilder()
                .setMatchId("m1")
                .setTurnToken(token)
                .setRejected(Rejection.newBuilder().setError(error));
    }

    private List<String> sentMoves() {
        return sent.stream().map(item -> item.getMove().getMove()).toList();
    }

    /** The rejection in each request; empty if there is none. */
    private List<String> rejections() {
        return requests.stream()
                .map(each -> each.rejection().map(ErrorDetail::getMessage).orElse(""))
                .toList();
    }

    private List<Boolean> cancelled() {
        return requests.stream().map(TurnRequest::isCancelled).toList();
    }

    @Test
    void aRepeatedTurnGetsTheSameAnswer() {
        answerFirstTurn();
        openTurns.onVerdict(accepted("t1").build());
        receiveTurn("m1", 0, "t1");
        assertEquals(1, requests.size());
        assertEquals(List.of(sent.get(0), sent.get(0)), sent);
    }

    @Test
    void aTurnThatIsRepeatedWhileTheBotThinksIsNotPassedToItAgain() {
        receiveTurn("m1", 0, "t1");
        receiveTurn("m1", 0, "t1");
        assertEquals(List.of(false), cancelled());
        assertEquals(List.of(), sent);
    }

    @Test
    void onlyTheFirstAnswerToATurnIsSent() {
        answerFirstTurn();
        answer(1, "d2-d3");
        receiveTurn("m1", 0, "t1");
        assertEquals(List.of("c2-c3", "c2-c3"), sentMoves());
    }

    @Test
    void theTurnAfterARejectionHasItsError() {
        answerFirstTurn();
        openTurns.onVerdict(rejected("t1").build());
        receiveTurn("m1", 0, "t2");
        receiveTurn("m1", 0, "t3");
        assertEquals(List.of("", "there is no c9", ""), rejections());
    }

    @Test
    void anAnswerThatWasRejectedTemporarilyIsSentAgainAfterTheDelay() {
        answerFirstTurn();
        openTurns.onVerdict(rejectedTemporarily("t1").build());
        assertEquals(List.of(250L), delays);
        runScheduled();
        assertEquals(List.of(sent.get(0), sent.get(0)), sent);
    }

    @Test
    void aResignationThatWasRejectedTemporarilyIsSentAgain() {
        receiveTurn("m1", 0, "t1");
        Resignation resignation = Resignation.newBuilder().setMatchId("m1").build();
        openTurns.setAnswer(
                requests.get(0), BotItem.newBuilder().setResignation(resignation).build());
        openTurns.onVerdict(rejectedTemporarily("").setItemId(sent.get(0).getItemId()).build());
        runScheduled();
        assertEquals(List.of(sent.get(0), sent.get(0)), sent);
    }

    @Test
    void staleExpiredAndReplacedTurnsAreCancelled() {
        receiveTurn("m1", 0, "t1");
        receiveTurn("m1", 1, "t2");
        receiveTurn("m1", 2, "t3");
        openTurns.onVerdict(stale("t1").build());
        expire("t2");
        receiveTurn("m1", 2, "t4");
        assertEquals(List.of(true, true, true, false), cancelled());
        List.of(1, 2, 3).forEach(number -> answer(number, "c2-c3"));
        assertEquals(List.of(), sent);
    }

    @Test
    void turnsOfDifferentMatchesMayHaveTheSameToken() {
        List<String> matches = List.of("m1", "m2", "m3", "m4", "m5");
        matches.forEach(match -> receiveTurn(match, 0, "t1"));
        for (int last = matches.size() - 1; last >= 0; last--) {
            openTurns.onVerdict(stale("t1").setMatchId(matches.get(last)).build());
            int open = last;
            assertEquals(
                    IntStream.range(0, matches.size()).mapToObj(number -> number >= open).toList(),
                    cancelled());
        }
    }

    @Test
    void theEndOfAMatchCancelsItsTurnsOnly() {
        receiveTurn("m1", 0, "t1");
        receiveTurn("m1", 1, "t2");
        receiveTurn("m2", 0, "t3");
        openTurns.onMatchEnded("m1");
        openTurns.onMatchEnded("m1");
        assertEquals(List.of(true, true, false), cancelled());
    }

    @Test
    void cancellingATurnCancelsTheComputationOfItsAnswer() {
        receiveTurn("m1", 0, "t1");
        CompletableFuture<Void> computation = new CompletableFuture<>();
        requests.get(0).setComputation(computation);
        assertFalse(computation.isCancelled());
        expire("t1");
        assertTrue(computation.isCancelled());
    }
}
