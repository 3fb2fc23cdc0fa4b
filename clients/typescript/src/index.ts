/**
 * Write a bot for Referee: a module that says how to choose. `referee-bot` (or `run`) does the rest.
 *
 * The rest is to find the referee by the environment, to open the stream, to answer pings while the bot thinks, to
 * think about several matches at once, and to come back after a break without losing a turn or answering one twice.
 */

export type { Asked, Bot, Choose, Wishes } from "./bot.js";
export { run } from "./player.js";
