package referee.client.kotlin

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.isActive
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import referee.client.Answer
import referee.client.Match
import referee.client.Turn
import java.util.Optional
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import kotlin.concurrent.thread

class BlockingSeatBotTest {
    private val turn = Turn.builder("alquerque").legalMoves(listOf("c2-c3")).build()

    private fun blocking(choose: suspend (Turn) -> Answer) = BlockingSeatBot(choose, Dispatchers.Default)

    /** Interrupts a call after it has begun, and returns what it has thrown. */
    private fun interrupt(choose: suspend () -> Answer): Throwable? {
        val begun = CountDownLatch(1)
        val end = CompletableFuture<Throwable?>()
        val bot = blocking {
            begun.countDown()
            choose()
        }
        val caller = thread { end.complete(runCatching { bot.choose(turn) }.exceptionOrNull()) }
        begun.await()
        caller.interrupt()
        return end.get()
    }

    @Test
    fun `the answer of the coroutine is returned`() {
        assertEquals(Answer.Move("c2-c3"), blocking { Answer.Move(it.legalMoves().first()) }.choose(turn))
    }

    @Test
    fun `an interruption cancels a coroutine that waits, and waits for its end`() {
        var ended = false
        val thrown = interrupt {
            try {
                awaitCancellation()
            } finally {
                ended = true
            }
        }
        assertTrue(thrown is InterruptedException)
        assertTrue(ended)
    }

    @Test
    fun `an interruption cancels a coroutine that computes without a pause`() {
        val thrown = interrupt {
            while (currentCoroutineContext().isActive) {
                Thread.onSpinWait()
            }
            Answer.Resignation()
        }
        assertTrue(thrown is InterruptedException)
    }

    @Test
    fun `the cancellation of an event is its own failure only while the bot plays`() {
        val job = Job()
        val none = emptyList<Nothing>()
        val match = Match("1", "", emptyMap(), none, none, none, "", "", "", Optional.empty())
        val bot = object : CoroutineSeatBot {
            override suspend fun started(match: Match, seat: Int) = throw CancellationException("of its own")

            override suspend fun choose(turn: Turn) = Answer.Resignation()
        }
        val blocking = BlockingSeatBot(bot, Dispatchers.Default + job)
        assertThrows(CancellationException::class.java) { blocking.started(match, 0) }
        job.cancel()
        blocking.started(match, 0)
    }
}
