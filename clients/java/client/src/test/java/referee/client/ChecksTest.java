package referee.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;

class ChecksTest {
    private static final MatchTerms MATCH = MatchTerms.builder("toc").build();
    private static final TournamentFormat FORMAT = new TournamentFormat.Swiss(5);

    private static LadderTerms.Builder ladder() {
        return LadderTerms.builder(MATCH);
    }

    private static TournamentTerms.Builder tournament() {
        return TournamentTerms.builder(MATCH, FORMAT);
    }

    @TestFactory
    Stream<DynamicTest> aNegativeNumberIsRejectedBeforeItBecomesALargeOne() {
        List<Executable> calls =
                List.of(
                        () -> Client.builder("localhost:7700", "secret").maxLegalMoves(-1),
                        () -> tournament().maxConcurrentMatches(-1),
                        () -> ladder().maxConcurrentMatches(-1),
                        () -> ladder().maxMatchesPerHour(-1),
                        () -> ladder().rematchAfter(-1),
                        () -> ladder().provisionalMatches(-1),
                        () -> ladder().pauseAfterFaults(-1),
                        () -> new TournamentFormat.RoundRobin(-1),
                        () -> new TournamentFormat.Swiss(-1),
                        () -> new TournamentFormat.Pools(-1),
                        () -> new TournamentFormat.Gauntlet(List.of("anna"), -1),
                        () -> new TournamentFormat.Elimination(false, -1, false));
        return calls.stream()
                .map(
                        call ->
                                DynamicTest.dynamicTest(
                                        "call " + calls.indexOf(call),
                                        () -> assertThrows(IllegalArgumentException.class, call)));
    }

    @Test
    void aWaitThatNoMessageCanHoldIsRejected() {
        Duration longest = Duration.ofMillis(0xffff_ffffL);
        assertEquals(longest, tournament().noShow(longest).build().noShow.orElseThrow());
        for (Duration time : List.of(longest.plusMillis(1), Duration.ofMillis(-1))) {
            assertThrows(IllegalArgumentException.class, () -> tournament().noShow(time));
        }
    }

    @Test
    void challengersThatChangeLaterDoNotChangeTheFormat() {
        List<String> challengers = new ArrayList<>(List.of("anna"));
        TournamentFormat.Gauntlet gauntlet = new TournamentFormat.Gauntlet(challengers, 1);
        challengers.add("bert");
        assertEquals(List.of("anna"), gauntlet.challengers());
    }
}
