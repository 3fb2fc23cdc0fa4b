/** Calls of organisers: with retries, lists that are read page by page, and watches that survive interruptions. */

import { setTimeout as sleep } from "node:timers/promises";

import type {
  DescMessage,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import { type Client, status } from "@grpc/grpc-js";

import { Backoff } from "./backoff.js";
import { callUnary, connect, readStream } from "./connection.js";
import { CallError } from "./errors.js";
import { checkConnection, type ConnectionOptions, type Target, type WatchOptions } from "./options.js";

/** A retry sends the same request again, with the same request id. Five attempts are the maximum of gRPC. */
const RETRIES = {
  "grpc.service_config": JSON.stringify({
    methodConfig: [
      {
        name: [{}],
        retryPolicy: {
          maxAttempts: 5,
          initialBackoff: "0.5s",
          maxBackoff: "10s",
          backoffMultiplier: 2,
          retryableStatusCodes: [status[status.UNAVAILABLE]],
        },
      },
    ],
  }),
};

/** Statuses after which a watch continues with the next entry. A watcher that is too slow gets RESOURCE_EXHAUSTED. */
const INTERRUPTIONS: (string | undefined)[] = [
  status[status.UNAVAILABLE],
  status[status.UNKNOWN],
  status[status.INTERNAL],
  status[status.RESOURCE_EXHAUSTED],
];

/** The most that a page of a list has. */
export const PAGE_SIZE = 1_000;

export class Calls {
  readonly #target: Target;
  readonly #client: Client;

  /** Connects with the first call. Throws SettingError. */
  constructor(options: ConnectionOptions) {
    this.#target = checkConnection(options);
    this.#client = connect(this.#target, RETRIES);
  }

  close(): void {
    this.#client.close();
  }

  /** Returns the response to a call. Throws CallError, or the reason of the signal. */
  unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    signal?: AbortSignal,
  ): Promise<MessageShape<O>> {
    return callUnary(this.#client, this.#target, method, request, signal);
  }

  /** Yields the responses to a call. Throws CallError. */
  stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    request: MessageInitShape<I>,
    signal?: AbortSignal,
  ): AsyncGenerator<MessageShape<O>, void, void> {
    return readStream(this.#client, this.#target, method, request, signal);
  }
}

/** Yields the responses to a call for each page. `read` gets the token of the page. */
export async function* pages<P extends { readonly nextPageToken: string }>(
  read: (pageToken: string) => Promise<P>,
): AsyncGenerator<P, void, void> {
  let pageToken = "";
  do {
    const page = await read(pageToken);
    yield page;
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
}

/** Returns the text that comes in parts. */
export async function joinText(parts: AsyncIterable<{ readonly text: string }>): Promise<string> {
  let whole = "";
  for await (const { text } of parts) {
    whole += text;
  }
  return whole;
}

/** Yields the entries after a number, once and in order. `open` makes a call for those after a number. */
export async function* watchEntries<E extends { readonly number: number }>(
  open: (after: number) => AsyncIterable<E>,
  { after = 0, signal }: WatchOptions,
): AsyncGenerator<E, void, void> {
  let backoff = new Backoff();
  for (;;) {
    signal?.throwIfAborted(); // Also after a pause that was cut short.
    try {
      for await (const entry of open(after)) {
        after = entry.number;
        backoff = new Backoff();
        yield entry;
        signal?.throwIfAborted();
      }
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof CallError && INTERRUPTIONS.includes(error.status))) {
        throw error;
      }
    }
    await sleep(backoff.nextMs(performance.now(), Math.random()), undefined, signal && { signal }).catch(() => {});
  }
}
