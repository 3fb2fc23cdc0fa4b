package referee.client;

import java.util.List;

/**
 * A row of the standings of a tournament.
 *
 * @param rank the rank, from 1; entrants that no tie-break separates share a rank
 * @param entrant the name of the entrant
 * @param points its points
 * @param tieBreaks its tie-breaks in the order of precedence
 * @param wins the number of matches that it won
 * @param draws the number of matches in which it shared the first rank
 * @param losses the number of matches that it did not win
 * @param forfeits how many of the losses were forfeits
 * @param byes the number of its byes
 */
public record TournamentStanding(
        int rank,
        String entrant,
        double points,
        List<TieBreak> tieBreaks,
        int wins,
        int draws,
        int losses,
        int forfeits,
        int byes) {
    /**
     * The value of a tie-break.
     *
     * @param name the tie-break in the words of the contract, such as "buchholz"
     * @param value its value, where higher is better
     */
    public record TieBreak(String name, double value) {}
}
