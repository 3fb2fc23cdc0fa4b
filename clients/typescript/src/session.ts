/** One stream from Hello to its end, over a connection of its own. */

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, type ClientDuplexStream, credentials, Metadata, status, type StatusObject } from "@grpc/grpc-js";

import type { Settings } from "./settings.js";
import type { FromBot, FromReferee } from "./stubs/referee_api/v1/play_pb.js";
import {
  type PlayRequest,
  PlayRequestSchema,
  type PlayResponse,
  PlayResponseSchema,
  PlayService,
} from "./stubs/referee_api/v1/play_service_pb.js";

const PLAY = `/${PlayService.typeName}/${PlayService.method.play.name}`;

/** As the `gone_after_ms` of a referee by default. */
const WELCOME_WITHIN_MS = 15_000;

const OPTIONS = {
  // A position can have thousands of moves.
  "grpc.max_receive_message_length": 64 * 1024 * 1024,
  // Else a new connection would inherit the wait that the failures of the one before have earned.
  "grpc.use_local_subchannel_pool": 1,
};

/** How a stream came to its end. After `broken` one comes back; after the others not, before something has changed. */
export interface End {
  readonly kind: "broken" | "refused" | "taken over" | "hung up";
  readonly why: string;
}

export class Session {
  /** Settles when the stream is over. */
  readonly ended: Promise<End>;
  readonly #client: Client;
  readonly #call: ClientDuplexStream<PlayRequest, PlayResponse>;
  readonly #toSay: FromBot[] = [];
  #end!: (end: End) => void;
  #writing = false;
  #silence: NodeJS.Timeout | undefined;

  /** `hear` is told all that the referee says, in order. */
  constructor(settings: Settings, hear: (said: FromReferee) => void) {
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
    this.#call.on("error", () => {}); // The status tells the same, and an error that nobody hears ends the program.
    this.maxSilenceMs = WELCOME_WITHIN_MS;
  }

  /**
   * After how long without a message the session is given up: the connection may be dead without either end having
   * been told.
   */
  set maxSilenceMs(ms: number) {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(
      () => this.hangUp({ kind: "broken", why: `nothing was received for ${ms / 1_000} s` }),
      ms,
    );
  }

  /** What comes up while the last message is on its way travels together. */
  say(item: FromBot): void {
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

/** What may pass by itself is a break. */
export function endOf({ code, details }: Pick<StatusObject, "code" | "details">): End {
  switch (code) {
    case status.OK:
      return { kind: "broken", why: "the stream has ended" };
    case status.ABORTED: // The contract ends a stream with it for this reason only: SESSION_TAKEN_OVER.
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
