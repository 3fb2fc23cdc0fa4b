package referee.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.google.protobuf.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import referee.api.v1.PairingPhase;
import referee.api.v1.TieBreak;
import referee.api.v1.TournamentPhase;

class ContestConversionsTest {
    private static final MatchTerms MATCH = MatchTerms.builder("toc").build();
    private static final Instant TIME = Instant.ofEpochSecond(1_800_000_000);
    private static final Timestamp TIMESTAMP =
            Timestamp.newBuilder().setSeconds(TIME.getEpochSecond()).build();
    private static final referee.api.v1.Pairing PAIRING_MESSAGE =
            referee.api.v1.Pairing.newBuilder()
                    .setId("p1")
                    .setRound(2)
                    .setBoard(3)
                    .addAllEntrants(List.of("anna", "bert"))
                    .setPhase(PairingPhase.PAIRING_PHASE_DONE)
                    .addMatchIds("m1")
                    .addAllPoints(List.of(1.0, 0.0))
                    .addAbsentEntrants("bert")
                    .build();
    private static final Pairing PAIRING =
            new Pairing(
                    "p1",
                    2,
                    3,
                    List.of("anna", "bert"),
                    Pairing.Phase.DONE,
                    List.of("m1"),
                    List.of(1.0, 0.0),
                    List.of("bert"));
    private static final referee.api.v1.TournamentStanding STANDING_MESSAGE =
            referee.api.v1.TournamentStanding.newBuilder()
                    .setRank(1)
                    .setEntrant("anna")
                    .setPoints(1.5)
                    .addTieBreaks(
                            referee.api.v1.TieBreakValue.newBuilder()
                                    .setTieBreak(TieBreak.TIE_BREAK_SONNEBORN_BERGER)
                                    .setValue(2.5))
                    .setWins(2)
                    .setDraws(3)
                    .setLosses(4)
                    .setForfeits(5)
                    .setByes(6)
                    .build();
    private static final TournamentStanding STANDING =
            new TournamentStanding(
                    1,
                    "anna",
                    1.5,
                    List.of(new TournamentStanding.TieBreak("sonneborn_berger", 2.5)),
                    2,
                    3,
                    4,
                    5,
                    6);

    private static referee.api.v1.TournamentTerms converted(TournamentFormat format) {
        return ContestConversions.message(TournamentTerms.builder(MATCH, format).build());
    }

    private static TournamentEntry converted(referee.api.v1.TournamentEntry.Builder entry) {
        return ContestConversions.entry(entry.setNumber(7).setCreateTime(TIMESTAMP).build());
    }

    private static TournamentEntry entry(String kind, List<Pairing> pairings, String message) {
        return new TournamentEntry(
                7, TIME, kind, Optional.empty(), Optional.empty(), pairings, List.of(), message);
    }

    private static LadderEntry converted(referee.api.v1.LadderEntry.Builder entry) {
        return ContestConversions.entry(entry.setNumber(7).setCreateTime(TIMESTAMP).build());
    }

    @Test
    void anEntrantIsABotOrSeveralOfAnyVersionOrOfOne() {
        for (Entrant entrant :
                List.of(
                        Entrant.bot("anna"),
                        Entrant.bot("anna/1.4"),
                        Entrant.team("reds", "anna", "bert/2/b"))) {
            assertEquals(entrant, ContestConversions.entrant(ContestConversions.message(entrant)));
        }
        referee.api.v1.Entrant message =
                ContestConversions.message(Entrant.team("reds", "anna", "bert/2/b"));
        assertEquals("anna", Entrant.bot("anna/1.4").name());
        assertEquals(
                "bert 2/b", message.getBots(1).getBot() + " " + message.getBots(1).getVersion());
    }

    @Test
    void theTermsOfATournamentHaveItsFormat() {
        assertEquals(2, converted(new TournamentFormat.RoundRobin(2)).getRoundRobin().getCycles());
        assertEquals(5, converted(new TournamentFormat.Swiss(5)).getSwiss().getRounds());
        referee.api.v1.Elimination knockOut =
                converted(new TournamentFormat.Elimination(true, 3, true)).getElimination();
        assertEquals(
                referee.api.v1.Elimination.newBuilder()
                        .setDoubleElimination(true)
                        .setMatchesPerPairing(3)
                        .setThirdPlaceMatch(true)
                        .build(),
                knockOut);
        referee.api.v1.Gauntlet gauntlet =
                converted(new TournamentFormat.Gauntlet(List.of("anna"), 2)).getGauntlet();
        assertEquals("anna 2", gauntlet.getChallengers(0) + " " + gauntlet.getCycles());
        assertEquals(3, converted(new TournamentFormat.Pools(3)).getPools().getRounds());
    }

