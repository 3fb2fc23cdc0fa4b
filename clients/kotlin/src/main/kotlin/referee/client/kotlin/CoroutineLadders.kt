package referee.client.kotlin

import kotlinx.coroutines.flow.Flow
import referee.client.Entrant
import referee.client.Ladder
import referee.client.LadderEntry
import referee.client.LadderFilter
import referee.client.LadderStanding
import referee.client.LadderTerms
import referee.client.Ladders
import referee.client.Pairing

/** Creates ladders, runs and watches them, see [CoroutineOrganiser.ladders]. */
public class CoroutineLadders internal constructor(private val ladders: Ladders) {
    /** Creates a ladder. It starts matches as soon as two entrants are online. */
    public suspend fun create(name: String, terms: LadderTerms): Ladder = call { ladders.create(name, terms) }

    /** Adds the bot whose token this is, and returns its first standing. */
    public suspend fun join(name: String): LadderStanding = call { ladders.join(name) }

    /** Adds an entrant, and returns its first standing. */
    public suspend fun join(name: String, entrant: Entrant): LadderStanding = call { ladders.join(name, entrant) }

    /** Removes an entrant, or the bot whose token this is. Its ratings are kept in case it returns. */
    public suspend fun leave(name: String, entrant: String = ""): Unit = call { ladders.leave(name, entrant) }

    /** Plans a rated pairing of these entrants, which starts as soon as all have room. The first is the challenger. */
    public suspend fun challenge(name: String, vararg entrants: String): Pairing =
        call { ladders.challenge(name, *entrants) }

    /** Pauses a ladder: it starts no matches until it is resumed. Matches in play continue and are rated. */
    public suspend fun pause(name: String, why: String = ""): Ladder = call { ladders.pause(name, why) }

    /** Resumes a paused ladder. */
    public suspend fun resume(name: String): Ladder = call { ladders.resume(name) }

    /** Closes a ladder for good. Matches in play continue and are rated. */
    public suspend fun close(name: String, why: String = ""): Ladder = call { ladders.close(name, why) }

    /** Returns a ladder as it is now. */
    public suspend fun get(name: String): Ladder = call { ladders.get(name) }

    /** Returns ladders by name. */
    public fun list(filter: LadderFilter = LadderFilter.OPEN): Flow<Ladder> = elements { ladders.list(filter) }

    /** Returns the standings of a season, the best first. The seasons count from 1; 0 is the current one. */
    public fun standings(name: String, season: Int = 0): Flow<LadderStanding> =
        elements { ladders.standings(name, season) }

    /**
     * Returns the entries of a ladder after the number [after], once and in order, until it is closed
     * and its last match is over. After an interruption of the connection the flow goes on with the
     * next entry.
     */
    public fun watch(name: String, after: Long = 0): Flow<LadderEntry> = elements { ladders.watch(name, after) }

    /** Returns the signed record of a closed ladder whose last match is over, which `referee verify` checks. */
    public suspend fun record(name: String): String = call { ladders.record(name) }
}
