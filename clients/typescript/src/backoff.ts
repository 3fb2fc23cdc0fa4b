/** Pauses before a bot reconnects. */

const FIRST_MS = 750;
const LONGEST_MS = 10_000;
/** Limit while a clock of the bot may run. */
const LONGEST_WITH_OPEN_TURN_MS = 3_000;
/** The longest time that is added to the delay after draining. */
const MAX_DRAINING_JITTER_MS = 500;
/** A session that lasts this long from its Welcome resets the backoff. */
const STABLE_MS = 10_000;

/**
 * Exponential backoff: its limit doubles after each failure, up to ten seconds. A Welcome alone does not reset it:
 * otherwise a bot whose own message breaks the stream would reconnect at full speed for ever. Times are milliseconds of
 * a monotonic clock.
 */
export class Backoff {
  #nextMs = FIRST_MS;
  #stableAtMs = Infinity;

  /**
   * Returns the next pause, for a random number from 0 to 1. It is between a third of its limit and all of it, so that
   * the bots of a referee that was down do not all reconnect at the same moment.
   */
  nextMs(nowMs: number, hasOpenTurn: boolean, random: number): number {
    const limitMs = nowMs >= this.#stableAtMs ? FIRST_MS : this.#nextMs;
    this.#stableAtMs = Infinity;
    this.#nextMs = Math.min(2 * limitMs, LONGEST_MS);
    const pauseMs = hasOpenTurn ? Math.min(limitMs, LONGEST_WITH_OPEN_TURN_MS) : limitMs;
    return Math.round((pauseMs * (1 + 2 * random)) / 3);
  }

  /** Returns the pause after a stream that a draining referee has ended, which is not a failure. */
  afterDrainingMs(reconnectDelayMs: number, random: number): number {
    return reconnectDelayMs + MAX_DRAINING_JITTER_MS * random;
  }

  /** Must be called when a Welcome has arrived. */
  onWelcome(nowMs: number): void {
    this.#stableAtMs = nowMs + STABLE_MS;
  }
}
