/** Repetition of what fails for a moment. */

import { setTimeout as sleep } from "node:timers/promises";

import { Backoff } from "./backoff.js";
import { CallError, type RefereeError } from "./errors.js";

const MAX_RETRY_AFTER_MS = 60_000;
/** Replaces a time in `retry_after_ms` that is not a number from 0 to the maximum. */
const DEFAULT_RETRY_AFTER_MS = 1_000;
const MAX_ATTEMPTS = 5;

/** Returns the time after which a retry may succeed; undefined if it is not known that one will. */
export function retryAfterMs({ metadata }: Pick<RefereeError, "metadata">): number | undefined {
  const text = metadata["retry_after_ms"];
  if (text === undefined) {
    return undefined;
  }
  const ms = /^[0-9]+$/.test(text) ? Number(text) : Infinity;
  return ms <= MAX_RETRY_AFTER_MS ? ms : DEFAULT_RETRY_AFTER_MS;
}

/** The pauses after failed attempts. */
export class Pauses {
  #backoff = new Backoff();

  /** Must be called when an attempt has made progress. */
  reset(): void {
    this.#backoff = new Backoff();
  }

  /** Returns the pause after an error: what the server asks for, or else that of the backoff. */
  nextMs(error: CallError): number {
    return retryAfterMs(error) || this.#backoff.nextMs(performance.now(), false, Math.random());
  }
}

/** Waits, until the signal is aborted. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Waits by the clock. */
export const wait: Wait = (ms, signal) => sleep(ms, undefined, signal && { signal }).catch(() => {});

/**
 * Makes attempts, five at most, until one succeeds or fails for good, and returns its outcome. Throws the last error, or
 * the reason of the signal.
 */
export async function repeat<T>(attempt: () => Promise<T>, signal?: AbortSignal, pause: Wait = wait): Promise<T> {
  const pauses = new Pauses();
  for (let attempts = 1; ; attempts++) {
    signal?.throwIfAborted(); // Also after a pause that was cut short.
    try {
      return await attempt();
    } catch (error) {
      if (attempts === MAX_ATTEMPTS || !(error instanceof CallError && isTemporary(error))) {
        throw error;
      }
      await pause(pauses.nextMs(error), signal);
    }
  }
}

function isTemporary(error: CallError): boolean {
  return error.status === "UNAVAILABLE" || retryAfterMs(error) !== undefined;
}
