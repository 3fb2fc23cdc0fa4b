package referee.client;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One numbered entry of the log of a ladder.
 *
 * @param number its number, counted from 1 without gaps
 * @param time when it was written
 * @param kind the event in the words of the contract, such as "match_rated" or "closed"; empty if
 *     it is newer than this client
 * @param entrant the name of the entrant that joined or left
 * @param pairing the pairing that is new, or in which something happened, as it is after it
 * @param matchId the id of the match that was rated or corrected
 * @param ratings the effect of the match that was rated, in the order of seats
 * @param message the reason, for people; can be empty
 */
public record LadderEntry(
        long number,
        Instant time,
        String kind,
        Optional<String> entrant,
        Optional<Pairing> pairing,
        Optional<String> matchId,
        List<RatingChange> ratings,
        String message) {}
