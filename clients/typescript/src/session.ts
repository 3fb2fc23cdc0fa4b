/** One stream from Hello to its end, over its own connection. */

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, type ClientDuplexStream, credentials, Metadata, status, type StatusObject } from "@grpc/grpc-js";

import type { Settings } from "./settings.js";
import type { BotItem, RefereeItem } from "./stubs/referee_api/v1/play_pb.js";
import {
  type PlayRequest,
  PlayRequestSchema,
  type PlayResponse,
  PlayResponseSchema,
  PlayService,
} from "./stubs/referee_api/v1/play_service_pb.js";

const PLAY = `/${PlayService.typeName}/${PlayService.method.play.name}`;

/** The default `heartbeat_timeout_ms` of a referee. */
const WELCOME_WITHIN_MS = 15_000;

const OPTIONS = {
  // A position can have thousands of moves.
  "grpc.max_receive_message_length": 64 * 1024 * 1024,
  // Without it, a new connection would inherit the reconnect backoff of earlier failures.
  "grpc.use_local_subchannel_pool": 1,
};

/** How a stream ended. Reconnecting helps only after `broken`; otherwise something has to be changed first. */
export interface End {
  readonly kind: "broken" | "refused" | "taken over" | "hung up";
  readonly why: string;
}

export class Session {
  /** Resolves when the stream is over. */
  readonly ended: Promise<End>;
  readonly #client: Client;
  readonly #call: ClientDuplexStream<PlayRequest, PlayResponse>;
  readonly #toSay: BotItem[] = [];
  #end!: (end: End) => void;
  #writing = false;
  #silence: NodeJS.Timeout | undefined;

  /** `hear` receives all items of the referee, in order. */
  constructor(settings: Settings, hear: (said: RefereeItem) => void) {
    this.ended = new Promise((resolve) => (this.#end = resolve));
    const safety = settings.tls ? credentials.createSsl(settings.roots) : credentials.createInsecure();
    this.#client = new Client(settings.referee, safety, OPTIONS);
    const bearer = new Metadata();
    bearer.set("authorization", `Bearer ${settings.token}`);
    this.#call = this.#client.makeBidiStreamRequest(PLAY, written, read, bearer);
    this.#call.on("data", ({ items }: PlayResponse) => {
      this.#silence?.refresh();
      items.forEach(hear);
    });
    this.#call.on("status", (how: StatusObject) => this.hangUp(endOf(how)));
    this.#call.on("error", () => {}); // The status event reports the same; an unhandled error would end the program.
    this.maxSilenceMs = WELCOME_WITHIN_MS;
  }

  /**
   * Longest time without a message, after which the session ends: the connection may be dead without either end having
   * noticed.
   */
  set maxSilenceMs(ms: number) {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(
      () => this.hangUp({ kind: "broken", why: `nothing was received for ${ms / 1_000} s` }),
      ms,
    );
  }

  /** Queues an item. Items that are queued while a message is being sent go into one message. */
  say(item: BotItem): void {
    this.#toSay.push(item);
    if (!this.#writing) {
      this.#writing = true;
      queueMicrotask(() => this.#write());
    }
  }

  hangUp(end: End): void {
    clearTimeout(this.#silence);
    this.#end(end);
    this.#call.cancel();
    this.#client.close();
  }

  #write(): void {
    this.#writing = this.#toSay.length > 0;
    if (this.#writing) {
      const items = this.#toSay.splice(0);
      this.#call.write(create(PlayRequestSchema, { items }), () => this.#write());
    }
  }
}

/** Treats errors that may be temporary as a break. */
export function endOf({ code, details }: Pick<StatusObject, "code" | "details">): End {
  switch (code) {
    case status.OK:
      return { kind: "broken", why: "the stream has ended" };
    case status.ABORTED: // The contract uses this code for one reason only: SESSION_TAKEN_OVER.
      return TAKEN_OVER;
    case status.UNAUTHENTICATED:
    case status.PERMISSION_DENIED:
    case status.INVALID_ARGUMENT:
      return { kind: "refused", why: `${status[code]}: ${details}` };
    default:
      return { kind: "broken", why: `${status[code]}: ${details}` };
  }
}

export const TAKEN_OVER: End = { kind: "taken over", why: "another copy of this bot has taken its seats" };

function written(request: PlayRequest): Buffer {
  return Buffer.from(toBinary(PlayRequestSchema, request));
}

function read(bytes: Buffer): PlayResponse {
  return fromBinary(PlayResponseSchema, bytes);
}
