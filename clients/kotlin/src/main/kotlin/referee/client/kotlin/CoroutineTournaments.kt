package referee.client.kotlin

import kotlinx.coroutines.flow.Flow
import referee.client.Entrant
import referee.client.ExportFormat
import referee.client.Pairing
import referee.client.Tournament
import referee.client.TournamentEntry
import referee.client.TournamentFilter
import referee.client.TournamentStanding
import referee.client.TournamentTerms
import referee.client.Tournaments

/** Creates tournaments, runs and watches them, see [CoroutineOrganiser.tournaments]. */
public class CoroutineTournaments internal constructor(private val tournaments: Tournaments) {
    /** Creates a tournament. Further entrants can enter until it is started. */
    public suspend fun create(name: String, terms: TournamentTerms, vararg entrants: Entrant): Tournament =
        call { tournaments.create(name, terms, *entrants) }

    /** Adds the bot whose token this is. */
    public suspend fun enter(name: String): Tournament = call { tournaments.enter(name) }

    /** Adds an entrant. */
    public suspend fun enter(name: String, entrant: Entrant): Tournament = call { tournaments.enter(name, entrant) }

    /** Withdraws an entrant, or the bot whose token this is. After the start its results are kept. */
    public suspend fun withdraw(name: String, entrant: String = "", why: String = ""): Tournament =
        call { tournaments.withdraw(name, entrant, why) }

    /** Starts a tournament. */
    public suspend fun start(name: String): Tournament = call { tournaments.start(name) }

    /** Cancels a tournament. Its matches in play become void. */
    public suspend fun cancel(name: String, why: String = ""): Tournament = call { tournaments.cancel(name, why) }

    /** Returns a tournament as it is now. */
    public suspend fun get(name: String): Tournament = call { tournaments.get(name) }

    /** Returns tournaments, the newest first. */
    public fun list(filter: TournamentFilter = TournamentFilter.ALL): Flow<Tournament> =
        elements { tournaments.list(filter) }

    /** Returns pairings by round and board, of one round or of all. */
    public fun pairings(name: String, round: Int = 0): Flow<Pairing> = elements { tournaments.pairings(name, round) }

    /** Returns the standings, the best first: the current ones, or those after a round. */
    public suspend fun standings(name: String, afterRound: Int = 0): List<TournamentStanding> =
        call { tournaments.standings(name, afterRound) }

    /**
     * Returns the entries of a tournament after the number [after], once and in order, until it is
     * over. After an interruption of the connection the flow goes on with the next entry.
     */
    public fun watch(name: String, after: Long = 0): Flow<TournamentEntry> = elements { tournaments.watch(name, after) }

    /** Returns a tournament as the text of a file. */
    public suspend fun export(name: String, format: ExportFormat): String = call { tournaments.export(name, format) }

    /** Returns the signed record of a tournament that is over, which `referee verify` checks. */
    public suspend fun record(name: String): String = call { tournaments.record(name) }
}
