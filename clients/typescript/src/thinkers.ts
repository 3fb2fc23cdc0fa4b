/** Worker threads for the bot, so that the thread that reads from the referee is never blocked. */

import { Worker } from "node:worker_threads";

import type { Question } from "./desk.js";
import type { Thought } from "./thinker.js";

/** How long a thread may continue with a question that was dropped, before it is terminated. */
const GRACE_MS = 1_000;

/** A question, and the callbacks for its result. */
interface Task {
  readonly question: Question;
  resolve(move: string): void;
  reject(why: unknown): void;
}

/**
 * Thread pool with one queue; each thread gets one question at a time. It starts with one thread, and adds another when
 * all are busy, up to a limit. A thread that does not stop when its question is dropped is replaced.
 */
export class Thinkers {
  readonly #bot: URL;
  readonly #atMost: number;
  readonly #graceMs: number;
  readonly #threads = new Set<Thread>();
  readonly #queue: Task[] = [];

  constructor(bot: URL, atMost: number, graceMs = GRACE_MS) {
    this.#bot = bot;
    this.#atMost = atMost;
    this.#graceMs = graceMs;
    this.#another();
  }

  /** Returns the bot's move. Rejects if its code fails, or if the question is dropped before it has an answer. */
  think(question: Question): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ question, resolve, reject });
      this.#assign();
    });
  }

  /** Drops a question whose answer is no longer needed. */
  drop(question: Question): void {
    const waiting = this.#queue.findIndex((task) => task.question === question);
    if (waiting >= 0) {
      this.#queue.splice(waiting, 1)[0]?.reject(new Error("the question was dropped"));
    } else {
      const thread = [...this.#threads].find((thread) => thread.question === question);
      setTimeout(() => thread?.question === question && thread.end(), this.#graceMs).unref();
    }
  }

  /** Terminates all threads, including those that would run for ever. */
  async close(): Promise<void> {
    this.#queue.length = 0;
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #assign(): void {
    while (this.#queue.length > 0) {
      const idle = [...this.#threads].find((thread) => thread.idle);
      const thread = idle ?? (this.#threads.size < this.#atMost ? this.#another() : undefined);
      if (!thread) {
        return;
      }
      thread.think(this.#queue.shift()!);
    }
  }

  #another(): Thread {
    const thread = new Thread(this.#bot, {
      idle: () => this.#assign(),
      ended: () => {
        this.#threads.delete(thread);
        this.#assign();
      },
    });
    this.#threads.add(thread);
    return thread;
  }
}

class Thread {
  readonly #worker: Worker;
  #task: Task | undefined;
  #ending = false;

  /** `ended` is called when the thread has ended, either by the bot's code or by `end`. */
  constructor(bot: URL, told: { idle(): void; ended(): void }) {
    this.#worker = new Worker(new URL("./thinker.js", import.meta.url), { workerData: bot.href });
    this.#worker.on("message", (thought: Thought) => {
      this.#found(thought);
      told.idle();
    });
    let why: unknown = new Error("the bot has ended its thread");
    this.#worker.on("error", (error) => (why = error));
    this.#worker.on("exit", () => {
      this.#task?.reject(why);
      told.ended();
    });
  }

  /** Whether it can get a question. A thread that is being terminated may still send its last answer. */
  get idle(): boolean {
    return this.#task === undefined && !this.#ending;
  }

  /** The question that it is working on. */
  get question(): Question | undefined {
    return this.#task?.question;
  }

  /** Starts a question. The thread must be idle. */
  think(task: Task): void {
    this.#task = task;
    this.#worker.postMessage(task.question);
  }

  async end(): Promise<void> {
    this.#ending = true;
    await this.#worker.terminate();
  }

  #found(thought: Thought): void {
    const task = this.#task;
    this.#task = undefined;
    if ("move" in thought) {
      task?.resolve(thought.move);
    } else {
      task?.reject(thought.why);
    }
  }
}
