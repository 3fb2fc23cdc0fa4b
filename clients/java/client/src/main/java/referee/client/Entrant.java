package referee.client;

import java.util.List;

/**
 * A participant of a contest: a bot, or several bots that play as partners or as a team.
 *
 * @param name its name in tables
 * @param bots its bots in the order of seats, or of a team in the order of boards: "anna", or
 *     "anna/1.4" for one version
 */
public record Entrant(String name, List<String> bots) {
    /**
     * Copies the bots.
     *
     * @param name its name in tables
     * @param bots its bots
     */
    public Entrant {
        bots = List.copyOf(bots);
    }

    /**
     * Returns an entrant that is a single bot, and has its name.
     *
     * @param bot the bot, such as "anna", or "anna/1.4" for one version
     * @return the entrant
     */
    public static Entrant bot(String bot) {
        return new Entrant(bot.split("/", 2)[0], List.of(bot));
    }

    /**
     * Returns an entrant of several bots.
     *
     * @param name its name in tables
     * @param bots its bots in the order of seats, or of a team in the order of boards
     * @return the entrant
     */
    public static Entrant team(String name, String... bots) {
        return new Entrant(name, List.of(bots));
    }
}
