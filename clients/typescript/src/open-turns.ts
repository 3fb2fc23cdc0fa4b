/**
 * The open turns, and their answers.
 *
 * It is independent of time and network: it receives the messages of the referee and the answers of the bot, and calls
 * back when a turn needs an answer or an answer is to be sent. It outlives the stream, so that an answer computed while
 * there was no stream is sent when its turn is repeated.
 */

import type { Rules } from "./stubs/referee_api/v1/game_pb.js";
import type { BotItem, Turn, Verdict } from "./stubs/referee_api/v1/play_pb.js";
import type { ErrorDetail } from "./stubs/referee_api/v1/error_pb.js";

const MAX_RETRY_AFTER_MS = 60_000;
/** Replaces a time in `retry_after_ms` that is not a number from 0 to the maximum. */
const DEFAULT_RETRY_AFTER_MS = 1_000;

/** A turn that needs an answer, in a form that can be sent to a worker thread. */
export interface TurnTask {
  readonly turn: Turn;
  /** The error of the previous answer, if this is another attempt at the same move. */
  readonly rejection: ErrorDetail | undefined;
  /** Contains 0 while an answer is needed, and 1 afterwards. It is shared between threads. */
  readonly cancelled: Int32Array;
}

/** An open turn of a seat. */
export interface OpenTurn {
  readonly task: TurnTask;
  /** The item id of the answer. */
  readonly itemId: bigint;
  /** Undefined until the bot has answered. */
  answer?: BotItem;
  /** The error of a rejected answer. */
  rejection?: ErrorDetail | undefined;
}

export interface Callbacks {
  /** Starts to compute the answer to a turn. */
  choose(open: OpenTurn): void;
  send(answer: BotItem): void;
  /** Calls a function after a delay. */
  schedule(delayMs: number, callback: () => void): void;
  /** Its answer is no longer needed. */
  cancel(task: TurnTask): void;
}

export class OpenTurns {
  readonly #callbacks: Callbacks;
  /** A seat has at most one open turn. */
  readonly #bySeat = new Map<string, OpenTurn>();
  /** The rules that arrived last for each seat: turns omit large ones. */
  readonly #rules = new Map<string, Rules>();
  #lastItemId = 0n;

  constructor(callbacks: Callbacks) {
    this.#callbacks = callbacks;
  }

  /** Keeps the rules of a match for the turns of a seat. */
  onMatchStarted(matchId: string, seat: number, rules: Rules | undefined): void {
    if (rules) {
      this.#rules.set(seatKey({ matchId, seat }), rules);
    }
  }

  /** Handles a turn. A turn with a new token replaces the previous turn of the seat. */
  onTurn(turn: Turn): void {
    this.onMatchStarted(turn.matchId, turn.seat, turn.rules);
    const previous = this.#bySeat.get(seatKey(turn));
    if (!previous) {
      this.#open(turn, undefined);
    } else if (previous.task.turn.turnToken === turn.turnToken) {
      this.#resend(previous);
    } else {
      this.#cancel(previous);
      this.#open(turn, previous.rejection);
    }
  }

  /** Handles the bot's answer. Only the first answer to a turn is sent; all others are ignored. */
  setAnswer(open: OpenTurn, answer: BotItem): void {
    if (!open.answer) {
      answer.itemId = open.itemId;
      open.answer = answer;
      this.#resend(open);
    }
  }

  /** Handles the verdict on an answer. It arrives before the next turn of the seat. */
  onVerdict(verdict: Verdict): void {
    const open = [...this.#bySeat.values()].find((open) => matches(open, verdict));
    if (open) {
      this.#applyVerdict(open, verdict);
    }
  }

  /** Handles a turn that no longer needs an answer. Tokens of different matches may be equal. */
  onTurnExpired(matchId: string, token: string): void {
    this.#close(({ turn }) => turn.matchId === matchId && turn.turnToken === token);
  }

  /** Handles the end of a match, whether or not it was known. */
  onMatchEnded(matchId: string): void {
    this.#close(({ turn }) => turn.matchId === matchId);
    for (const key of this.#rules.keys()) {
      if (isOfMatch(key, matchId)) {
        this.#rules.delete(key);
      }
    }
  }

  #open(turn: Turn, rejection: ErrorDetail | undefined): void {
    const rules = this.#rules.get(seatKey(turn));
    const task = {
      turn: rules && !turn.rules ? { ...turn, rules } : turn,
      rejection,
      cancelled: new Int32Array(new SharedArrayBuffer(4)),
    };
    const open = { task, itemId: ++this.#lastItemId };
    this.#bySeat.set(seatKey(turn), open);
    this.#callbacks.choose(open);
  }

  /** Sends the answer, if there is one and its turn is still open. */
  #resend(open: OpenTurn): void {
    if (open.answer && !isCancelled(open.task)) {
      this.#callbacks.send(open.answer);
    }
  }

  #applyVerdict(open: OpenTurn, { outcome }: Verdict): void {
    if (outcome.case === "stale") {
      this.#close((task) => task === open.task);
    } else if (outcome.case === "rejected") {
      const { error: rejection } = outcome.value;
      const retryAfterMs = rejection?.metadata["retry_after_ms"];
      if (retryAfterMs === undefined) {
        open.rejection = rejection;
      } else {
        // Temporary (store unavailable, match in transfer): the turn stays open and is not sent again.
        this.#callbacks.schedule(parseMs(retryAfterMs), () => this.#resend(open));
      }
    }
  }

  /** Closes all turns that satisfy the condition. */
  #close(condition: (task: TurnTask) => boolean): void {
    for (const [key, open] of this.#bySeat) {
      if (condition(open.task)) {
        this.#cancel(open);
        this.#bySeat.delete(key);
      }
    }
  }

  #cancel({ task }: OpenTurn): void {
    Atomics.store(task.cancelled, 0, 1);
    this.#callbacks.cancel(task);
  }
}

/** Whether the answer is no longer needed. */
export function isCancelled(task: TurnTask): boolean {
  return Atomics.load(task.cancelled, 0) !== 0;
}

/** Whether it is the verdict on this turn's answer. Only verdicts on moves contain the token. */
function matches({ task: { turn }, itemId }: OpenTurn, verdict: Verdict): boolean {
  return verdict.turnToken
    ? verdict.turnToken === turn.turnToken && verdict.matchId === turn.matchId
    : verdict.itemId === itemId;
}

function parseMs(text: string): number {
  const ms = /^[0-9]+$/.test(text) ? Number(text) : Infinity;
  return ms <= MAX_RETRY_AFTER_MS ? ms : DEFAULT_RETRY_AFTER_MS;
}

/** A key for a seat in a match. */
function seatKey({ matchId, seat }: Pick<Turn, "matchId" | "seat">): string {
  return `${seat} ${matchId}`;
}

function isOfMatch(key: string, matchId: string): boolean {
  return key.slice(key.indexOf(" ") + 1) === matchId;
}
