package referee.client;

/**
 * A move of a seat, as the reader may see it.
 *
 * @param seat the number of the seat, from 0
 * @param text the move in the game's notation
 */
public record PlayedMove(int seat, String text) {}
