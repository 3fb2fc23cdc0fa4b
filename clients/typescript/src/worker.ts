/** Worker thread that runs the bot's code. */

import { parentPort, workerData } from "node:worker_threads";

import type { Answer, Choose } from "./bot.js";
import type { Turn } from "./turn.js";

/** A turn for a worker. */
export interface WorkerTask {
  readonly turn: Omit<Turn, "isCancelled">;
  /** Contains 0 while an answer is needed, and 1 afterwards. It is shared between threads. */
  readonly cancelled: Int32Array;
}

/** What a worker sends back for each task. */
export type WorkerResult = { answer: Answer } | { error: unknown };

const { default: choose } = (await import(workerData)) as { default: Choose };

/** Of the call for the last task. */
let controller = new AbortController();

parentPort?.on("message", (task: WorkerTask | "cancel") => {
  if (task === "cancel") {
    controller.abort();
  } else {
    controller = new AbortController();
    void resultOf(task, controller.signal).then((result) => parentPort?.postMessage(result));
  }
});

async function resultOf({ turn, cancelled }: WorkerTask, signal: AbortSignal): Promise<WorkerResult> {
  try {
    const isCancelled = (): boolean => Atomics.load(cancelled, 0) !== 0;
    return { answer: await choose({ ...turn, isCancelled }, signal) };
  } catch (error) {
    return { error: error instanceof Error ? error : String(error) };
  }
}
