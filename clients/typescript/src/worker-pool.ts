/** Worker threads for the bot, so that the thread that reads from the referee is never blocked. */

import { Worker } from "node:worker_threads";

import type { TurnTask } from "./open-turns.js";
import type { WorkerResult } from "./worker.js";

/** How long a worker may continue with a task that was cancelled, before it is terminated. */
const CANCEL_TIMEOUT_MS = 1_000;

/** A task, and the callbacks for its result. */
interface Job {
  readonly task: TurnTask;
  resolve(move: string): void;
  reject(error: unknown): void;
}

/**
 * Thread pool with one queue; each worker gets one task at a time. It starts with one worker, and adds another when all
 * are busy, up to a limit. A worker that does not stop when its task is cancelled is replaced.
 */
export class WorkerPool {
  readonly #bot: URL;
  readonly #maxWorkers: number;
  readonly #cancelTimeoutMs: number;
  readonly #workers = new Set<PoolWorker>();
  readonly #queue: Job[] = [];

  constructor(bot: URL, maxWorkers: number, cancelTimeoutMs = CANCEL_TIMEOUT_MS) {
    this.#bot = bot;
    this.#maxWorkers = maxWorkers;
    this.#cancelTimeoutMs = cancelTimeoutMs;
    this.#addWorker();
  }

  /** Returns the bot's move. Rejects if its code fails, or if the task is cancelled before it has an answer. */
  run(task: TurnTask): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ task, resolve, reject });
      this.#assign();
    });
  }

  /** Must be called after a task was marked as cancelled. */
  cancel(task: TurnTask): void {
    const index = this.#queue.findIndex((job) => job.task === task);
    if (index >= 0) {
      this.#queue.splice(index, 1)[0]?.reject(new Error("the turn was cancelled"));
    } else {
      const worker = [...this.#workers].find((worker) => worker.task === task);
      setTimeout(() => worker?.task === task && worker.terminate(), this.#cancelTimeoutMs).unref();
    }
  }

  /** Terminates all workers, including those whose computation never ends. */
  async close(): Promise<void> {
    this.#queue.length = 0;
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  #assign(): void {
    while (this.#queue.length > 0) {
      const idle = [...this.#workers].find((worker) => worker.idle);
      const worker = idle ?? (this.#workers.size < this.#maxWorkers ? this.#addWorker() : undefined);
      if (!worker) {
        return;
      }
      worker.start(this.#queue.shift()!);
    }
  }

  #addWorker(): PoolWorker {
    const worker = new PoolWorker(this.#bot, {
      onIdle: () => this.#assign(),
      onExit: () => {
        this.#workers.delete(worker);
        this.#assign();
      },
    });
    this.#workers.add(worker);
    return worker;
  }
}

class PoolWorker {
  readonly #worker: Worker;
  #job: Job | undefined;
  #terminating = false;

  /** `onExit` is called when the thread has ended, either by the bot's code or by `terminate`. */
  constructor(bot: URL, callbacks: { onIdle(): void; onExit(): void }) {
    this.#worker = new Worker(new URL("./worker.js", import.meta.url), { workerData: bot.href });
    this.#worker.on("message", (result: WorkerResult) => {
      this.#finish(result);
      callbacks.onIdle();
    });
    let failure: unknown = new Error("the bot has ended its thread");
    this.#worker.on("error", (error) => (failure = error));
    this.#worker.on("exit", () => {
      this.#job?.reject(failure);
      callbacks.onExit();
    });
  }

  /** Whether it can get a task. A worker that is being terminated may still send its last result. */
  get idle(): boolean {
    return this.#job === undefined && !this.#terminating;
  }

  /** The task that it is working on. */
  get task(): TurnTask | undefined {
    return this.#job?.task;
  }

  /** Starts a job. The worker must be idle. */
  start(job: Job): void {
    this.#job = job;
    this.#worker.postMessage(job.task);
  }

  async terminate(): Promise<void> {
    this.#terminating = true;
    await this.#worker.terminate();
  }

  #finish(result: WorkerResult): void {
    const job = this.#job;
    this.#job = undefined;
    if ("move" in result) {
      job?.resolve(result.move);
    } else {
      job?.reject(result.error);
    }
  }
}
