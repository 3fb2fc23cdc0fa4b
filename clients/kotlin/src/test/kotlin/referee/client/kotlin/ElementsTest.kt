package referee.client.kotlin

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test
import java.util.concurrent.CountDownLatch
import java.util.stream.Stream

class ElementsTest {
    private var opened = 0
    private var closed = 0

    private fun <T> counted(stream: () -> Stream<T>) = elements {
        opened++
        stream().onClose { closed++ }
    }

    @Test
    fun `each collection opens and closes a stream of its own`() = runBlocking {
        val numbers = counted { Stream.of(1, 2, 3) }
        assertEquals(0, opened)
        assertEquals(listOf(1, 2, 3), numbers.toList())
        assertEquals(1, numbers.first())
        assertEquals(listOf(2, 2), listOf(opened, closed))
    }

    @Test
    fun `a cancellation interrupts a stream that waits, and closes it`() = runBlocking {
        val waits = CompletableDeferred<Unit>()
        val collection = launch {
            counted {
                Stream.generate<Int> {
                    waits.complete(Unit)
                    CountDownLatch(1).await()
                    0
                }
            }.toList()
        }
        waits.await()
        collection.cancelAndJoin()
        assertEquals(listOf(1, 1), listOf(opened, closed))
    }

    @Test
    fun `an error closes the stream and reaches the collector`() {
        assertThrows(IllegalStateException::class.java) {
            runBlocking { counted { Stream.generate<Int> { error("lost") } }.toList() }
        }
        assertEquals(1, closed)
    }
}
