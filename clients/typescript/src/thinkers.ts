/** The threads that a bot thinks on, so that the one that listens to the referee is always free. */

import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

import type { Question } from "./desk.js";
import type { Thought } from "./thinker.js";

/** One thread to begin with, and another whenever all are busy, up to one a core. */
export class Thinkers {
  readonly #bot: URL;
  readonly #atMost: number;
  readonly #threads = new Set<Thread>();

  constructor(bot: URL, atMost = availableParallelism()) {
    this.#bot = bot;
    this.#atMost = atMost;
    this.#another();
  }

  /** The bot's move. Rejects if its code breaks down. */
  think(question: Question): Promise<string> {
    const [idlest] = [...this.#threads].sort((one, other) => one.busy - other.busy);
    const full = this.#threads.size >= this.#atMost;
    const thread = idlest && (full || idlest.busy === 0) ? idlest : this.#another();
    return thread.think(question);
  }

  /** Ends all thoughts, also those that would go on for ever. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #another(): Thread {
    const thread = new Thread(this.#bot, () => this.#threads.delete(thread));
    this.#threads.add(thread);
    return thread;
  }
}

interface Waiting {
  resolve(move: string): void;
  reject(why: unknown): void;
}

class Thread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #asks = 0;

  /** `ended` is called when it thinks no more: the bot's code has ended it, or `end`. */
  constructor(bot: URL, ended: () => void) {
    this.#worker = new Worker(new URL("./thinker.js", import.meta.url), { workerData: bot.href });
    this.#worker.on("message", (thought: Thought) => this.#found(thought));
    let why: unknown = new Error("the bot has ended its thread");
    this.#worker.on("error", (error) => (why = error));
    this.#worker.on("exit", () => {
      ended();
      this.#waiting.forEach(({ reject }) => reject(why));
    });
  }

  get busy(): number {
    return this.#waiting.size;
  }

  think(question: Question): Promise<string> {
    const id = ++this.#asks;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, question });
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #found(thought: Thought): void {
    const waiting = this.#waiting.get(thought.id);
    this.#waiting.delete(thought.id);
    if ("move" in thought) {
      waiting?.resolve(thought.move);
    } else {
      waiting?.reject(thought.why);
    }
  }
}
