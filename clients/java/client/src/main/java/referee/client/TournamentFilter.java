package referee.client;

import java.util.Optional;

/**
 * Which tournaments a list has.
 *
 * @param game only those of this game; empty: all
 * @param bot only those of this bot; empty: all
 * @param phase only those in this phase
 */
public record TournamentFilter(String game, String bot, Optional<Tournament.Phase> phase) {
    /** All tournaments. */
    public static final TournamentFilter ALL = new TournamentFilter("", "", Optional.empty());

    /**
     * Returns a filter that also demands a game.
     *
     * @param game the name of the game
     * @return the filter
     */
    public TournamentFilter ofGame(String game) {
        return new TournamentFilter(game, bot, phase);
    }

    /**
     * Returns a filter that also demands that a bot takes part.
     *
     * @param bot the name of the bot
     * @return the filter
     */
    public TournamentFilter ofBot(String bot) {
        return new TournamentFilter(game, bot, phase);
    }

    /**
     * Returns a filter that also demands a phase.
     *
     * @param phase the phase
     * @return the filter
     */
    public TournamentFilter inPhase(Tournament.Phase phase) {
        return new TournamentFilter(game, bot, Optional.of(phase));
    }
}
