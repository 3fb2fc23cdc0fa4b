package referee.client;

/**
 * A row of the standings of a ladder.
 *
 * @param rank the rank, from 1
 * @param entrant the entrant
 * @param version the version that the rating is for; empty for partners
 * @param rating the rating
 * @param lowerBound the rating less two deviations, by which the ladder ranks
 * @param wins the number of matches that it won
 * @param draws the number of matches in which it shared the first rank
 * @param losses the number of matches that it did not win
 * @param forfeits how many of the losses were forfeits
 * @param idle whether it gets no matches because one of its bots is paused or offline
 */
public record LadderStanding(
        int rank,
        Entrant entrant,
        String version,
        Rating rating,
        double lowerBound,
        int wins,
        int draws,
        int losses,
        int forfeits,
        boolean idle) {}
