package referee.client;

import java.util.List;

/** How a tournament pairs its entrants. */
public sealed interface TournamentFormat {
    /**
     * Every entrant plays every other one, in each cycle once.
     *
     * @param cycles the number of cycles
     */
    record RoundRobin(int cycles) implements TournamentFormat {
        /**
         * Checks the numbers.
         *
         * @param cycles the number of cycles
         * @throws IllegalArgumentException if a number is negative
         */
        public RoundRobin {
            Checks.count(cycles, "cycles");
        }
    }

    /**
     * Entrants with equal points play each other, without rematches.
     *
     * @param rounds the number of rounds
     */
    record Swiss(int rounds) implements TournamentFormat {
        /**
         * Checks the numbers.
         *
         * @param rounds the number of rounds
         * @throws IllegalArgumentException if a number is negative
         */
        public Swiss {
            Checks.count(rounds, "rounds");
        }
    }

    /**
     * A knock-out: losers drop out.
     *
     * @param doubleElimination whether they drop out after two losses instead of one
     * @param matchesPerPairing the number of matches in each pairing
     * @param thirdPlaceMatch whether the losers of the semi-finals play for the third place
     */
    record Elimination(boolean doubleElimination, int matchesPerPairing, boolean thirdPlaceMatch)
            implements TournamentFormat {
        /**
         * Checks the numbers.
         *
         * @param doubleElimination whether they drop out after two losses
         * @param matchesPerPairing the number of matches in each pairing
         * @param thirdPlaceMatch whether the third place is played for
         * @throws IllegalArgumentException if a number is negative
         */
        public Elimination {
            Checks.count(matchesPerPairing, "matchesPerPairing");
        }

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
    record Gauntlet(List<String> challengers, int cycles) implements TournamentFormat {
        /**
         * Copies the challengers, and checks the number.
         *
         * @param challengers the names of the challengers
         * @param cycles how often each pair plays
         * @throws IllegalArgumentException if a number is negative
         */
        public Gauntlet {
            challengers = List.copyOf(challengers);
            Checks.count(cycles, "cycles");
        }
    }

    /**
     * Several entrants play at each table, for games of more than two sides.
     *
     * @param rounds the number of rounds
     */
    record Pools(int rounds) implements TournamentFormat {
        /**
         * Checks the numbers.
         *
         * @param rounds the number of rounds
         * @throws IllegalArgumentException if a number is negative
         */
        public Pools {
            Checks.count(rounds, "rounds");
        }
    }
}
