package referee.client.kotlin

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.runInterruptible
import referee.client.CallException
import java.util.stream.Stream
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext

/** Threads that wait for the Java client. Watches may take hours, and must not use up those of [Dispatchers.IO]. */
internal val waiting = Dispatchers.IO.limitedParallelism(Int.MAX_VALUE, "referee-client")

/** Makes a call of the Java client, which a cancellation ends. */
internal suspend fun <T> call(context: CoroutineContext = waiting, call: () -> T): T = try {
    runInterruptible(context, call)
} catch (e: CallException) {
    currentCoroutineContext().ensureActive() // An interrupted call fails like others.
    throw e
}

/** Returns what the stream has, which is opened and closed by each collection. */
internal fun <T> elements(open: () -> Stream<T>): Flow<T> = flow {
    call(EmptyCoroutineContext, open).use { stream ->
        val iterator = stream.iterator()
        while (call(EmptyCoroutineContext, iterator::hasNext)) {
            emit(iterator.next())
        }
    }
}.flowOn(waiting)
