/** Pauses before a bot reconnects. */

const FIRST_MS = 500;
const LONGEST_MS = 10_000;
/** A session that lasts this long from its Welcome resets the backoff. */
const STABLE_MS = 10_000;

/**
 * Exponential backoff, up to ten seconds. A Welcome alone does not reset it: otherwise a bot whose own message breaks
 * the stream would reconnect at full speed for ever. Times are milliseconds of a monotonic clock.
 */
export class Backoff {
  #nextMs = FIRST_MS;
  #stableAtMs = Infinity;

  /**
   * Returns the next pause. `random`, from 0 to 1, scales it by a factor from 0.5 to 1.5, so that the bots of a referee
   * that was down do not all reconnect at the same moment.
   */
  nextMs(nowMs: number, random: number): number {
    const pauseMs = nowMs >= this.#stableAtMs ? FIRST_MS : this.#nextMs;
    this.#stableAtMs = Infinity;
    this.#nextMs = Math.min(2 * pauseMs, LONGEST_MS);
    return pauseMs * (0.5 + random);
  }

  /** Returns the pause after a stream that a draining referee has ended, which is not a failure. */
  afterDrainingMs(reconnectDelayMs: number, random: number): number {
    return reconnectDelayMs + FIRST_MS * random;
  }

  /** Must be called when a Welcome has arrived. */
  onWelcome(nowMs: number): void {
    this.#stableAtMs = nowMs + STABLE_MS;
  }
}
