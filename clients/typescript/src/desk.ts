/**
 * The open turns, and their answers.
 *
 * It is independent of time and network: it receives the messages of the referee and the answers of the bot, and calls
 * back when a turn needs an answer or an answer is to be sent. It outlives the stream, so that an answer found while
 * there was no stream is sent when its turn is repeated.
 */

import type { BotItem, Turn, Verdict } from "./stubs/referee_api/v1/play_pb.js";
import type { ErrorDetail } from "./stubs/referee_api/v1/error_pb.js";

/** A turn that needs an answer, in a form that can be sent to a thread. */
export interface Question {
  readonly turn: Turn;
  readonly refused: ErrorDetail | undefined;
  /** Contains 0 while an answer is needed. It is shared between threads. */
  readonly dropped: Int32Array;
}

/** An open turn of a seat. */
export interface Owed {
  readonly question: Question;
  /** The item id of the answer. */
  readonly itemId: bigint;
  /** Undefined while the bot is thinking. */
  answer?: BotItem;
  /** The error of a rejected answer. */
  refused?: ErrorDetail | undefined;
}

/** Callbacks of the desk. */
export interface Deeds {
  think(owed: Owed): void;
  say(answer: BotItem): void;
  /** Calls a function after a delay. */
  later(afterMs: number, deed: () => void): void;
  /** Its answer is no longer needed. */
  drop(question: Question): void;
}

export class Desk {
  readonly #deeds: Deeds;
  /** By seat and match: a seat has at most one open turn. */
  readonly #owed = new Map<string, Owed>();
  #asks = 0n;

  constructor(deeds: Deeds) {
    this.#deeds = deeds;
  }

  /** Handles a turn. A turn with a new token replaces the previous turn of the seat. */
  asked(turn: Turn): void {
    const before = this.#owed.get(placeOf(turn));
    if (!before) {
      this.#begin(turn, undefined);
    } else if (before.question.turn.turnToken === turn.turnToken) {
      this.#sayAgain(before);
    } else {
      this.#drop(before);
      this.#begin(turn, before.refused);
    }
  }

  /** Handles the bot's answer. Only the first answer to a turn is sent; all others are dropped. */
  found(owed: Owed, answer: BotItem): void {
    if (!owed.answer) {
      answer.itemId = owed.itemId;
      owed.answer = answer;
      this.#sayAgain(owed);
    }
  }

  /** Handles the verdict on an answer. It arrives before the next turn of the seat. */
  judged(verdict: Verdict): void {
    const owed = [...this.#owed.values()].find((owed) => isMeant(owed, verdict));
    if (owed) {
      this.#heed(owed, verdict);
    }
  }

  /** Handles a turn that no longer needs an answer. Tokens of different matches may be equal. */
  lapsed(matchId: string, token: string): void {
    this.#forget(({ turn }) => turn.matchId === matchId && turn.turnToken === token);
  }

  /** Handles the end of a match, whether or not it was known. */
  ended(matchId: string): void {
    this.#forget(({ turn }) => turn.matchId === matchId);
  }

  #begin(turn: Turn, refused: ErrorDetail | undefined): void {
    const question = { turn, refused, dropped: new Int32Array(new SharedArrayBuffer(4)) };
    const owed = { question, itemId: ++this.#asks };
    this.#owed.set(placeOf(turn), owed);
    this.#deeds.think(owed);
  }

  /** Sends the answer, if there is one and its turn is still open. */
  #sayAgain(owed: Owed): void {
    if (owed.answer && isWanted(owed.question)) {
      this.#deeds.say(owed.answer);
    }
  }

  #heed(owed: Owed, { outcome }: Verdict): void {
    if (outcome.case === "stale") {
      this.#forget((question) => question === owed.question);
    } else if (outcome.case === "rejected") {
      const { error: refusal } = outcome.value;
      const retryAfterMs = refusal?.metadata["retry_after_ms"];
      if (retryAfterMs === undefined) {
        owed.refused = refusal;
      } else {
        // Temporary (store unavailable, match in transfer): the turn stays open and is not sent again.
        this.#deeds.later(Number(retryAfterMs), () => this.#sayAgain(owed));
      }
    }
  }

  #forget(meant: (question: Question) => boolean): void {
    for (const [place, owed] of this.#owed) {
      if (meant(owed.question)) {
        this.#drop(owed);
        this.#owed.delete(place);
      }
    }
  }

  #drop({ question }: Owed): void {
    Atomics.store(question.dropped, 0, 1);
    this.#deeds.drop(question);
  }
}

export function isWanted(question: Question): boolean {
  return Atomics.load(question.dropped, 0) === 0;
}

/** Whether it is the verdict on this turn's answer. Only verdicts on moves contain the token. */
function isMeant({ question: { turn }, itemId }: Owed, verdict: Verdict): boolean {
  return verdict.turnToken
    ? verdict.turnToken === turn.turnToken && verdict.matchId === turn.matchId
    : verdict.itemId === itemId;
}

function placeOf({ matchId, seat }: Turn): string {
  return `${seat} ${matchId}`;
}
