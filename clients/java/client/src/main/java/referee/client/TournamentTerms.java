package referee.client;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** The terms of a new tournament. */
public final class TournamentTerms {
    final MatchTerms match;
    final TournamentFormat format;
    final String title;
    final String ladder;
    final int maxConcurrentMatches;
    final Optional<Duration> noShow;

    private TournamentTerms(Builder builder) {
        match = builder.match;
        format = builder.format;
        title = builder.title;
        ladder = builder.ladder;
        maxConcurrentMatches = builder.maxConcurrentMatches;
        noShow = builder.noShow;
    }

    /**
     * Returns a builder of terms.
     *
     * @param match the terms of the matches, whose title has no effect
     * @param format how the entrants are paired
     * @return the builder
     */
    public static Builder builder(MatchTerms match, TournamentFormat format) {
        return new Builder(match, format);
    }

    /** Builds terms, see {@link TournamentTerms#builder}. */
    public static final class Builder {
        private final MatchTerms match;
        private final TournamentFormat format;
        private String title = "";
        private String ladder = "";
        private int maxConcurrentMatches;
        private Optional<Duration> noShow = Optional.empty();

        private Builder(MatchTerms match, TournamentFormat format) {
            this.match = Objects.requireNonNull(match, "match");
            this.format = Objects.requireNonNull(format, "format");
        }

        /**
         * Sets the title of the tournament. Default: its name.
         *
         * @param title the title
         * @return this builder
         */
        public Builder title(String title) {
            this.title = Objects.requireNonNull(title, "title");
            return this;
        }

        /**
         * Sets the ladder whose ratings seed the entrants and that rates the matches. Default:
         * none.
         *
         * @param ladder the name of the ladder
         * @return this builder
         */
        public Builder ladder(String ladder) {
            this.ladder = Objects.requireNonNull(ladder, "ladder");
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
         * Sets how long a pairing waits for an entrant that is absent. Default: ten minutes.
         *
         * @param noShow the time; 0: for ever
         * @return this builder
         * @throws IllegalArgumentException if it is negative or longer than 49 days
         */
        public Builder noShow(Duration noShow) {
            this.noShow = Optional.of(Checks.shortTime(noShow, "noShow"));
            return this;
        }

        /**
         * Returns the terms.
         *
         * @return the terms
         */
        public TournamentTerms build() {
            return new TournamentTerms(this);
        }
    }
}
