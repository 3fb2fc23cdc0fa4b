package referee.client;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One numbered entry of the log of a tournament.
 *
 * @param number its number, counted from 1 without gaps
 * @param time when it was written
 * @param kind the event in the words of the contract, such as "round_started" or "ended"; empty if
 *     it is newer than this client
 * @param entrant the name of the entrant that joined or left
 * @param round the round that started
 * @param pairings the pairings that are new, or in which something happened, as they are after it
 * @param standings the final standings, if the kind is "ended"; those before the round, if it is
 *     "round_started"
 * @param message the reason, for people; can be empty
 */
public record TournamentEntry(
        long number,
        Instant time,
        String kind,
        Optional<String> entrant,
        Optional<Integer> round,
        List<Pairing> pairings,
        List<TournamentStanding> standings,
        String message) {}
