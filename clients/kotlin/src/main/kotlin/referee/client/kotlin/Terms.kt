package referee.client.kotlin

import referee.client.LadderTerms
import referee.client.MatchTerms
import referee.client.TournamentFormat
import referee.client.TournamentTerms

/** Returns the terms of matches of a game: `matchTerms("alquerque") { title("The final") }`. */
public fun matchTerms(game: String, settings: MatchTerms.Builder.() -> Unit = {}): MatchTerms =
    MatchTerms.builder(game).apply(settings).build()

/** Returns the terms of a tournament, whose entrants are paired by the format. */
public fun tournamentTerms(
    match: MatchTerms,
    format: TournamentFormat,
    settings: TournamentTerms.Builder.() -> Unit = {},
): TournamentTerms = TournamentTerms.builder(match, format).apply(settings).build()

/** Returns the terms of a ladder, which plays matches under each of these terms in turn. */
public fun ladderTerms(vararg matches: MatchTerms, settings: LadderTerms.Builder.() -> Unit = {}): LadderTerms =
    LadderTerms.builder(*matches).apply(settings).build()
