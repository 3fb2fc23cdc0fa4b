/**
 * A client for Referee, a match referee for bots.
 *
 * A bot is a function, or a class, that chooses a move. `play` connects it to a server: it answers pings while the bot
 * waits or computes in worker threads, plays several matches at the same time, and reconnects after the connection was
 * lost, without losing a turn or answering one twice. `run` makes a program of a bot.
 * `Organiser` creates matches and watches them.
 */

export type { Answer, Bot, BotClass, Bots, Choose, PerSeat } from "./bot.js";
export { perSeat } from "./bot.js";
export { CallError, type RefereeError, RejectedError, SettingError, TakenOverError } from "./errors.js";
export type { End, Entry, Match, Result } from "./match.js";
export {
  type BotOptions,
  type ConnectionOptions,
  type Logger,
  type Options,
  optionsFromEnvironment,
} from "./options.js";
export { Organiser, type WatchOptions } from "./organiser.js";
export { play } from "./play.js";
export { run, runModule } from "./program.js";
export type { MatchTerms, TimeControl } from "./terms.js";
export { type Clock, makeTurn, type PlayedMove, type Turn } from "./turn.js";
export { WorkerPool } from "./worker-pool.js";
