/** Answers of a bot, as messages of the contract. */

import { create, type MessageInitShape } from "@bufbuild/protobuf";

import { type BotItem, BotItemSchema, type Ping, type Turn } from "./stubs/referee_api/v1/play_pb.js";

/** No game has longer moves, and the referee rejects longer texts. */
export const MAX_MOVE_CHARS = 1_000;

type Item = NonNullable<MessageInitShape<typeof BotItemSchema>["item"]>;

export function botItem(item: Item): BotItem {
  return create(BotItemSchema, { item });
}

/** Throws TypeError if the answer is not a string. */
export function moveItem(turn: Turn, answer: unknown): BotItem {
  const { matchId, turnToken } = turn;
  return botItem({ case: "move", value: { matchId, turnToken, move: sendableMove(turn, answer) } });
}

/**
 * Returns the move, or a similar one that the referee rejects if the move cannot be sent. Sending it unchanged would
 * break the stream, and with it all other matches; this way it costs one attempt.
 */
function sendableMove({ matchId, seat }: Turn, answer: unknown): string {
  if (typeof answer !== "string") {
    throw new TypeError(`match ${matchId}, seat ${seat}: the answer is no text, but ${typeof answer}`);
  }
  let move = answer;
  const subject = `referee-client: match ${matchId}, seat ${seat}: the answer`;
  if (!move.isWellFormed()) {
    console.error(`${subject} is not valid UTF-8; the referee will reject it`);
    move = move.toWellFormed();
  }
  const chars = [...move];
  if (chars.length > MAX_MOVE_CHARS) {
    console.error(
      `${subject} has ${chars.length} characters, the limit is ${MAX_MOVE_CHARS}; the referee will reject it`,
    );
    move = chars.slice(0, MAX_MOVE_CHARS + 1).join("");
  }
  return move;
}

export function resignationItem({ matchId, seat }: Turn): BotItem {
  return botItem({ case: "resignation", value: { matchId, seat } });
}

export function pongItem({ id }: Ping): BotItem {
  return botItem({ case: "pong", value: { id } });
}
