import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import referee.client.CallException
import referee.client.Client
import referee.client.kotlin.CoroutineOrganiser
import referee.client.kotlin.coroutines
import referee.client.kotlin.matchTerms
import referee.client.kotlin.play
import java.time.Duration

/** Lets bots of its own play, watches them, cancels a watch, a turn and the bots, and prints what it has seen as lines. */
fun main() = runBlocking {
    Client.fromEnvironment().buildOrganiser().coroutines().use { organiser ->
        val duke = organiser.registerBot("duke", "plays whatever comes first")
        val idle = organiser.registerBot("idle")
        try {
            organiser.registerBot("duke")
        } catch (e: CallException) {
            println("error ${e.error().reason()}")
        }
        val asked = CompletableDeferred<Unit>()
        val cancelled = CompletableDeferred<Unit>()
        val bots = launch {
            launch { client(duke).play { turn -> turn.legalMoves().first() } }
            client(idle).play {
                try {
                    asked.complete(Unit)
                    awaitCancellation()
                } finally {
                    cancelled.complete(Unit)
                }
            }
        }
        watchToTheEnd(organiser)

        val match = organiser.createMatch(terms, "idle", "duke")
        asked.await()
        val started = CompletableDeferred<Unit>()
        val watch = launch { organiser.watch(match.id()).collect { started.complete(Unit) } }
        started.await()
        watch.cancelAndJoin()
        println("watch cancelled ${watch.isCancelled}")
        organiser.abortMatch(match.id(), "enough")
        println("aborted ${organiser.result(match.id()).reason()}")
        cancelled.await()
        println("turn cancelled")
        bots.cancelAndJoin()
        println("stopped")
    }
}

private val terms = matchTerms("alquerque") {
    title("test")
    startTimeout(Duration.ofMinutes(10))
}

private fun client(token: String) = Client.builder(System.getenv("BOT_REFEREE"), token)

private suspend fun watchToTheEnd(organiser: CoroutineOrganiser) {
    val match = organiser.createMatch(terms, "duke", "duke")
    println("match ${match.game()} ${match.title()} ${match.bots()}")
    val entries = organiser.watch(match.id()).toList()
    println("numbers ${entries.map { it.number() } == (1L..entries.size).toList()}")
    println("moves ${entries.any { it.move().isPresent }}")
    println("later ${organiser.watch(match.id(), after = 5).first().number()}")
    println("result ${organiser.result(match.id()).kind()}")
}
