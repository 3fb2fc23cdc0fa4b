package referee.client.kotlin

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.isActive
import kotlinx.coroutines.runBlocking
import referee.client.Answer
import referee.client.End
import referee.client.Match
import referee.client.SeatBot
import referee.client.Turn
import kotlin.coroutines.CoroutineContext

/**
 * A bot that plays one seat of one match, and may keep what it knows about it.
 *
 * Its methods are called one after the other.
 */
public fun interface CoroutineSeatBot {
    /**
     * Receives the start of the match, before the first turn. After a restart of the program,
     * matches in play are not announced again.
     *
     * @param match the match
     * @param seat the number of the seat that this bot plays, from 0
     */
    public suspend fun started(match: Match, seat: Int) {}

    /**
     * Returns what to do.
     *
     * The coroutine is cancelled if the answer is no longer needed. If it fails, its seat resigns;
     * other matches continue.
     *
     * @param turn the turn, with everything that is needed to choose
     * @return the answer
     */
    public suspend fun choose(turn: Turn): Answer

    /**
     * Receives the end of the match, after the last turn.
     *
     * @param end the end, as this seat is told
     */
    public suspend fun ended(end: End) {}
}

/**
 * The bot as the Java client calls it, on a thread that waits for the coroutine.
 *
 * An interruption of that thread cancels the coroutine, whose own threads are those of [context]:
 * otherwise a bot that computes without a pause would not notice its cancellation.
 */
internal class BlockingSeatBot(private val bot: CoroutineSeatBot, private val context: CoroutineContext) : SeatBot {
    override fun started(match: Match, seat: Int) = tell { bot.started(match, seat) }

    override fun choose(turn: Turn): Answer = runBlocking(context) { bot.choose(turn) }

    override fun ended(end: End) = tell { bot.ended(end) }

    /** The Java client does not end these calls, and would log their cancellation as an error of the bot. */
    private fun tell(event: suspend () -> Unit) {
        try {
            runBlocking(context) { event() }
        } catch (e: CancellationException) {
            if (context.isActive) {
                throw e
            }
        }
    }
}
