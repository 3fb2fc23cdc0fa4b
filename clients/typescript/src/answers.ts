/** What a bot says, as the contract has it. */

import { create, type MessageInitShape } from "@bufbuild/protobuf";

import { type FromBot, FromBotSchema, type Ping, type Turn } from "./stubs/referee_api/v1/play_pb.js";

/** No game has longer moves, and the referee refuses them. */
export const MOVE_CHARS = 1_000;

type Item = NonNullable<MessageInitShape<typeof FromBotSchema>["item"]>;

export function item(item: Item): FromBot {
  return create(FromBotSchema, { item });
}

/** Throws TypeError for what is no text. */
export function moveItem(turn: Turn, answer: unknown): FromBot {
  const { matchId, token } = turn;
  return item({ case: "move", value: { matchId, token, move: sendable(turn, answer) } });
}

/**
 * The move; or, if it cannot be sent as it is, one like it that the referee refuses. It would break the stream, and
 * with it all other matches; so it costs one attempt.
 */
function sendable({ matchId, seat }: Turn, answer: unknown): string {
  if (typeof answer !== "string") {
    throw new TypeError(`match ${matchId}, seat ${seat}: the answer is no text, but ${typeof answer}`);
  }
  let move = answer;
  const where = `referee-client: match ${matchId}, seat ${seat}: the answer`;
  if (!move.isWellFormed()) {
    console.error(`${where} is not valid UTF-8; the referee will refuse it`);
    move = move.toWellFormed();
  }
  const chars = [...move];
  if (chars.length > MOVE_CHARS) {
    console.error(`${where} has ${chars.length} characters, the limit is ${MOVE_CHARS}; the referee will refuse it`);
    move = chars.slice(0, MOVE_CHARS + 1).join("");
  }
  return move;
}

export function resignationItem({ matchId, seat }: Turn): FromBot {
  return item({ case: "resignation", value: { matchId, seat } });
}

export function pongItem({ id }: Ping): FromBot {
  return item({ case: "pong", value: { id } });
}
