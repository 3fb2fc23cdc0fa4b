/**
 * Write a bot for Referee: say how to {@link referee.client.Bot#choose choose}, and {@link
 * referee.client.Bot#run} does the rest.
 *
 * <p>The rest is to find the referee by the environment, to open the stream, to answer pings while
 * the bot thinks, to think about several matches at once, and to come back after a break without
 * losing a turn or answering one twice.
 */
package referee.client;
