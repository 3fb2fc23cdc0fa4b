package referee.client;

import java.util.OptionalInt;

/** What a bot does in its turn. */
public sealed interface Answer {
    /**
     * Plays a move.
     *
     * @param text the move in the game's notation
     */
    record Move(String text) implements Answer {}

    /**
     * Plays a move with more than its text.
     *
     * @param text the move in the game's notation
     * @param offerDraw whether to offer a draw with it
     * @param score what the bot expects for its side, in hundredths of a point of the game;
     *     positive: it is ahead. Others find it only in the record of the finished match. Empty:
     *     the bot does not say
     */
    record Choice(String text, boolean offerDraw, OptionalInt score) implements Answer {}

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
