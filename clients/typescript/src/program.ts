/** Makes a program of a bot: options from the environment, signals, standard error, exit statuses. */

import { availableParallelism } from "node:os";
import { env } from "node:process";

import type { Bots } from "./bot.js";
import { RejectedError, SettingError, TakenOverError } from "./errors.js";
import { type BotOptions, type Logger, type Options, optionsFromEnvironment } from "./options.js";
import { play } from "./play.js";
import { WorkerPool } from "./worker-pool.js";

const EXIT_STOPPED = 0;
const EXIT_FAILED = 1;
const EXIT_MISCONFIGURED = 2;
const EXIT_TAKEN_OVER = 3;
const EXIT_REJECTED = 4;

/** What a module with a bot exports. */
interface BotModule {
  /** A function that chooses. */
  default?: unknown;
  options?: BotOptions;
}

/**
 * Plays until the program is stopped, with options from the environment, and returns its exit status: 0 after SIGINT or
 * SIGTERM, 2 if an option is invalid, 3 if a newer session of the same bot has taken over its seats, 4 if the referee
 * rejects the bot. Errors and log lines are written to standard error. The given options replace those of the
 * environment.
 *
 *     process.exit(await run(choose));
 */
export function run(bots: Bots, options: Partial<Omit<Options, "signal">> = {}): Promise<number> {
  return exitStatus((defaults) => play(bots, { ...defaults, ...options }));
}

/**
 * Like {@link run}, for a module whose default export is a function that chooses. It is loaded into worker threads, so
 * that a bot that computes for long does not block the thread that answers the referee. Its export `options` has the
 * options of the bot, if it has any.
 */
export function runModule(module: URL): Promise<number> {
  return exitStatus(async (options) => {
    const { default: choose, options: own = {} } = await importBot(module);
    if (typeof choose !== "function") {
      throw new SettingError(module.pathname, "exports no function as default");
    }
    const pool = new WorkerPool(module, Math.max(availableParallelism(), options.maxMatches ?? 1));
    try {
      await play((turn, call) => pool.choose(turn, call), { ...options, ...own });
    } finally {
      await pool.close();
    }
  });
}

async function importBot(module: URL): Promise<BotModule> {
  try {
    return (await import(module.href)) as BotModule;
  } catch (error) {
    throw new SettingError(module.pathname, `cannot be loaded: ${stackOf(error)}`);
  }
}

/** Writes each log line to standard error. */
const STANDARD_ERROR: Logger = { info: writeLine, warn: writeLine, error: writeLine };

function writeLine(message: string): void {
  console.error(`referee-client: ${message}`);
}

/** Returns the exit status after a function that plays until a signal of the operating system arrives. */
async function exitStatus(playWith: (options: Options) => Promise<void>): Promise<number> {
  const stopping = new AbortController();
  const stop = (): void => {
    stopping.abort();
  };
  try {
    // Before signals are caught: the token may be in a pipe into which nobody writes.
    const options = optionsFromEnvironment(env);
    process.once("SIGINT", stop);
    process.once("SIGTERM", stop);
    await playWith({ ...options, logger: STANDARD_ERROR, signal: stopping.signal });
    return EXIT_STOPPED;
  } catch (error) {
    return statusOf(error);
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  }
}

function statusOf(error: unknown): number {
  if (error instanceof RejectedError) {
    writeLine(`the referee rejects this bot: ${error.message} (${error.reason})`);
    return EXIT_REJECTED;
  }
  if (error instanceof SettingError || error instanceof TakenOverError) {
    writeLine(error.message);
    return error instanceof TakenOverError ? EXIT_TAKEN_OVER : EXIT_MISCONFIGURED;
  }
  writeLine(stackOf(error));
  return EXIT_FAILED;
}

function stackOf(error: unknown): string {
  return (error instanceof Error && error.stack) || String(error);
}
