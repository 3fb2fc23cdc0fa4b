/** Worker thread that runs the bot's code. */

import { parentPort, workerData } from "node:worker_threads";

import type { Bot } from "./bot.js";
import { isCancelled, type TurnTask } from "./open-turns.js";

/** What a worker sends back for each task. */
export type WorkerResult = { move: string } | { error: unknown };

const { default: choose } = (await import(workerData)) as Bot;

parentPort?.on("message", async (task: TurnTask) => {
  parentPort?.postMessage(await resultOf(task));
});

async function resultOf(task: TurnTask): Promise<WorkerResult> {
  const { turn, rejection } = task;
  try {
    return { move: await choose({ turn, rejection, isCancelled: () => isCancelled(task) }) };
  } catch (error) {
    return { error: error instanceof Error ? error : String(error) };
  }
}
