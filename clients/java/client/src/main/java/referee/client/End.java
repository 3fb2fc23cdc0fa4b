package referee.client;

/**
 * The end of a match, as one of its seats is told.
 *
 * @param matchId the id of the match
 * @param seat the number of the seat, from 0
 * @param result how it ended
 */
public record End(String matchId, int seat, Result result) {}
