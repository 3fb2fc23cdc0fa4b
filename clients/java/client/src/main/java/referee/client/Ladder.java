package referee.client;

import java.util.List;

/**
 * What is known about a ladder.
 *
 * @param name its name
 * @param title its title
 * @param games the names of the games of its matches, in the order of its terms
 * @param closed whether it starts no more matches
 * @param paused whether it starts no matches until it is resumed
 * @param season the number of the season, from 1
 * @param entrantCount the number of entrants
 */
public record Ladder(
        String name,
        String title,
        List<String> games,
        boolean closed,
        boolean paused,
        int season,
        int entrantCount) {}
