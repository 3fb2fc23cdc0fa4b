/** How long to stay away after a break. */

const FIRST_MS = 500;
const LONGEST_MS = 10_000;

/** Twice as long each time, up to ten seconds. */
export class Backoff {
  #nextMs = FIRST_MS;

  /**
   * The next wait. `chance`, from 0 to 1, makes it half as long up to half as long again, so that the bots of a
   * referee that was away do not all come back in the same moment.
   */
  nextMs(chance: number): number {
    const waitMs = this.#nextMs;
    this.#nextMs = Math.min(2 * waitMs, LONGEST_MS);
    return waitMs * (0.5 + chance);
  }

  /** The referee has said Welcome: the next break is the first again. */
  welcomed(): void {
    this.#nextMs = FIRST_MS;
  }
}
