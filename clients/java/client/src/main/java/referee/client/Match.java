package referee.client;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is known about a match.
 *
 * @param id the id of the match
 * @param game the name of the game
 * @param options the value of each of the game's options
 * @param seatNames the name of each seat, such as "white"
 * @param sides the seats of each side
 * @param bots the bot of each seat, empty if the seat is open
 * @param title the title of the match
 * @param ladder the ladder that the match belongs to, or empty
 * @param tournament the tournament that the match belongs to, or empty
 * @param result how it ended; empty until it is over
 */
public record Match(
        String id,
        String game,
        Map<String, String> options,
        List<String> seatNames,
        List<List<Integer>> sides,
        List<String> bots,
        String title,
        String ladder,
        String tournament,
        Optional<Result> result) {}
