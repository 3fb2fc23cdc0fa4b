package referee.client.kotlin

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.runInterruptible
import kotlinx.coroutines.withContext
import referee.client.Answer
import referee.client.Client
import referee.client.Program
import referee.client.SeatBot
import referee.client.Turn
import kotlin.coroutines.CoroutineContext

/** Threads that wait for the Java client, which may take hours, and must not use up those of [Dispatchers.IO]. */
private val waiting = Dispatchers.IO.limitedParallelism(Int.MAX_VALUE, "referee-client")

/**
 * Plays until the coroutine is cancelled, and reconnects after a session has ended:
 * `Client.builder("localhost:7700", token).play { turn -> turn.legalMoves().random() }`.
 *
 * The bot returns the move to play. It is called for different seats at the same time. Its coroutine
 * is cancelled when the answer is no longer needed; if it fails, its seat resigns. After a
 * cancellation, this function waits for the coroutines of the bot.
 *
 * @param context what is added to the context of the caller for the bot
 * @throws referee.client.TakenOverException if a newer session of the same bot has taken over its seats
 * @throws referee.client.RejectedException if the referee rejects the bot
 * @throws referee.client.SettingException if a setting is invalid
 */
public suspend fun Client.Builder.play(
    context: CoroutineContext = Dispatchers.Default,
    bot: suspend (Turn) -> String,
): Nothing {
    val everySeat = movesOf(bot)
    playPerSeat(context) { everySeat }
}

/**
 * Plays like [play], with an object for each seat of each match.
 *
 * @param context what is added to the context of the caller for the bots
 * @param bots makes the bot of another seat, such as `::MyBot`
 * @throws referee.client.TakenOverException if a newer session of the same bot has taken over its seats
 * @throws referee.client.RejectedException if the referee rejects the bot
 * @throws referee.client.SettingException if a setting is invalid
 */
public suspend fun Client.Builder.playPerSeat(
    context: CoroutineContext = Dispatchers.Default,
    bots: () -> CoroutineSeatBot,
): Nothing {
    val client = build()
    // Not a child of the caller: a cancelled call resigns, unless the Java client has ended its turn before.
    val calls = SupervisorJob()
    val callContext = currentCoroutineContext() + context + calls
    try {
        runInterruptible(waiting) { client.playPerSeat(blocking(callContext, bots)) }
    } finally {
        withContext(NonCancellable) { calls.cancelAndJoin() }
    }
    awaitCancellation() // The Java client has returned because of a cancellation.
}

/**
 * Makes a program of a bot, as [Program] does: settings from the environment, signals, exit statuses.
 * It plays until the program is stopped: `exitProcess(runProgram { turn -> turn.legalMoves().random() })`.
 *
 * @param settings changes the settings of the environment, such as `{ view() }`
 * @param bot the bot, see [play]; it runs on [Dispatchers.Default]
 * @return the exit status
 */
public fun runProgram(settings: Client.Builder.() -> Unit = {}, bot: suspend (Turn) -> String): Int {
    val everySeat = movesOf(bot)
    return runProgramPerSeat(settings) { everySeat }
}

/**
 * Makes a program like [runProgram], with an object for each seat of each match.
 *
 * @param settings changes the settings of the environment, such as `{ view() }`
 * @param bots makes the bot of another seat, such as `::MyBot`
 * @return the exit status
 */
public fun runProgramPerSeat(settings: Client.Builder.() -> Unit = {}, bots: () -> CoroutineSeatBot): Int =
    Program.runPerSeat(blocking(Dispatchers.Default, bots)) { it.apply(settings) }

private fun movesOf(bot: suspend (Turn) -> String) = CoroutineSeatBot { turn -> Answer.Move(bot(turn)) }

private fun blocking(context: CoroutineContext, bots: () -> CoroutineSeatBot): () -> SeatBot =
    { BlockingSeatBot(bots(), context) }
