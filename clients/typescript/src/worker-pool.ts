/** Worker threads for the bot, so that the thread that reads from the referee is never blocked. */

import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

import type { Answer } from "./bot.js";
import type { Turn } from "./turn.js";
import type { WorkerResult, WorkerTask } from "./worker.js";

/** How long a worker may continue with a call that was cancelled, before it is terminated. */
const CANCEL_TIMEOUT_MS = 1_000;

/** A turn, and the callbacks for its answer. */
interface Job {
  readonly task: WorkerTask;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Runs the function that a module exports as default in worker threads, for the turns of all matches: they wait in one
 * queue, and each worker gets one turn at a time. It starts with one worker, and adds another when all are busy, up to a
 * limit. The module is loaded into each of them, so it should not keep state.
 *
 *     const pool = new WorkerPool(new URL("./my-bot.js", import.meta.url));
 *     await play((turn, signal) => pool.choose(turn, signal), options);
 *     await pool.close();
 */
export class WorkerPool {
  readonly #bot: URL;
  readonly #maxWorkers: number;
  readonly #cancelTimeoutMs: number;
  readonly #workers = new Set<PoolWorker>();
  readonly #queue: Job[] = [];

  constructor(bot: URL, maxWorkers = availableParallelism(), cancelTimeoutMs = CANCEL_TIMEOUT_MS) {
    this.#bot = bot;
    this.#maxWorkers = maxWorkers;
    this.#cancelTimeoutMs = cancelTimeoutMs;
    this.#addWorker();
  }

  /**
   * Returns the bot's answer. Rejects if its code fails, or as soon as the signal is aborted. A worker that does not stop
   * within a second then is replaced.
   */
  async choose(turn: Turn, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    const { isCancelled, ...fields } = turn; // Functions cannot be sent to other threads.
    const task = { turn: fields, cancelled: new Int32Array(new SharedArrayBuffer(4)) };
    let cancel = (): void => {};
    try {
      return await new Promise((resolve, reject) => {
        const job = { task, resolve, reject };
        cancel = () => {
          this.#cancel(job);
        };
        signal.addEventListener("abort", cancel, { once: true });
        this.#queue.push(job);
        this.#assign();
      });
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  #cancel(job: Job): void {
    Atomics.store(job.task.cancelled, 0, 1);
    const index = this.#queue.indexOf(job);
    if (index >= 0) {
      this.#queue.splice(index, 1);
    } else {
      const worker = [...this.#workers].find((worker) => worker.job === job);
      worker?.cancel();
      setTimeout(() => {
        if (worker?.job === job) {
          void worker.terminate();
        }
      }, this.#cancelTimeoutMs).unref();
    }
    job.reject(new Error("the turn was cancelled"));
  }

  /** Terminates all workers, including those whose computation never ends. */
  async close(): Promise<void> {
    this.#queue.splice(0).forEach((job) => {
      job.reject(new Error("the pool was closed"));
    });
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  #assign(): void {
    while (this.#queue.length > 0) {
      const idle = [...this.#workers].find((worker) => worker.idle);
      const worker = idle ?? (this.#workers.size < this.#maxWorkers ? this.#addWorker() : undefined);
      if (!worker) {
        return;
      }
      const job = this.#queue.shift();
      if (job) {
        worker.start(job);
      }
    }
  }

  #addWorker(): PoolWorker {
    const worker = new PoolWorker(this.#bot, {
      onIdle: () => {
        this.#assign();
      },
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

  /** The job that it is working on. */
  get job(): Job | undefined {
    return this.#job;
  }

  /** Starts a job. The worker must be idle. */
  start(job: Job): void {
    this.#job = job;
    this.#worker.postMessage(job.task);
  }

  /** Aborts the signal of its call. It takes effect when the bot's code yields. */
  cancel(): void {
    this.#worker.postMessage("cancel");
  }

  async terminate(): Promise<void> {
    this.#terminating = true;
    await this.#worker.terminate();
  }

  #finish(result: WorkerResult): void {
    const job = this.#job;
    this.#job = undefined;
    if ("answer" in result) {
      job?.resolve(result.answer);
    } else {
      job?.reject(result.error);
    }
  }
}
