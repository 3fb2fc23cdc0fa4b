/**
 * Library for bots: a bot is a module that chooses moves, and `referee-bot` (or `run`) does everything else.
 *
 * It reads the address of the referee from the environment, opens the stream, answers pings while the bot computes,
 * plays several matches at the same time, and reconnects after the connection was lost without losing a turn or
 * answering one twice.
 */

export type { Bot, Choose, ChooseNonce, TurnOptions, TurnRequest } from "./bot.js";
export { run } from "./player.js";
