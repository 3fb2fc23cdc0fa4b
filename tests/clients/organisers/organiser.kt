import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import referee.client.CallException
import referee.client.Client
import referee.client.Entrant
import referee.client.TournamentFormat
import referee.client.kotlin.CoroutineOrganiser
import referee.client.kotlin.coroutines
import referee.client.kotlin.ladderTerms
import referee.client.kotlin.matchTerms
import referee.client.kotlin.play
import referee.client.kotlin.tournamentTerms

private val terms = matchTerms("alquerque") {
    title("test")
    startTimeout(Duration.ofMinutes(10))
}

/** Lets bots of its own play, watches them, cancels whatever can be cancelled, and prints what it has seen as lines. */
fun main() = runBlocking {
    Client.fromEnvironment().buildOrganiser().coroutines().use { organiser ->
        val duke = organiser.registerBot("duke", "plays whatever comes first")
        val idle = IdleBot(organiser.registerBot("idle"))
        try {
            organiser.registerBot("duke")
        } catch (e: CallException) {
            println("error ${e.error().reason()}")
        }
        val bots = launch {
            launch { client(duke).play { turn -> turn.legalMoves().first() } }
            idle.play()
        }
        watchToTheEnd(organiser)
        cancelWatchAndTurn(organiser, idle)
        runContests(organiser)

        val last = organiser.createMatch(terms, "idle", "duke")
        idle.asked.receive()
        bots.cancelAndJoin()
        println("turns cancelled ${idle.cancelled}")
        println("resigned ${organiser.match(last.id()).result().isPresent}")
    }
}

private fun client(token: String) = Client.builder(System.getenv("BOT_REFEREE"), token)

/** Waits in each turn for its cancellation, and needs some time then. */
private class IdleBot(private val token: String) {
    val asked = Channel<Unit>(Channel.UNLIMITED)
    val ended = Channel<Unit>(Channel.UNLIMITED)
    val cancelled = AtomicInteger()

    suspend fun play(): Nothing =
        client(token).play {
            try {
                asked.send(Unit)
                awaitCancellation()
            } finally {
                withContext(NonCancellable) { repeat(100_000) { yield() } }
                cancelled.incrementAndGet()
                ended.trySend(Unit)
            }
        }
}

private suspend fun watchToTheEnd(organiser: CoroutineOrganiser) {
    val match = organiser.createMatch(terms, "duke", "duke")
    println("match ${match.game()} ${match.title()} ${match.bots()}")
    val entries = organiser.watch(match.id()).toList()
    println("numbers ${entries.map { it.number() } == (1L..entries.size).toList()}")
    println("moves ${entries.any { it.move().isPresent }}")
    println("later ${organiser.watch(match.id(), after = 5).first().number()}")
    println("result ${organiser.result(match.id()).kind()}")
    println("record ${organiser.record(match.id()).lines().size > entries.size}")
}

private suspend fun cancelWatchAndTurn(organiser: CoroutineOrganiser, idle: IdleBot) {
    val match = organiser.createMatch(terms, "idle", "duke")
    idle.asked.receive()
    val started = CompletableDeferred<Unit>()
    coroutineScope {
        val watch = launch { organiser.watch(match.id()).collect { started.complete(Unit) } }
        started.await()
        watch.cancelAndJoin()
        println("watch cancelled ${watch.isCancelled}")
    }
    println("first ${organiser.watch(match.id()).first().number()}")
    organiser.abortMatch(match.id(), "enough")
    println("aborted ${organiser.result(match.id()).reason()}")
    idle.ended.receive()
    println("turns cancelled ${idle.cancelled}")
}

private suspend fun runContests(organiser: CoroutineOrganiser) {
    val cups = organiser.tournaments
    val format = tournamentTerms(terms, TournamentFormat.RoundRobin(1)) { title("The cup") }
    println("created ${cups.create("cup", format, Entrant.bot("duke"), Entrant.bot("idle")).title()}")
    println("cancelled ${cups.cancel("cup").phase()}")
    println("watched ${cups.watch("cup").toList().last().kind()}")
    println("listed ${cups.list().map { it.name() }.toList()}")
    val ladders = organiser.ladders
    ladders.create("main", ladderTerms(terms) { title("Main") })
    println("joined ${ladders.join("main", Entrant.bot("duke")).entrant().name()}")
    println("standings ${ladders.standings("main").map { it.entrant().name() }.toList()}")
    println("closed ${ladders.close("main", "thanks").closed()}")
    println("watched ${ladders.watch("main").toList().last().kind()}")
}
