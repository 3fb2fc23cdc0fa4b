package referee.client;

import com.google.protobuf.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import referee.api.v1.BotRef;
import referee.api.v1.PairingPhase;
import referee.api.v1.TournamentPhase;

/**
 * Conversions of messages about contests to the types of this library, and of terms to messages.
 */
final class ContestConversions {
    private ContestConversions() {}

    static referee.api.v1.Entrant message(Entrant entrant) {
        referee.api.v1.Entrant.Builder message =
                referee.api.v1.Entrant.newBuilder().setName(entrant.name());
        for (String text : entrant.bots()) {
            String[] parts = text.split("/", 2);
            BotRef.Builder bot = message.addBotsBuilder().setBot(parts[0]);
            if (parts.length > 1) {
                bot.setVersion(parts[1]);
            }
        }
        return message.build();
    }

    static Entrant entrant(referee.api.v1.Entrant message) {
        List<String> bots =
                message.getBotsList().stream()
                        .map(
                                bot ->
                                        bot.getVersion().isEmpty()
                                                ? bot.getBot()
                                                : bot.getBot() + "/" + bot.getVersion())
                        .toList();
        return new Entrant(message.getName(), bots);
    }

    static Pairing pairing(referee.api.v1.Pairing message) {
        return new Pairing(
                message.getId(),
                message.getRound(),
                message.getBoard(),
                List.copyOf(message.getEntrantsList()),
                phase(message.getPhase()),
                List.copyOf(message.getMatchIdsList()),
                List.copyOf(message.getPointsList()),
                List.copyOf(message.getAbsentEntrantsList()));
    }

    private static Pairing.Phase phase(PairingPhase phase) {
        return switch (phase) {
            case PAIRING_PHASE_PLANNED -> Pairing.Phase.PLANNED;
            case PAIRING_PHASE_PLAYING -> Pairing.Phase.PLAYING;
            case PAIRING_PHASE_DONE -> Pairing.Phase.DONE;
            default -> Pairing.Phase.UNKNOWN;
        };
    }

    static referee.api.v1.TournamentTerms message(TournamentTerms terms) {
        referee.api.v1.TournamentTerms.Builder message =
                referee.api.v1.TournamentTerms.newBuilder()
                        .setMatchTerms(Conversions.terms(terms.match))
                        .setLadder(terms.ladder)
                        .setMaxConcurrentMatches(terms.maxConcurrentMatches);
        terms.noShow.ifPresent(time -> message.setNoShowMs((int) time.toMillis()));
        setFormat(message, terms.format);
        return message.build();
    }

    private static void setFormat(
            referee.api.v1.TournamentTerms.Builder message, TournamentFormat format) {
        if (format instanceof TournamentFormat.RoundRobin roundRobin) {
            message.getRoundRobinBuilder().setCycles(roundRobin.cycles());
        } else if (format instanceof TournamentFormat.Swiss swiss) {
            message.getSwissBuilder().setRounds(swiss.rounds());
        } else if (format instanceof TournamentFormat.Elimination elimination) {
            message.getEliminationBuilder()
                    .setDoubleElimination(elimination.doubleElimination())
                    .setMatchesPerPairing(elimination.matchesPerPairing())
                    .setThirdPlaceMatch(elimination.thirdPlaceMatch());
        } else if (format instanceof TournamentFormat.Gauntlet gauntlet) {
            message.getGauntletBuilder()
                    .addAllChallengers(gauntlet.challengers())
                    .setCycles(gauntlet.cycles());
        } else if (format instanceof TournamentFormat.Pools pools) {
            message.getPoolsBuilder().setRounds(pools.rounds());
        }
    }