    @Test
    void termsThatAreNotGivenHaveTheDefaultsOfTheServer() {
        referee.api.v1.TournamentTerms least = converted(new TournamentFormat.Elimination());
        assertFalse(least.hasNoShowMs());
        assertEquals(" 0", least.getLadder() + " " + least.getMaxConcurrentMatches());
        TournamentTerms.Builder given =
                TournamentTerms.builder(MATCH, new TournamentFormat.Swiss(5))
                        .ladder("main")
                        .maxConcurrentMatches(8)
                        .noShow(Duration.ofSeconds(1));
        referee.api.v1.TournamentTerms most = ContestConversions.message(given.build());
        assertEquals("main 8", most.getLadder() + " " + most.getMaxConcurrentMatches());
        assertEquals(1_000, most.getNoShowMs());
        referee.api.v1.LadderTerms ladder =
                ContestConversions.message(
                        LadderTerms.builder(MATCH, MatchTerms.builder("trox").build())
                                .maxConcurrentMatches(1)
                                .maxMatchesPerHour(2)
                                .rematchAfter(3)
                                .provisionalMatches(4)
                                .pauseAfterFaults(5)
                                .build());
        assertEquals("trox", ladder.getMatchTerms(1).getRules().getGame());
        assertEquals(
                List.of(1, 2, 3, 4, 5),
                List.of(
                        ladder.getMaxConcurrentMatches(),
                        ladder.getMaxMatchesPerHour(),
                        ladder.getRematchAfter(),
                        ladder.getProvisionalMatches(),
                        ladder.getPauseAfterFaults()));
    }

    @Test
    void aTournamentHasWhatTheRefereeSent() {
        referee.api.v1.Tournament.Builder message =
                referee.api.v1.Tournament.newBuilder()
                        .setName("cup")
                        .setTitle("The cup")
                        .setTerms(converted(new TournamentFormat.RoundRobin(1)))
                        .setPhase(TournamentPhase.TOURNAMENT_PHASE_PLAYING)
                        .addEntrants(ContestConversions.message(Entrant.bot("anna")))
                        .addWithdrawnEntrants("bert")
                        .setCurrentRound(1)
                        .setTotalRounds(3)
                        .setCompletedPairings(4)
                        .setTotalPairings(9)
                        .setStartTime(TIMESTAMP);
        Tournament expected =
                new Tournament(
                        "cup",
                        "The cup",
                        "toc",
                        "round_robin",
                        Tournament.Phase.PLAYING,
                        List.of(Entrant.bot("anna")),
                        List.of("bert"),
                        1,
                        3,
                        4,
                        9,
                        Optional.of(TIME),
                        Optional.empty());
        assertEquals(expected, ContestConversions.tournament(message.build()));
        Tournament newer = ContestConversions.tournament(message.setPhaseValue(99).build());
        assertEquals(Tournament.Phase.UNKNOWN, newer.phase());
    }

    @Test
    void anEntryOfATournamentHasWhatItsEventIsAbout() {
        referee.api.v1.TournamentEntry.Builder joined = referee.api.v1.TournamentEntry.newBuilder();
        joined.getEntrantJoinedBuilder().getEntrantBuilder().setName("anna");
        assertEquals(Optional.of("anna"), converted(joined).entrant());
        assertEquals("entrant_joined", converted(joined).kind());

        referee.api.v1.TournamentEntry.Builder left = referee.api.v1.TournamentEntry.newBuilder();
        left.getEntrantLeftBuilder().setEntrant("anna").setMessage("ill");
        assertEquals(Optional.of("anna"), converted(left).entrant());
        assertEquals("ill", converted(left).message());

        referee.api.v1.TournamentEntry.Builder round = referee.api.v1.TournamentEntry.newBuilder();
        round.getRoundStartedBuilder()
                .setRound(2)
                .addPairings(PAIRING_MESSAGE)
                .addStandings(STANDING_MESSAGE);
        TournamentEntry started =
                new TournamentEntry(
                        7,
                        TIME,
                        "round_started",
                        Optional.empty(),
                        Optional.of(2),
                        List.of(PAIRING),
                        List.of(STANDING),
                        "");
        assertEquals(started, converted(round));

        referee.api.v1.TournamentEntry.Builder ended = referee.api.v1.TournamentEntry.newBuilder();
        ended.getEndedBuilder().addStandings(STANDING_MESSAGE).setMessage("rain");
        assertEquals(List.of(STANDING), converted(ended).standings());
        assertEquals("rain", converted(ended).message());
        TournamentEntry newer = converted(referee.api.v1.TournamentEntry.newBuilder());
        assertEquals(entry("", List.of(), ""), newer);
    }

