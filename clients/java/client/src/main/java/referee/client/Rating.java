package referee.client;

/**
 * The estimated strength of a bot.
 *
 * @param value the rating, where higher is better
 * @param deviation the standard deviation: the true strength is within two of them in 95 of 100
 *     cases
 * @param matches the number of matches that were rated
 * @param provisional whether there are too few matches to be ranked by it
 */
public record Rating(double value, double deviation, int matches, boolean provisional) {}
