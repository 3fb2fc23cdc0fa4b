package referee.client;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What is known about a tournament.
 *
 * @param name its name
 * @param title its title
 * @param game the name of the game
 * @param format the format in the words of the contract, such as "round_robin"
 * @param phase whether it has begun or is over
 * @param entrants the entrants, by seed once it has started, before that in the order of entry
 * @param withdrawn the names of entrants that have withdrawn
 * @param currentRound the number of the round, from 1; 0 before the start
 * @param totalRounds the number of rounds; 0 if it is not known in advance
 * @param completedPairings the number of pairings that are done
 * @param totalPairings the number of pairings; 0 if it is not known in advance
 * @param startTime when it started; empty before
 * @param endTime when it ended; empty before
 */
public record Tournament(
        String name,
        String title,
        String game,
        String format,
        Phase phase,
        List<Entrant> entrants,
        List<String> withdrawn,
        int currentRound,
        int totalRounds,
        int completedPairings,
        int totalPairings,
        Optional<Instant> startTime,
        Optional<Instant> endTime) {
    /** Whether a tournament has begun or is over. */
    public enum Phase {
        /** It is open for entrants. */
        ENTRY,
        /** It is being played. */
        PLAYING,
        /** It is finished, with a winner. */
        FINISHED,
        /** It was cancelled. */
        CANCELLED,
        /** A phase that is newer than this client. */
        UNKNOWN
    }
}
