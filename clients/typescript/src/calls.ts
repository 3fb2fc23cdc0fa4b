/** Calls of organisers: with retries, lists that are read page by page, and watches that survive interruptions. */

import type {
  DescMessage,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import { type Client, status } from "@grpc/grpc-js";

import { callUnary, connect, PINGS, readStream } from "./connection.js";
import { CallError } from "./errors.js";
import { checkConnection, type ConnectionOptions, type Target, type WatchOptions } from "./options.js";
import { Pauses, repeat, wait } from "./retries.js";

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
    this.#client = connect(this.#target, PINGS);
  }

  close(): void {
    this.#client.close();
  }

  /** Returns the response to a call, which is repeated if it fails for a moment. Throws as `repeat` does. */
  unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    signal?: AbortSignal,
  ): Promise<MessageShape<O>> {
    return repeat(() => callUnary(this.#client, this.#target, method, request, signal), signal);
  }

  /** Returns all responses to a call, which is made again from its beginning if it fails for a moment. */
  all<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    request: MessageInitShape<I>,
  ): Promise<MessageShape<O>[]> {
    return repeat(async () => {
      const responses: MessageShape<O>[] = [];
      for await (const response of this.stream(method, request)) {
        responses.push(response);
      }
      return responses;
    });
  }

  /** Yields the responses to a call, which is not repeated. Throws CallError. */
  stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    request: MessageInitShape<I>,
    signal?: AbortSignal,
  ): AsyncGenerator<MessageShape<O>, void, void> {
    return readStream(this.#client, this.#target, method, request, signal);
  }
}

/** Yields the elements of all pages. `read` gets the token of the page. */
export async function* pages<P extends { readonly nextPageToken: string }, T>(
  read: (pageToken: string) => Promise<P>,
  elements: (page: P) => readonly T[],
): AsyncGenerator<T, void, void> {
  let pageToken = "";
  do {
    const page = await read(pageToken);
    yield* elements(page);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
}

/** Returns the text that comes in parts. */
export async function joinText(parts: Promise<readonly { readonly text: string }[]>): Promise<string> {
  return (await parts).map(({ text }) => text).join("");
}

/** A message of a watch, whose entries are messages too. */
interface Watched<M> {
  readonly items: readonly {
    readonly item: { readonly case: "entry"; readonly value: M } | { readonly case: "snapshot" | undefined };
  }[];
}

/** Yields the entries after a number, once and in order. `open` makes a call for those after a number. */
export async function* watchEntries<M, E extends { readonly number: number }>(
  open: (afterNumber: bigint) => AsyncIterable<Watched<M>>,
  entryFromMessage: (message: M) => E,
  { after = 0, signal }: WatchOptions,
): AsyncGenerator<E, void, void> {
  const pauses = new Pauses();
  for (;;) {
    signal?.throwIfAborted(); // Also after a pause that was cut short.
    try {
      for await (const { items } of open(BigInt(after))) {
        for (const { item } of items) {
          if (item.case === "entry") {
            const entry = entryFromMessage(item.value);
            after = entry.number;
            pauses.reset();
            yield entry;
            signal?.throwIfAborted();
          }
        }
      }
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof CallError && INTERRUPTIONS.includes(error.status))) {
        throw error;
      }
      await wait(pauses.nextMs(error), signal);
    }
  }
}
