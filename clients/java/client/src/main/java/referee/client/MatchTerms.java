package referee.client;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/** The terms of a new match. */
public final class MatchTerms {
    final String game;
    final String preset;
    final Map<String, String> options;
    final TimeControl timeControl;
    final Duration startTimeout;
    final String title;

    private MatchTerms(Builder builder) {
        game = builder.game;
        preset = builder.preset;
        options = Map.copyOf(builder.options);
        timeControl = builder.timeControl;
        startTimeout = builder.startTimeout;
        title = builder.title;
    }

    /**
     * Returns a builder of terms.
     *
     * @param game the name of the game
     * @return the builder
     */
    public static Builder builder(String game) {
        return new Builder(game);
    }

    /** Builds terms, see {@link MatchTerms#builder}. */
    public static final class Builder {
        private final String game;
        private String preset = "";
        private Map<String, String> options = Map.of();
        private TimeControl timeControl = new TimeControl.Untimed();
        private Duration startTimeout = Duration.ZERO;
        private String title = "";

        private Builder(String game) {
            this.game = Objects.requireNonNull(game, "game");
        }

        /**
         * Sets the variant of the game by its name. Default: that of the game.
         *
         * @param preset the name
         * @return this builder
         */
        public Builder preset(String preset) {
            this.preset = Objects.requireNonNull(preset, "preset");
            return this;
        }

        /**
         * Sets the variant of the game. Default: the options of the preset.
         *
         * @param options the values by the names of the game's options
         * @return this builder
         */
        public Builder options(Map<String, String> options) {
            this.options = Map.copyOf(options);
            return this;
        }

        /**
         * Sets the time control. Default: no clock.
         *
         * @param timeControl the time control
         * @return this builder
         */
        public Builder timeControl(TimeControl timeControl) {
            this.timeControl = Objects.requireNonNull(timeControl, "timeControl");
            return this;
        }

        /**
         * Sets the time within which all bots must be online. Default: that of the server.
         *
         * @param startTimeout the time
         * @return this builder
         */
        public Builder startTimeout(Duration startTimeout) {
            this.startTimeout = Objects.requireNonNull(startTimeout, "startTimeout");
            return this;
        }

        /**
         * Sets the title of the match. Default: none.
         *
         * @param title the title
         * @return this builder
         */
        public Builder title(String title) {
            this.title = Objects.requireNonNull(title, "title");
            return this;
        }

        /**
         * Returns the terms.
         *
         * @return the terms
         */
        public MatchTerms build() {
            return new MatchTerms(this);
        }
    }
}
