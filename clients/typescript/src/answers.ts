/** What a bot says, as the contract has it. */

import { create, type MessageInitShape } from "@bufbuild/protobuf";

import { type FromBot, FromBotSchema, type Ping, type Turn } from "./stubs/referee_api/v1/play_pb.js";

type Item = NonNullable<MessageInitShape<typeof FromBotSchema>["item"]>;

export function item(item: Item): FromBot {
  return create(FromBotSchema, { item });
}

export function moveItem({ matchId, token }: Turn, move: string): FromBot {
  return item({ case: "move", value: { matchId, token, move } });
}

export function resignationItem({ matchId, seat }: Turn): FromBot {
  return item({ case: "resignation", value: { matchId, seat } });
}

export function pongItem({ id }: Ping): FromBot {
  return item({ case: "pong", value: { id } });
}
