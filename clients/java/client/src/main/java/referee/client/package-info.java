/**
 * A client for Referee, a match referee for bots.
 *
 * <p>A bot is a function that chooses moves, {@link referee.client.Bot}, or an object for each seat
 * of a match, {@link referee.client.SeatBot}. {@link referee.client.Client} plays its matches
 * inside of a program; {@link referee.client.Program} makes a program of it.
 *
 * <p>The types of this package are its own. Those of the artifact {@code referee-api}, which are
 * generated from the contract, are used by {@link referee.client.Organiser} only.
 *
 * <p>No argument and no result is null.
 */
@NullMarked
package referee.client;

import org.jspecify.annotations.NullMarked;
