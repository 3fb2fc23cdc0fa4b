/** The bot's nonces, and the check at the end of each match that the referee used them. */

import { createHash, randomBytes } from "node:crypto";

import { botItem } from "./answers.js";
import type { BotOptions } from "./options.js";
import type { BotItem, NonceRequest } from "./stubs/referee_api/v1/play_pb.js";
import type { SeedCommitment } from "./stubs/referee_api/v1/seed_pb.js";

export const NONCE_BYTES = 32;
const MAX_NONCE_BYTES = 64;

type ChooseNonce = NonNullable<BotOptions["nonce"]>;

/** What is known about the seed of one match before its end. */
interface Contribution {
  readonly commitment: Uint8Array;
  /** The nonces of this bot, by the seat of the request. */
  readonly nonces: Map<number, Uint8Array>;
}

/**
 * Before a match the referee commits to its seed, and at the end it publishes the seed and the nonces from which all
 * draws follow. If they do not fit, somebody has chosen the draws, which nobody but the bot can notice.
 */
export class Nonces {
  readonly #choose: ChooseNonce;
  readonly #report: (problem: string) => void;
  readonly #matches = new Map<string, Contribution>();

  constructor(choose: ChooseNonce | undefined, report: (problem: string) => void) {
    this.#choose = choose ?? randomNonce;
    this.#report = report;
  }

  /** Returns the nonce. A repeated request gets the same one, since the referee may have it already. */
  onRequest(request: NonceRequest): BotItem {
    const { matchId, seat } = request;
    const { nonces } = this.#keepCommitment(matchId, request.commitment);
    const nonce = nonces.get(seat) ?? this.#chosen(matchId, seat);
    nonces.set(seat, nonce);
    return botItem({ case: "nonce", value: { matchId, seat, nonce } });
  }

  onMatchStarted(matchId: string, announced: SeedCommitment | undefined): void {
    if (announced) {
      this.#keepCommitment(matchId, announced.commitment);
    }
  }

  /** Checks the seed once for each match: a bot in several seats is told of the end for each of them. */
  onMatchEnded(matchId: string, published: SeedCommitment | undefined): void {
    const known = this.#matches.get(matchId);
    this.#matches.delete(matchId);
    if (known && published?.commitment.length) {
      problems(known, published).forEach((problem) => {
        this.#report(`match ${matchId}: ${problem}`);
      });
    }
  }

  /** Returns what is known about the match. The first commitment counts. */
  #keepCommitment(matchId: string, commitment: Uint8Array): Contribution {
    const known = this.#matches.get(matchId) ?? { commitment, nonces: new Map() };
    this.#matches.set(matchId, known);
    if (!areEqual(known.commitment, commitment)) {
      this.#report(`match ${matchId}: the referee has replaced its commitment to the seed`);
    }
    return known;
  }

  #chosen(matchId: string, seat: number): Uint8Array {
    try {
      const nonce: unknown = this.#choose(matchId, seat);
      if (nonce instanceof Uint8Array && nonce.length <= MAX_NONCE_BYTES) {
        return nonce;
      }
      this.#report(`a nonce must be at most ${MAX_NONCE_BYTES} bytes; a random one is sent`);
    } catch (error) {
      this.#report(`the bot failed to choose a nonce, and a random one is sent: ${String(error)}`);
    }
    return randomNonce();
  }
}

function randomNonce(): Uint8Array {
  return randomBytes(NONCE_BYTES);
}

/** Returns what does not fit. The seed is checked if it is published, which duplicate play delays. */
function problems({ commitment, nonces }: Contribution, published: SeedCommitment): string[] {
  const found: string[] = [];
  if (!areEqual(published.commitment, commitment)) {
    found.push("the referee has replaced its commitment to the seed");
  }
  if (published.seed.length > 0 && !areEqual(createHash("sha256").update(published.seed).digest(), commitment)) {
    found.push("the seed of the referee does not match its commitment");
  }
  const used = new Map(published.nonces.map(({ seat, nonce }) => [seat, nonce]));
  for (const [seat, nonce] of nonces) {
    const usedNonce = used.get(seat) ?? new Uint8Array();
    if (areEqual(usedNonce, nonce)) {
      continue;
    }
    found.push(
      usedNonce.length === 0
        ? `the seed was made without the nonce of seat ${seat}: it was late, or the referee ignored it`
        : `the seed was made with another nonce of seat ${seat} than the one that was sent`,
    );
  }
  return found;
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
