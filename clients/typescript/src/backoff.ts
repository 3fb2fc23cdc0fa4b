/** How long to stay away after a break. */

const FIRST_MS = 500;
const LONGEST_MS = 10_000;
/** A session that lasts this long from its Welcome resets the backoff. */
const STABLE_MS = 10_000;

/**
 * Twice as long after each break, up to ten seconds. A Welcome alone does not reset it: else a bot whose own message
 * breaks the stream would reconnect at full speed for ever. Times are milliseconds of a clock that never goes back.
 */
export class Backoff {
  #nextMs = FIRST_MS;
  #stableAtMs = Infinity;

  /**
   * The next wait. `chance`, from 0 to 1, makes it half as long up to half as long again, so that the bots of a
   * referee that was away do not all come back in the same moment.
   */
  nextMs(nowMs: number, chance: number): number {
    const waitMs = nowMs >= this.#stableAtMs ? FIRST_MS : this.#nextMs;
    this.#stableAtMs = Infinity;
    this.#nextMs = Math.min(2 * waitMs, LONGEST_MS);
    return waitMs * (0.5 + chance);
  }

  /** The wait after a stream that the referee has ended to go away for so long. That is no failure. */
  afterDrainingMs(awayMs: number, chance: number): number {
    return awayMs + FIRST_MS * chance;
  }

  /** The referee has said Welcome. */
  welcomed(nowMs: number): void {
    this.#stableAtMs = nowMs + STABLE_MS;
  }
}
