package referee.client;

import java.time.Instant;
import java.util.Optional;

/**
 * One numbered entry of the log of a match.
 *
 * @param number its number, counted from 1 without gaps
 * @param time when it was written
 * @param kind the event in the words of the contract, such as "move_played"; empty if the watcher
 *     may not see it, or if it is newer than this client
 * @param move what was played, if the kind is "move_played"
 * @param result the result of the match, if the kind is "play_ended"
 */
public record Entry(
        long number,
        Instant time,
        String kind,
        Optional<PlayedMove> move,
        Optional<Result> result) {}
