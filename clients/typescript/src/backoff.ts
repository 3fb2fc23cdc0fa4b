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
   * The next pause. `chance`, from 0 to 1, scales it by a factor from 0.5 to 1.5, so that the bots of a referee that
   * was away do not all reconnect at the same moment.
   */
  nextMs(nowMs: number, chance: number): number {
    const waitMs = nowMs >= this.#stableAtMs ? FIRST_MS : this.#nextMs;
    this.#stableAtMs = Infinity;
    this.#nextMs = Math.min(2 * waitMs, LONGEST_MS);
    return waitMs * (0.5 + chance);
  }

  /** The pause after a stream that a draining referee has ended, which is not a failure. */
  afterDrainingMs(awayMs: number, chance: number): number {
    return awayMs + FIRST_MS * chance;
  }

  /** Notes that the referee has sent its Welcome. */
  welcomed(nowMs: number): void {
    this.#stableAtMs = nowMs + STABLE_MS;
  }
}
