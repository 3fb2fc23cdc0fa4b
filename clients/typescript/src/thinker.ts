/** Worker thread that runs the bot's code. */

import { parentPort, workerData } from "node:worker_threads";

import type { Bot } from "./bot.js";
import { isWanted, type Question } from "./desk.js";

/** The result of a question. */
export type Thought = { move: string } | { why: unknown };

const { default: choose } = (await import(workerData)) as Bot;

parentPort?.on("message", async (question: Question) => {
  parentPort?.postMessage(await thoughtAbout(question));
});

async function thoughtAbout(question: Question): Promise<Thought> {
  const { turn, refused } = question;
  try {
    return { move: await choose({ turn, refused, wanted: () => isWanted(question) }) };
  } catch (why) {
    return { why: why instanceof Error ? why : String(why) };
  }
}
