/**
 * The open turns, and their answers.
 *
 * It is independent of time and network: it receives the messages of the referee and the answers of the bot, and calls
 * back when a turn needs an answer or an answer is to be sent. It outlives the stream, so that an answer computed while
 * there was no stream is sent when its turn is repeated.
 */

import type { RefereeError } from "./errors.js";
import { retryAfterMs } from "./retries.js";
import { seatKey } from "./seats.js";
import { errorFromDetail } from "./status-details.js";
import type { BotItem, Verdict } from "./stubs/referee_api/v1/play_pb.js";
import type { Turn } from "./turn.js";

/** An open turn of a seat, for which the bot is called once. */
export interface OpenTurn {
  readonly turn: Turn;
  /** Aborted when the turn is over, or when the bot is called for it again. */
  readonly controller: AbortController;
  /** The item id of the answer. */
  readonly itemId: bigint;
  /** Undefined until the bot has answered. */
  answer?: BotItem;
  /** Whether it has arrived in this session. Until then, its answer waits: it would be sent twice. */
  arrived: boolean;
  /** The error of a rejected answer. */
  rejection?: RefereeError;
}

export interface Callbacks {
  /** Starts to compute the answer to a turn. */
  choose(open: OpenTurn): void;
  send(answer: BotItem): void;
  /** Calls a function after a delay. */
  schedule(delayMs: number, callback: () => void): void;
}

export class OpenTurns {
  readonly #callbacks: Callbacks;
  /** A seat has at most one open turn. */
  readonly #bySeat = new Map<string, OpenTurn>();
  #lastItemId = 0n;

  constructor(callbacks: Callbacks) {
    this.#callbacks = callbacks;
  }

  get hasAny(): boolean {
    return this.#bySeat.size > 0;
  }

  /** Handles the start of a session. No turn has arrived there. */
  onSessionStarted(): void {
    for (const open of this.#bySeat.values()) {
      open.arrived = false;
    }
  }

  /** Handles a turn. A turn with a new token replaces the previous turn of the seat. */
  onTurn(turn: Turn): void {
    const previous = this.#bySeat.get(seatKey(turn));
    if (!previous) {
      this.#open(turn, undefined);
    } else if (previous.turn.token === turn.token) {
      previous.arrived = true;
      this.#resend(previous);
    } else {
      previous.controller.abort();
      this.#open(turn, previous.rejection);
    }
  }

  /** Handles the bot's answer. Only the first answer to a call is sent; all others are ignored. */
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
    this.#close(({ turn }) => turn.matchId === matchId && turn.token === token);
  }

  /** Handles the end of a match, whether or not it was known. */
  onMatchEnded(matchId: string): void {
    this.#close(({ turn }) => turn.matchId === matchId);
  }

  /** Cancels all turns: the bot stops to play. */
  closeAll(): void {
    this.#close(() => true);
  }

  #open(turn: Turn, rejection: RefereeError | undefined): void {
    const controller = new AbortController();
    const isCancelled = (): boolean => controller.signal.aborted;
    const open = { turn: { ...turn, rejection, isCancelled }, controller, itemId: ++this.#lastItemId, arrived: true };
    this.#bySeat.set(seatKey(turn), open);
    this.#callbacks.choose(open);
  }

  /** Sends the answer, if there is one and its turn is still open and has arrived in this session. */
  #resend(open: OpenTurn): void {
    if (open.answer && open.arrived && !open.controller.signal.aborted) {
      this.#callbacks.send(open.answer);
    }
  }

  #applyVerdict(open: OpenTurn, { outcome }: Verdict): void {
    if (outcome.case === "stale") {
      this.#close((other) => other === open);
    } else if (outcome.case === "rejected") {
      this.#onRejection(open, errorFromDetail(outcome.value.error));
    }
  }

  #onRejection(open: OpenTurn, rejection: RefereeError): void {
    const delayMs = retryAfterMs(rejection);
    const { item } = open.answer ?? {};
    if (delayMs !== undefined) {
      // Temporary (store unavailable, match in transfer): the turn stays open and is not sent again.
      this.#callbacks.schedule(delayMs, () => {
        this.#resend(open);
      });
    } else if (item?.case === "drawAnswer" || item?.case === "drawClaim") {
      // It does not answer the turn, which is still open.
      open.controller.abort();
      this.#open(open.turn, rejection);
    } else {
      open.rejection = rejection;
    }
  }

  /** Closes all turns that satisfy the condition. */
  #close(condition: (open: OpenTurn) => boolean): void {
    for (const [key, open] of this.#bySeat) {
      if (condition(open)) {
        open.controller.abort();
        this.#bySeat.delete(key);
      }
    }
  }
}

/** Whether it is the verdict on this turn's answer. Only verdicts on moves contain the token. */
function matches({ turn, itemId, answer }: OpenTurn, verdict: Verdict): boolean {
  return verdict.turnToken
    ? verdict.turnToken === turn.token && verdict.matchId === turn.matchId
    : answer !== undefined && verdict.itemId === itemId;
}
