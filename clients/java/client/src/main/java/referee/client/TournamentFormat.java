package referee.client;

import java.util.List;

/** How a tournament pairs its entrants. */
public sealed interface TournamentFormat {
    /**
     * Every entrant plays every other one, in each cycle once.
     *
     * @param cycles the number of cycles
     */
    record RoundRobin(int cycles) implements TournamentFormat {}

    /**
     * Entrants with equal points play each other, without rematches.
     *
     * @param rounds the number of rounds
     */
    record Swiss(int rounds) implements TournamentFormat {}

    /**
     * A knock-out: losers drop out.
     *
     * @param doubleElimination whether they drop out after two losses instead of one
     * @param matchesPerPairing the number of matches in each pairing
     * @param thirdPlaceMatch whether the losers of the semi-finals play for the third place
     */
    record Elimination(boolean doubleElimination, int matchesPerPairing, boolean thirdPlaceMatch)
            implements TournamentFormat {
        /** A single elimination with one match in each pairing. */
        public Elimination() {
            this(false, 1, false);
        }
    }

    /**
     * Challengers play all other entrants, who do not play each other.
     *
     * @param challengers the names of the challengers
     * @param cycles how often each pair plays
     */
    record Gauntlet(List<String> challengers, int cycles) implements TournamentFormat {}

    /**
     * Several entrants play at each table, for games of more than two sides.
     *
     * @param rounds the number of rounds
     */
    record Pools(int rounds) implements TournamentFormat {}
}
