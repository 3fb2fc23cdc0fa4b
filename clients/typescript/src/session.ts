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

/** The heartbeat timeout until the Welcome says which one the referee uses. It equals the default of a referee. */
export const WELCOME_TIMEOUT_MS = 15_000;

const OPTIONS = {
  // A position can have thousands of moves.
  "grpc.max_receive_message_length": 64 * 1024 * 1024,
  // Without it, a new connection would inherit the reconnect backoff of earlier failures.
  "grpc.use_local_subchannel_pool": 1,
};

/** How a stream ended. Reconnecting helps only after `disconnected`; otherwise something has to be changed first. */
export interface SessionEnd {
  readonly kind: "disconnected" | "rejected" | "taken over" | "stopped";
  readonly reason: string;
}

export class Session {
  /** Resolves when the stream is over. */
  readonly ended: Promise<SessionEnd>;
  readonly #client: Client;
  readonly #call: ClientDuplexStream<PlayRequest, PlayResponse>;
  readonly #outgoing: BotItem[] = [];
  #resolveEnded!: (end: SessionEnd) => void;
  #writing = false;
  #silenceTimer: NodeJS.Timeout | undefined;

  /** `onItem` receives all items of the referee, in order. */
  constructor(settings: Settings, onItem: (item: RefereeItem) => void) {
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    const channelCredentials = settings.tls
      ? credentials.createSsl(settings.rootCertificates)
      : credentials.createInsecure();
    this.#client = new Client(settings.referee, channelCredentials, OPTIONS);
    const metadata = new Metadata();
    metadata.set("authorization", `Bearer ${settings.token}`);
    this.#call = this.#client.makeBidiStreamRequest(PLAY, serialize, deserialize, metadata);
    this.#call.on("data", ({ items }: PlayResponse) => {
      this.#silenceTimer?.refresh();
      items.forEach(onItem);
    });
    this.#call.on("status", (finalStatus: StatusObject) => this.close(sessionEnd(finalStatus)));
    this.#call.on("error", () => {}); // The status event reports the same; an unhandled error would end the program.
    this.heartbeatTimeoutMs = WELCOME_TIMEOUT_MS;
  }

  /**
   * Longest time without a message, after which the session ends: the connection may be dead without either end having
   * noticed.
   */
  set heartbeatTimeoutMs(ms: number) {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = setTimeout(
      () => this.close({ kind: "disconnected", reason: `nothing was received for ${ms / 1_000} s` }),
      ms,
    );
  }

  /** Queues an item. Items that are queued while a message is being sent go into one message. */
  send(item: BotItem): void {
    this.#outgoing.push(item);
    if (!this.#writing) {
      this.#writing = true;
      queueMicrotask(() => this.#write());
    }
  }

  /** Closes the stream and the connection. */
  close(end: SessionEnd): void {
    clearTimeout(this.#silenceTimer);
    this.#resolveEnded(end);
    this.#call.cancel();
    this.#client.close();
  }

  #write(): void {
    this.#writing = this.#outgoing.length > 0;
    if (this.#writing) {
      const items = this.#outgoing.splice(0);
      this.#call.write(create(PlayRequestSchema, { items }), () => this.#write());
    }
  }
}

/** Treats all errors that may be temporary as `disconnected`. */
export function sessionEnd({ code, details }: Pick<StatusObject, "code" | "details">): SessionEnd {
  switch (code) {
    case status.OK:
      return { kind: "disconnected", reason: "the stream has ended" };
    case status.ABORTED: // The contract uses this code for one reason only: SESSION_TAKEN_OVER.
      return TAKEN_OVER;
    case status.UNAUTHENTICATED:
    case status.PERMISSION_DENIED:
    case status.INVALID_ARGUMENT:
      return { kind: "rejected", reason: `${status[code]}: ${details}` };
    default:
      return { kind: "disconnected", reason: `${status[code]}: ${details}` };
  }
}

export const TAKEN_OVER: SessionEnd = {
  kind: "taken over",
  reason: "a newer session of this bot has taken over its seats",
};

function serialize(request: PlayRequest): Buffer {
  return Buffer.from(toBinary(PlayRequestSchema, request));
}

function deserialize(bytes: Buffer): PlayResponse {
  return fromBinary(PlayResponseSchema, bytes);
}
