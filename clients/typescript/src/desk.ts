/**
 * The turns that are owed, and the answers that were found.
 *
 * It knows neither time nor network: it is told what the referee and the bot say, and tells what is to be thought
 * about and what is to be said. It outlives the stream, so that an answer found while nobody was there to hear it is
 * said when its turn is asked again.
 */

import type { FromBot, Turn, Verdict } from "./stubs/referee_api/v1/play_pb.js";
import type { Refusal } from "./stubs/referee_api/v1/refusal_pb.js";

/** What is to be thought about, as a thread can be told it. */
export interface Question {
  readonly turn: Turn;
  readonly refused: Refusal | undefined;
  /** Its one number is 0 while an answer is wanted. Threads share it. */
  readonly dropped: Int32Array;
}

/** A turn that a seat owes. */
export interface Owed {
  readonly question: Question;
  /** Its answer's. */
  readonly itemId: bigint;
  /** Not there while it is thought about. */
  answer?: FromBot;
  /** What was wrong with it. */
  refused?: Refusal | undefined;
}

/** Whom the desk tells. */
export interface Deeds {
  think(owed: Owed): void;
  say(answer: FromBot): void;
  /** To do something after a while. */
  later(afterMs: number, deed: () => void): void;
  /** Nobody waits for its answer any more. */
  drop(question: Question): void;
}

export class Desk {
  readonly #deeds: Deeds;
  /** By seat and match: a seat owes one turn at most. */
  readonly #owed = new Map<string, Owed>();
  #asks = 0n;

  constructor(deeds: Deeds) {
    this.#deeds = deeds;
  }

  /** A turn is asked. One with a new token takes the place of the seat's turn before it. */
  asked(turn: Turn): void {
    const before = this.#owed.get(placeOf(turn));
    if (!before) {
      this.#begin(turn, undefined);
    } else if (before.question.turn.token === turn.token) {
      this.#sayAgain(before);
    } else {
      this.#drop(before);
      this.#begin(turn, before.refused);
    }
  }

  /** The bot has found its answer. The first to a turn is said; nobody hears of another. */
  found(owed: Owed, answer: FromBot): void {
    if (!owed.answer) {
      answer.itemId = owed.itemId;
      owed.answer = answer;
      this.#sayAgain(owed);
    }
  }

  /** The referee has judged an answer. It says so before it asks the seat's next turn. */
  judged(verdict: Verdict): void {
    const owed = [...this.#owed.values()].find((owed) => isMeant(owed, verdict));
    if (owed) {
      this.#heed(owed, verdict);
    }
  }

  /** A turn needs no answer any more. Tokens of different matches may be the same. */
  lapsed(matchId: string, token: string): void {
    this.#forget(({ turn }) => turn.matchId === matchId && turn.token === token);
  }

  /** A match is over, whether it was known or not. */
  ended(matchId: string): void {
    this.#forget(({ turn }) => turn.matchId === matchId);
  }

  #begin(turn: Turn, refused: Refusal | undefined): void {
    const question = { turn, refused, dropped: new Int32Array(new SharedArrayBuffer(4)) };
    const owed = { question, itemId: ++this.#asks };
    this.#owed.set(placeOf(turn), owed);
    this.#deeds.think(owed);
  }

  /** Says the answer, if there is one that is still owed. */
  #sayAgain(owed: Owed): void {
    if (owed.answer && isWanted(owed.question)) {
      this.#deeds.say(owed.answer);
    }
  }

  #heed(owed: Owed, { outcome }: Verdict): void {
    if (outcome.case === "stale") {
      this.#forget((question) => question === owed.question);
    } else if (outcome.case === "refused") {
      const { refusal } = outcome.value;
      const retryAfterMs = refusal?.metadata["retry_after_ms"];
      if (retryAfterMs === undefined) {
        owed.refused = refusal;
      } else {
        // A store that is away, or a match on its way elsewhere: the turn stands, and is not asked again.
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

/** Is it the verdict on this turn's answer? Only that on a move names the token. */
function isMeant({ question: { turn }, itemId }: Owed, verdict: Verdict): boolean {
  return verdict.token ? verdict.token === turn.token && verdict.matchId === turn.matchId : verdict.itemId === itemId;
}

function placeOf({ matchId, seat }: Turn): string {
  return `${seat} ${matchId}`;
}
