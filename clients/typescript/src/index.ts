/**
 * A client for Referee, a match referee for bots.
 *
 * A bot is a function, or a class, that chooses a move. `play` connects it to a server: it answers pings while the bot
 * waits or computes in worker threads, plays several matches at the same time, and reconnects after the connection was
 * lost, without losing a turn or answering one twice. `run` makes a program of a bot.
 * `Organiser` creates matches, tournaments and ladders, and watches them.
 */

export type { Answer, Bot, BotClass, Bots, Choose, PerSeat } from "./bot.js";
export { perSeat } from "./bot.js";
export type {
  ContestMatchTerms,
  Entrant,
  ExportFormat,
  Ladder,
  LadderEntry,
  LadderStanding,
  LadderTerms,
  NewEntrant,
  Pairing,
  Rating,
  RatingChange,
  Tournament,
  TournamentEntry,
  TournamentFormat,
  TournamentPhase,
  TournamentStanding,
  TournamentTerms,
} from "./contests.js";
export { CallError, type RefereeError, RejectedError, SettingError, TakenOverError } from "./errors.js";
export type { LadderListOptions, Ladders, LadderStandingListOptions } from "./ladders.js";
export type { End, Entry, Match, Result } from "./match.js";
export {
  type BotOptions,
  type ConnectionOptions,
  type Environment,
  type ListOptions,
  type Logger,
  type Options,
  optionsFromEnvironment,
  type WatchOptions,
} from "./options.js";
export { Organiser } from "./organiser.js";
export { play } from "./play.js";
export { run, runModule } from "./program.js";
export type { MatchTerms, TimeControl } from "./terms.js";
export type { PairingListOptions, TournamentListOptions, Tournaments } from "./tournaments.js";
export { type Clock, makeTurn, type PlayedMove, type Turn } from "./turn.js";
export { WorkerPool } from "./worker-pool.js";
