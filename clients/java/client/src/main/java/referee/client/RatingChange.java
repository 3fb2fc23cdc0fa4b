package referee.client;

/**
 * The effect of a match on the rating of a bot.
 *
 * @param seat the seat of the bot, from 0
 * @param bot the name of the bot
 * @param version its version
 * @param before the rating before the match
 * @param after the rating after it
 */
public record RatingChange(int seat, String bot, String version, Rating before, Rating after) {}
