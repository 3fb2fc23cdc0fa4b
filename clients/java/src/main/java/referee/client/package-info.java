/**
 * Library for bots: a bot implements {@link referee.client.Bot#choose choose}, and {@link
 * referee.client.Bot#run} does everything else.
 *
 * <p>It reads its settings from environment variables, opens the stream, answers pings while the
 * bot thinks, plays several matches at the same time, and reconnects after a break without losing a
 * turn or answering one twice.
 */
package referee.client;