    @Test
    void anEntryAboutPairingsHasThem() {
        referee.api.v1.TournamentEntry.Builder message =
                referee.api.v1.TournamentEntry.newBuilder();
        message.setPairing(PAIRING_MESSAGE);
        assertEquals(entry("pairing", List.of(PAIRING), ""), converted(message));
        message.getPairingsPlannedBuilder().addPairings(PAIRING_MESSAGE);
        assertEquals(entry("pairings_planned", List.of(PAIRING), ""), converted(message));
        message.getPairingsReplacedBuilder().addPairings(PAIRING_MESSAGE).setMessage("why");
        assertEquals(entry("pairings_replaced", List.of(PAIRING), "why"), converted(message));
        message.getEntrantsAbsentBuilder().setPairing(PAIRING_MESSAGE).setMessage("why");
        assertEquals(entry("entrants_absent", List.of(PAIRING), "why"), converted(message));
        message.getPairingPostponedBuilder().setPairing(PAIRING_MESSAGE).setMessage("why");
        assertEquals(entry("pairing_postponed", List.of(PAIRING), "why"), converted(message));
        message.getPairingReopenedBuilder().setPairing(PAIRING_MESSAGE).setMessage("why");
        assertEquals(entry("pairing_reopened", List.of(PAIRING), "why"), converted(message));
        message.getScoreCorrectedBuilder().setPairing(PAIRING_MESSAGE);
        message.getScoreCorrectedBuilder().getCorrectionBuilder().setMessage("why");
        assertEquals(entry("score_corrected", List.of(PAIRING), "why"), converted(message));
    }

    @Test
    void aLadderAndItsStandingsHaveWhatTheRefereeSent() {
        referee.api.v1.Ladder.Builder ladder =
                referee.api.v1.Ladder.newBuilder()
                        .setName("main")
                        .setTitle("Main")
                        .setTerms(ContestConversions.message(LadderTerms.builder(MATCH).build()))
                        .setClosed(true)
                        .setSeason(2)
                        .setEntrantCount(7);
        assertEquals(
                new Ladder("main", "Main", List.of("toc"), true, false, 2, 7),
                ContestConversions.ladder(ladder.build()));
        referee.api.v1.LadderStanding.Builder standing =
                referee.api.v1.LadderStanding.newBuilder()
                        .setRank(1)
                        .setEntrant(ContestConversions.message(Entrant.bot("anna")))
                        .setVersion("1.4")
                        .setLowerBound(1340)
                        .setWins(2)
                        .setDraws(3)
                        .setLosses(4)
                        .setForfeits(5)
                        .setIdle(true);
        standing.getRatingBuilder()
                .setValue(1500)
                .setDeviation(80)
                .setMatches(9)
                .setProvisional(true);
        Rating rating = new Rating(1500, 80, 9, true);
        assertEquals(
                new LadderStanding(1, Entrant.bot("anna"), "1.4", rating, 1340, 2, 3, 4, 5, true),
                ContestConversions.standing(standing.build()));
    }

    @Test
    void anEntryOfALadderHasWhatItsEventIsAbout() {
        referee.api.v1.LadderEntry.Builder message = referee.api.v1.LadderEntry.newBuilder();
        message.setPairing(PAIRING_MESSAGE);
        assertEquals(Optional.of(PAIRING), converted(message).pairing());
        assertEquals("pairing", converted(message).kind());

        message.getMatchRatedBuilder().setMatchId("m1");
        message.getMatchRatedBuilder()
                .addRatingsBuilder()
                .setSeat(1)
                .setBot("anna")
                .setVersion("2")
                .getAfterBuilder()
                .setValue(1510);
        RatingChange change =
                new RatingChange(
                        1, "anna", "2", new Rating(0, 0, 0, false), new Rating(1510, 0, 0, false));
        LadderEntry rated =
                new LadderEntry(
                        7,
                        TIME,
                        "match_rated",
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of("m1"),
                        List.of(change),
                        "");
        assertEquals(rated, converted(message));

        message.getMatchCorrectedBuilder().setMatchId("m1").setMessage("a bug");
        assertEquals(Optional.of("m1"), converted(message).matchId());
        assertEquals("a bug", converted(message).message());
        message.getEntrantLeftBuilder().setEntrant("anna").setMessage("ill");
        assertEquals(Optional.of("anna"), converted(message).entrant());
        assertEquals("ill", converted(message).message());
        message.getPausedBuilder().setMessage("lunch");
        assertEquals("lunch", converted(message).message());
        message.getClosedBuilder().setMessage("thanks");
        assertEquals(
                "closed thanks", converted(message).kind() + " " + converted(message).message());
    }
}
