package referee.samples

import kotlinx.coroutines.runBlocking
import referee.client.CallException
import referee.client.Client
import referee.client.Result
import referee.client.TimeControl
import referee.client.kotlin.CoroutineOrganiser
import referee.client.kotlin.coroutines
import referee.client.kotlin.matchTerms
import java.time.Duration
import kotlin.system.exitProcess

private suspend fun organise(organiser: CoroutineOrganiser) {
    val terms = matchTerms("alquerque") {
        timeControl(TimeControl.SuddenDeath(Duration.ofSeconds(60)))
        title("conformance")
    }
    val id = organiser.createMatch(terms, "anna", "bert").id()
    organiser.watch(id).collect { entry -> println("entry ${entry.number()}") }
    val result = organiser.match(id).result().orElseThrow()
    val kind = when (result.kind()) {
        Result.Kind.PLAYED -> "played"
        Result.Kind.FORFEITED -> "forfeited"
        Result.Kind.VOID -> "voided"
    }
    println("result $kind")
    println("record ${organiser.record(id).lines().count { it.isNotEmpty() }}")
}

/**
 * Organises a match, which is the task of the conformance kit: creates and watches it, reads its
 * result and record.
 */
fun main(): Unit = runBlocking {
    Client.fromEnvironment().buildOrganiser().coroutines().use { organiser ->
        try {
            organise(organiser)
        } catch (e: CallException) {
            System.err.println(e.error().reason())
            exitProcess(1)
        }
    }
}
