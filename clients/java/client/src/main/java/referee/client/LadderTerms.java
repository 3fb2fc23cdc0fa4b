package referee.client;

import java.util.List;
import java.util.Objects;

/** The terms of a new ladder. */
public final class LadderTerms {
    final List<MatchTerms> matches;
    final String title;
    final int maxConcurrentMatches;
    final int maxMatchesPerHour;
    final int rematchAfter;
    final int provisionalMatches;
    final int pauseAfterFaults;

    private LadderTerms(Builder builder) {
        matches = builder.matches;
        title = builder.title;
        maxConcurrentMatches = builder.maxConcurrentMatches;
        maxMatchesPerHour = builder.maxMatchesPerHour;
        rematchAfter = builder.rematchAfter;
        provisionalMatches = builder.provisionalMatches;
        pauseAfterFaults = builder.pauseAfterFaults;
    }

    /**
     * Returns a builder of terms.
     *
     * @param matches the terms of the matches, used in turn if there are several; their titles have
     *     no effect
     * @return the builder
     */
    public static Builder builder(MatchTerms... matches) {
        return new Builder(List.of(matches));
    }

    /** Builds terms, see {@link LadderTerms#builder}. */
    public static final class Builder {
        private final List<MatchTerms> matches;
        private String title = "";
        private int maxConcurrentMatches;
        private int maxMatchesPerHour;
        private int rematchAfter;
        private int provisionalMatches;
        private int pauseAfterFaults;

        private Builder(List<MatchTerms> matches) {
            this.matches = matches;
        }

        /**
         * Sets the title of the ladder. Default: its name.
         *
         * @param title the title
         * @return this builder
         */
        public Builder title(String title) {
            this.title = Objects.requireNonNull(title, "title");
            return this;
        }

        /**
         * Sets how many matches are in play at once. Default: as many as possible.
         *
         * @param matches the number
         * @return this builder
         * @throws IllegalArgumentException if it is negative
         */
        public Builder maxConcurrentMatches(int matches) {
            maxConcurrentMatches = Checks.count(matches, "maxConcurrentMatches");
            return this;
        }

        /**
         * Sets how many matches start in an hour. Default: as many as possible.
         *
         * @param matches the number
         * @return this builder
         * @throws IllegalArgumentException if it is negative
         */
        public Builder maxMatchesPerHour(int matches) {
            maxMatchesPerHour = Checks.count(matches, "maxMatchesPerHour");
            return this;
        }

        /**
         * Sets how many other opponents come before a rematch. Default: 1.
         *
         * @param opponents the number
         * @return this builder
         * @throws IllegalArgumentException if it is negative
         */
        public Builder rematchAfter(int opponents) {
            rematchAfter = Checks.count(opponents, "rematchAfter");
            return this;
        }

        /**
         * Sets for how many matches a rating is provisional. Default: 20.
         *
         * @param matches the number
         * @return this builder
         * @throws IllegalArgumentException if it is negative
         */
        public Builder provisionalMatches(int matches) {
            provisionalMatches = Checks.count(matches, "provisionalMatches");
            return this;
        }

        /**
         * Sets after how many faults in succession a bot is paused. Default: 3.
         *
         * @param faults the number
         * @return this builder
         * @throws IllegalArgumentException if it is negative
         */
        public Builder pauseAfterFaults(int faults) {
            pauseAfterFaults = Checks.count(faults, "pauseAfterFaults");
            return this;
        }

        /**
         * Returns the terms.
         *
         * @return the terms
         */
        public LadderTerms build() {
            return new LadderTerms(this);
        }
    }
}
