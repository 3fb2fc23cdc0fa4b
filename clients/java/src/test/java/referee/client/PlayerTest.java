package referee.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import referee.api.v1.BotItem;
import referee.api.v1.Resignation;
import referee.api.v1.Turn;

class PlayerTest {
    @Test
    void anAnswerThatCannotBeSentIsReplacedByATextThatTheRefereeRejects() {
        Turn turn = Turn.newBuilder().setMatchId("m1").setSeat(2).setTurnToken("t1").build();
        assertEquals("c2-c3", Player.sendable(turn, "c2-c3"));
        assertEquals("😀".repeat(1000), Player.sendable(turn, "😀".repeat(1000)));
        assertEquals("😀".repeat(1001), Player.sendable(turn, "😀".repeat(2_000_000)));
        assertEquals("c2\ufffdc3", Player.sendable(turn, "c2\ud800c3"));
    }

    @Test
    void aBotThatThrowsResignsItsSeat() {
        Turn turn = Turn.newBuilder().setMatchId("m1").setSeat(2).setTurnToken("t1").build();
        Bot failing =
                request -> {
                    throw new Error("no idea", null, false, false) {}; // Without a stack trace.
                };
        Resignation resignation = Resignation.newBuilder().setMatchId("m1").setSeat(2).build();
        assertEquals(
                BotItem.newBuilder().setResignation(resignation).build(),
                Player.answer(failing, new TurnRequest(turn, Optional.empty())));
    }
}
