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

class DeskTest {
    private final List<Asked> asked = new ArrayList<>();
    private final List<BotItem> said = new ArrayList<>();
    private final List<Long> waits = new ArrayList<>();
    private final List<Runnable> later = new ArrayList<>();
    private final Desk desk =
            new Desk(
                    asked::add,
                    said::add,
                    (ms, what) -> {
                        waits.add(ms);
                        later.add(what);
                    });

    private void ask(String matchId, int seat, String token) {
        desk.asked(Turn.newBuilder().setMatchId(matchId).setSeat(seat).setTurnToken(token).build());
    }

    /** The bot answers the question that it was asked as the first, second... of all. */
    private void find(int question, String text) {
        BotItem move = BotItem.newBuilder().setMove(Move.newBuilder().setMove(text)).build();
        desk.found(asked.get(question - 1), move);
    }

    private void lapse(String token) {
        desk.lapsed(TurnExpired.newBuilder().setMatchId("m1").setTurnToken(token).build());
    }

    private void timePasses() {
        List.copyOf(later).forEach(Runnable::run);
    }

    private void answerFirstTurn() {
        ask("m1", 0, "t1");
        find(1, "c2-c3");
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

    private static Verdict.Builder refused(String token) {
        ErrorDetail.Builder refusal = ErrorDetail.newBuilder().setMessage("there is no c9");
        return Verdict.newBuilder()
                .setMatchId("m1")
                .setTurnToken(token)
                .setRejected(Rejection.newBuilder().setError(refusal));
    }

    private static Verdict.Builder notNow(String token) {
        ErrorDetail.Builder refusal = ErrorDetail.newBuilder().putMetadata("retry_after_ms", "250");
        return Verdict.newBuilder()
                .setMatchId("m1")
                .setTurnToken(token)
                .setRejected(Rejection.newBuilder().setError(refusal));
    }

    private List<String> moves() {
        return said.stream().map(item -> item.getMove().getMove()).toList();
    }

    /** Why each answer was refused that has led to a question; empty where it was not. */
    private List<String> refusals() {
        return asked.stream()
                .map(each -> each.refused().map(ErrorDetail::getMessage).orElse(""))
                .toList();
    }

    private List<Boolean> wanted() {
        return asked.stream().map(Asked::wanted).toList();
    }

    @Test
    void theSameTurnAgainIsAnsweredWithTheVerySameAnswer() {
        answerFirstTurn();
        desk.judged(accepted("t1").build());
        ask("m1", 0, "t1");
        assertEquals(1, asked.size());
        assertEquals(List.of(said.get(0), said.get(0)), said);
    }

    @Test
    void theSameTurnAgainIsNotThoughtAboutTwice() {
        ask("m1", 0, "t1");
        ask("m1", 0, "t1");
        assertEquals(List.of(true), wanted());
        assertEquals(List.of(), said);
    }

    @Test
    void aTurnNeverHasTwoAnswers() {
        answerFirstTurn();
        find(1, "d2-d3");
        ask("m1", 0, "t1");
        assertEquals(List.of("c2-c3", "c2-c3"), moves());
    }

    @Test
    void afterARefusalTheNewTokenIsThoughtAboutAndSaysWhy() {
        answerFirstTurn();
        desk.judged(refused("t1").build());
        ask("m1", 0, "t2");
        ask("m1", 0, "t3");
        assertEquals(List.of("", "there is no c9", ""), refusals());
    }

    @Test
    void aRefusalThatNamesATimeIsNoVerdictOnTheMove() {
        answerFirstTurn();
        desk.judged(notNow("t1").build());
        assertEquals(List.of(250L), waits);
        timePasses();
        assertEquals(List.of(said.get(0), said.get(0)), said);
    }

    @Test
    void aResignationThatCouldNotBeTakenIsSaidAgain() {
        ask("m1", 0, "t1");
        Resignation resignation = Resignation.newBuilder().setMatchId("m1").build();
        desk.found(asked.get(0), BotItem.newBuilder().setResignation(resignation).build());
        desk.judged(notNow("").setItemId(said.get(0).getItemId()).build());
        timePasses();
        assertEquals(List.of(said.get(0), said.get(0)), said);
    }

    @Test
    void whatIsStaleOrLapsedOrFollowedByAnotherTurnIsWantedNoMore() {
        ask("m1", 0, "t1");
        ask("m1", 1, "t2");
        ask("m1", 2, "t3");
        desk.judged(stale("t1").build());
        lapse("t2");
        ask("m1", 2, "t4");
        assertEquals(List.of(false, false, false, true), wanted());
        List.of(1, 2, 3).forEach(question -> find(question, "c2-c3"));
        assertEquals(List.of(), said);
    }

    @Test
    void turnsOfDifferentMatchesMayHaveTheSameToken() {
        List<String> matches = List.of("m1", "m2", "m3", "m4", "m5");
        matches.forEach(match -> ask(match, 0, "t1"));
        for (int last = matches.size() - 1; last >= 0; last--) {
            desk.judged(stale("t1").setMatchId(matches.get(last)).build());
            int open = last;
            assertEquals(
                    IntStream.range(0, matches.size()).mapToObj(number -> number < open).toList(),
                    wanted());
        }
    }

    @Test
    void aMatchThatEndedIsForgottenAndTheOthersAreNot() {
        ask("m1", 0, "t1");
        ask("m1", 1, "t2");
        ask("m2", 0, "t3");
        desk.ended("m1");
        desk.ended("m1");
        assertEquals(List.of(false, false, true), wanted());
    }

    @Test
    void whoThinksInVainIsInterrupted() {
        ask("m1", 0, "t1");
        CompletableFuture<Void> thought = new CompletableFuture<>();
        asked.get(0).thoughtAboutBy(thought);
        assertFalse(thought.isCancelled());
        lapse("t1");
        assertTrue(thought.isCancelled());
    }
}
