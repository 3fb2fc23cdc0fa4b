/** One stream from Hello to its end, over its own connection. */

import { create } from "@bufbuild/protobuf";
import { type Client, type ClientDuplexStream, status, type StatusObject } from "@grpc/grpc-js";

import { authorization, codecOf, connect, pathOf } from "./connection.js";
import { RejectedError, TakenOverError } from "./errors.js";
import type { Target } from "./options.js";
import { type CallStatus, errorFromStatus, withLikelyCause } from "./status-details.js";
import type { BotItem, RefereeItem } from "./stubs/referee_api/v1/play_pb.js";
import {
  type PlayRequest,
  PlayRequestSchema,
  type PlayResponse,
  PlayService,
} from "./stubs/referee_api/v1/play_service_pb.js";

const PLAY = PlayService.method.play;
const [REQUESTS, RESPONSES] = [codecOf(PLAY.input), codecOf(PLAY.output)];

/** The heartbeat timeout until a Welcome says which one the referee uses. */
export const WELCOME_TIMEOUT_MS = 5_000;

/** How a stream ended: reconnecting may help, it does not help, or the program has stopped it. */
export type SessionEnd =
  | { readonly kind: "disconnected"; readonly reason: string }
  | { readonly kind: "final"; readonly error: TakenOverError | RejectedError }
  | { readonly kind: "stopped" };

export class Session {
  /** Resolves when the stream is over. */
  readonly ended: Promise<SessionEnd>;
  readonly #client: Client;
  readonly #call: ClientDuplexStream<PlayRequest, PlayResponse>;
  readonly #outgoing: BotItem[] = [];
  #resolveEnded!: (end: SessionEnd) => void;
  #writing = false;
  #closed = false;
  #silenceTimer: NodeJS.Timeout | undefined;

  /** `onItem` receives all items of the referee, in order. */
  constructor(target: Target, onItem: (item: RefereeItem) => void) {
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    this.#client = connect(target);
    const metadata = authorization(target);
    this.#call = this.#client.makeBidiStreamRequest(pathOf(PLAY), REQUESTS.encode, RESPONSES.decode, metadata);
    this.#call.on("data", ({ items }: PlayResponse) => {
      this.#silenceTimer?.refresh();
      items.forEach(onItem);
    });
    this.#call.on("status", (finalStatus: StatusObject) => {
      this.close(sessionEnd(finalStatus));
    });
    this.#call.on("error", () => {}); // The status event reports the same; an unhandled error would end the program.
    this.heartbeatTimeoutMs = WELCOME_TIMEOUT_MS;
  }

  /**
   * Longest time without a message, after which the session ends: the connection may be dead without either end having
   * noticed.
   */
  set heartbeatTimeoutMs(ms: number) {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = setTimeout(() => {
      this.close({ kind: "disconnected", reason: `nothing was received for ${ms / 1_000} s` });
    }, ms);
  }

  /** Queues an item. Items that are queued while a message is being sent go into one message. */
  send(item: BotItem): void {
    this.#outgoing.push(item);
    if (!this.#writing) {
      this.#writing = true;
      // After all that follows from the message that is being handled.
      setImmediate(() => {
        this.#write();
      });
    }
  }

  /** Closes the stream and the connection. */
  close(end: SessionEnd): void {
    this.#closed = true;
    clearTimeout(this.#silenceTimer);
    this.#resolveEnded(end);
    this.#call.cancel();
    this.#client.close();
  }

  #write(): void {
    this.#writing = this.#outgoing.length > 0 && !this.#closed;
    if (this.#writing) {
      const items = this.#outgoing.splice(0);
      this.#call.write(create(PlayRequestSchema, { items }), () => {
        this.#write();
      });
    }
  }
}

/** Only the status code decides. All errors that may be temporary are `disconnected`. */
export function sessionEnd(final: CallStatus): SessionEnd {
  const code = status[final.code] ?? `${final.code}`;
  switch (code) {
    case "OK":
      return { kind: "disconnected", reason: "the stream has ended" };
    case "ABORTED": // The contract uses this code for one reason only: SESSION_TAKEN_OVER.
      return { kind: "final", error: new TakenOverError() };
    case "UNAUTHENTICATED":
    case "PERMISSION_DENIED":
    case "INVALID_ARGUMENT":
      return { kind: "final", error: new RejectedError(errorFromStatus(final), code) };
    default:
      return { kind: "disconnected", reason: `${code}: ${withLikelyCause(final.details)}` };
  }
}
