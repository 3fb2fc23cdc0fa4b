package referee.client;

/** What a bot does in its turn. */
public sealed interface Answer {
    /**
     * Plays a move.
     *
     * @param text the move in the game's notation
     */
    record Move(String text) implements Answer {}

    /**
     * Plays a move, and offers a draw with it.
     *
     * @param text the move in the game's notation
     */
    record MoveWithDrawOffer(String text) implements Answer {}

    /** Resigns the match. */
    record Resignation() implements Answer {}

    /**
     * Accepts a draw offer, see {@link Turn#drawOffers()}. If the offer is no longer open, the bot
     * is called again for the same turn, with the error in {@link Turn#rejection()}.
     */
    record DrawAcceptance() implements Answer {}

    /**
     * Claims a draw by the rules. If there is none, the bot is called again for the same turn, with
     * the error in {@link Turn#rejection()}.
     */
    record DrawClaim() implements Answer {}
}
