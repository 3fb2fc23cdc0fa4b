/** Answers of a bot, as messages of the contract. */

import { create, type MessageInitShape } from "@bufbuild/protobuf";

import type { Logger } from "./options.js";
import { type BotItem, BotItemSchema, type Ping } from "./stubs/referee_api/v1/play_pb.js";
import type { Turn } from "./turn.js";

/** No game has longer moves, and the referee rejects longer texts. */
const MAX_MOVE_CHARS = 1_000;

/** The highest score that is sent, and the negative of the lowest. */
const MAX_SCORE = 1_000_000;

type Item = NonNullable<MessageInitShape<typeof BotItemSchema>["item"]>;

export function botItem(item: Item): BotItem {
  return create(BotItemSchema, { item });
}

/** Throws TypeError if the answer is none. */
export function answerItem(turn: Turn, answer: unknown, logger: Logger): BotItem {
  const { matchId, seat, token: turnToken } = turn;
  if (typeof answer === "string") {
    return botItem({ case: "move", value: { matchId, turnToken, move: sendableMove(turn, answer, logger) } });
  }
  if (typeof answer === "object" && answer !== null) {
    if ("move" in answer && typeof answer.move === "string") {
      const move = sendableMove(turn, answer.move, logger);
      const offerDraw = "offerDraw" in answer && answer.offerDraw === true;
      const score = "score" in answer && answer.score !== undefined ? { score: sendableScore(answer.score) } : {};
      return botItem({ case: "move", value: { matchId, turnToken, move, offerDraw, ...score } });
    }
    if ("resign" in answer) {
      return resignationItem(turn);
    }
    if ("acceptDraw" in answer) {
      return botItem({ case: "drawAnswer", value: { matchId, seat, accept: true } });
    }
    if ("claimDraw" in answer) {
      return botItem({ case: "drawClaim", value: { matchId, seat } });
    }
  }
  throw new TypeError(`match ${matchId}, seat ${seat}: the answer is neither text nor an answer, but ${typeof answer}`);
}

/**
 * Returns the move, or a similar one that the referee rejects if the move cannot be sent. Sending it unchanged would
 * break the stream, and with it all other matches; this way it costs one attempt.
 */
function sendableMove({ matchId, seat }: Turn, answer: string, logger: Logger): string {
  let move = answer;
  const subject = `match ${matchId}, seat ${seat}: the answer`;
  if (!move.isWellFormed()) {
    logger.error(`${subject} is not valid UTF-8; the referee will reject it`);
    move = move.toWellFormed();
  }
  const chars = Array.from(move); // Code points.
  if (chars.length > MAX_MOVE_CHARS) {
    logger.error(
      `${subject} has ${chars.length} characters, the limit is ${MAX_MOVE_CHARS}; the referee will reject it`,
    );
    move = chars.slice(0, MAX_MOVE_CHARS + 1).join("");
  }
  return move;
}

/** Returns the score within the limits of what is sent. Throws TypeError if it is no integer. */
function sendableScore(score: unknown): number {
  if (!Number.isInteger(score)) {
    throw new TypeError(`the score must be an integer, not ${String(score)}`);
  }
  return Math.max(-MAX_SCORE, Math.min(score as number, MAX_SCORE));
}

export function resignationItem({ matchId, seat }: Turn): BotItem {
  return botItem({ case: "resignation", value: { matchId, seat } });
}

export function pongItem({ id }: Ping): BotItem {
  return botItem({ case: "pong", value: { id } });
}