    static Tournament tournament(referee.api.v1.Tournament message) {
        return new Tournament(
                message.getName(),
                message.getTitle(),
                message.getTerms().getMatchTerms().getRules().getGame(),
                Conversions.kind(message.getTerms().getFormatCase()),
                phase(message.getPhase()),
                message.getEntrantsList().stream().map(ContestConversions::entrant).toList(),
                List.copyOf(message.getWithdrawnEntrantsList()),
                message.getCurrentRound(),
                message.getTotalRounds(),
                message.getCompletedPairings(),
                message.getTotalPairings(),
                time(message.hasStartTime(), message.getStartTime()),
                time(message.hasEndTime(), message.getEndTime()));
    }

    private static Optional<Instant> time(boolean isSet, Timestamp time) {
        return isSet ? Optional.of(Conversions.instant(time)) : Optional.empty();
    }

    private static Tournament.Phase phase(TournamentPhase phase) {
        return switch (phase) {
            case TOURNAMENT_PHASE_ENTRY -> Tournament.Phase.ENTRY;
            case TOURNAMENT_PHASE_PLAYING -> Tournament.Phase.PLAYING;
            case TOURNAMENT_PHASE_FINISHED -> Tournament.Phase.FINISHED;
            case TOURNAMENT_PHASE_CANCELLED -> Tournament.Phase.CANCELLED;
            default -> Tournament.Phase.UNKNOWN;
        };
    }

    static TournamentPhase message(Tournament.Phase phase) {
        return TournamentPhase.valueOf("TOURNAMENT_PHASE_" + phase.name());
    }

    static TournamentStanding standing(referee.api.v1.TournamentStanding message) {
        return new TournamentStanding(
                message.getRank(),
                message.getEntrant(),
                message.getPoints(),
                message.getTieBreaksList().stream()
                        .map(
                                value ->
                                        new TournamentStanding.TieBreak(
                                                Conversions.word(
                                                        value.getTieBreak(),
                                                        value.getTieBreakValue()),
                                                value.getValue()))
                        .toList(),
                message.getWins(),
                message.getDraws(),
                message.getLosses(),
                message.getForfeits(),
                message.getByes());
    }

    static TournamentEntry entry(referee.api.v1.TournamentEntry message) {
        return new TournamentEntry(
                message.getNumber(),
                Conversions.instant(message.getCreateTime()),
                Conversions.kind(message.getEventCase()),
                switch (message.getEventCase()) {
                    case ENTRANT_JOINED ->
                            Optional.of(message.getEntrantJoined().getEntrant().getName());
                    case ENTRANT_LEFT -> Optional.of(message.getEntrantLeft().getEntrant());
                    default -> Optional.empty();
                },
                message.hasRoundStarted()
                        ? Optional.of(message.getRoundStarted().getRound())
                        : Optional.empty(),
                pairings(message).stream().map(ContestConversions::pairing).toList(),
                standings(message).stream().map(ContestConversions::standing).toList(),
                text(message));
    }

    private static List<referee.api.v1.Pairing> pairings(referee.api.v1.TournamentEntry message) {
        return switch (message.getEventCase()) {
            case PAIRING -> List.of(message.getPairing());
            case PAIRINGS_PLANNED -> message.getPairingsPlanned().getPairingsList();
            case PAIRINGS_REPLACED -> message.getPairingsReplaced().getPairingsList();
            case ROUND_STARTED -> message.getRoundStarted().getPairingsList();
            case ENTRANTS_ABSENT -> List.of(message.getEntrantsAbsent().getPairing());
            case PAIRING_POSTPONED -> List.of(message.getPairingPostponed().getPairing());
            case PAIRING_REOPENED -> List.of(message.getPairingReopened().getPairing());
            case SCORE_CORRECTED -> List.of(message.getScoreCorrected().getPairing());
            default -> List.of();
        };
    }

    private static List<referee.api.v1.TournamentStanding> standings(
            referee.api.v1.TournamentEntry message) {
        return message.hasEnded()
                ? message.getEnded().getStandingsList()
                : message.getRoundStarted().getStandingsList();
    }

