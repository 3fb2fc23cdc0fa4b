/** A thread that thinks: it has the bot's code to itself. */

import { parentPort, workerData } from "node:worker_threads";

import type { Bot } from "./bot.js";
import { isWanted, type Question } from "./desk.js";

/** What came of thinking about a question. */
export type Thought = { id: number; move: string } | { id: number; why: unknown };

const { default: choose } = (await import(workerData)) as Bot;

parentPort?.on("message", async ({ id, question }: { id: number; question: Question }) => {
  parentPort?.postMessage(await thoughtAbout(id, question));
});

async function thoughtAbout(id: number, question: Question): Promise<Thought> {
  const { turn, refused } = question;
  try {
    return { id, move: await choose({ turn, refused, wanted: () => isWanted(question) }) };
  } catch (why) {
    return { id, why: why instanceof Error ? why : String(why) };
  }
}
