/**
 * Library for bots: a bot is a module that chooses moves, and `referee-bot` (or `run`) does everything else.
 *
 * It finds the referee by the environment, opens the stream, answers pings while the bot thinks, runs several matches
 * at the same time, and reconnects after a break without losing a turn or answering one twice.
 */

export type { Asked, Bot, Choose, TurnOptions } from "./bot.js";
export { run } from "./player.js";
