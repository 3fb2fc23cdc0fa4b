package referee.client.kotlin

import kotlinx.coroutines.flow.Flow
import referee.client.Entry
import referee.client.Match
import referee.client.MatchTerms
import referee.client.Organiser
import referee.client.Result

/** Returns the calls of this organiser for coroutines. Closing either of the two closes the connection. */
public fun Organiser.coroutines(): CoroutineOrganiser = CoroutineOrganiser(this)

/**
 * Makes the calls of organisers and watchers, see [Organiser.coroutines].
 *
 * Cancelling a coroutine ends its call, though the server may have carried it out already. A flow
 * makes its calls anew for each collection, and ends them with it. All fail like those of [Organiser].
 */
public class CoroutineOrganiser internal constructor(private val organiser: Organiser) : AutoCloseable by organiser {
    /** The calls about tournaments. */
    public val tournaments: CoroutineTournaments = CoroutineTournaments(organiser.tournaments())

    /** The calls about ladders. */
    public val ladders: CoroutineLadders = CoroutineLadders(organiser.ladders())

    /** Registers a bot, and returns its first token, which is shown only once. */
    public suspend fun registerBot(name: String, description: String = ""): String =
        call { organiser.registerBot(name, description) }

    /** Creates a match of these bots, in the order of seats. It begins when all of them are online. */
    public suspend fun createMatch(terms: MatchTerms, vararg bots: String): Match =
        call { organiser.createMatch(terms, *bots) }

    /** Returns a match as it is now. */
    public suspend fun match(id: String): Match = call { organiser.match(id) }

    /** Ends a match, which is void then. */
    public suspend fun abortMatch(id: String, why: String = ""): Unit = call { organiser.abortMatch(id, why) }

    /**
     * Returns the entries of a match after the number [after], once and in order, until the match is
     * over. After an interruption of the connection the flow goes on with the next entry.
     */
    public fun watch(id: String, after: Long = 0): Flow<Entry> = elements { organiser.watch(id, after) }

    /** Waits for the end of a match, and returns its result. */
    public suspend fun result(id: String): Result = call { organiser.result(id) }

    /** Returns the record of a match that is over, which `referee verify` checks. */
    public suspend fun record(id: String): String = call { organiser.record(id) }
}