    private static String text(referee.api.v1.TournamentEntry message) {
        return switch (message.getEventCase()) {
            case ENTRANT_LEFT -> message.getEntrantLeft().getMessage();
            case ENDED -> message.getEnded().getMessage();
            case ENTRANTS_ABSENT -> message.getEntrantsAbsent().getMessage();
            case PAIRINGS_REPLACED -> message.getPairingsReplaced().getMessage();
            case PAIRING_POSTPONED -> message.getPairingPostponed().getMessage();
            case PAIRING_REOPENED -> message.getPairingReopened().getMessage();
            case SCORE_CORRECTED -> message.getScoreCorrected().getCorrection().getMessage();
            default -> "";
        };
    }

    static referee.api.v1.LadderTerms message(LadderTerms terms) {
        return referee.api.v1.LadderTerms.newBuilder()
                .addAllMatchTerms(terms.matches.stream().map(Conversions::terms).toList())
                .setMaxConcurrentMatches(terms.maxConcurrentMatches)
                .setMaxMatchesPerHour(terms.maxMatchesPerHour)
                .setRematchAfter(terms.rematchAfter)
                .setProvisionalMatches(terms.provisionalMatches)
                .setPauseAfterFaults(terms.pauseAfterFaults)
                .build();
    }

    static Ladder ladder(referee.api.v1.Ladder message) {
        return new Ladder(
                message.getName(),
                message.getTitle(),
                message.getTerms().getMatchTermsList().stream()
                        .map(terms -> terms.getRules().getGame())
                        .toList(),
                message.getClosed(),
                message.getPaused(),
                message.getSeason(),
                message.getEntrantCount());
    }

    static LadderStanding standing(referee.api.v1.LadderStanding message) {
        return new LadderStanding(
                message.getRank(),
                entrant(message.getEntrant()),
                message.getVersion(),
                rating(message.getRating()),
                message.getLowerBound(),
                message.getWins(),
                message.getDraws(),
                message.getLosses(),
                message.getForfeits(),
                message.getIdle());
    }

    private static Rating rating(referee.api.v1.Rating message) {
        return new Rating(
                message.getValue(),
                message.getDeviation(),
                message.getMatches(),
                message.getProvisional());
    }

    private static RatingChange ratingChange(referee.api.v1.RatingChange message) {
        return new RatingChange(
                message.getSeat(),
                message.getBot(),
                message.getVersion(),
                rating(message.getBefore()),
                rating(message.getAfter()));
    }

    static LadderEntry entry(referee.api.v1.LadderEntry message) {
        return new LadderEntry(
                message.getNumber(),
                Conversions.instant(message.getCreateTime()),
                Conversions.kind(message.getEventCase()),
                switch (message.getEventCase()) {
                    case ENTRANT_JOINED ->
                            Optional.of(message.getEntrantJoined().getEntrant().getName());
                    case ENTRANT_LEFT -> Optional.of(message.getEntrantLeft().getEntrant());
                    default -> Optional.empty();
                },
                message.hasPairing()
                        ? Optional.of(pairing(message.getPairing()))
                        : Optional.empty(),
                switch (message.getEventCase()) {
                    case MATCH_RATED -> Optional.of(message.getMatchRated().getMatchId());
                    case MATCH_CORRECTED -> Optional.of(message.getMatchCorrected().getMatchId());
                    default -> Optional.empty();
                },
                message.getMatchRated().getRatingsList().stream()
                        .map(ContestConversions::ratingChange)
                        .toList(),
                switch (message.getEventCase()) {
                    case ENTRANT_LEFT -> message.getEntrantLeft().getMessage();
                    case PAUSED -> message.getPaused().getMessage();
                    case CLOSING -> message.getClosing().getMessage();
                    case CLOSED -> message.getClosed().getMessage();
                    case MATCH_CORRECTED -> message.getMatchCorrected().getMessage();
                    default -> "";
                });
    }
}
