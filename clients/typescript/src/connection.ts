/** Connections to the referee, and calls other than Play. */

import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";

import { CallError } from "./errors.js";
import type { Target } from "./options.js";
import { errorFromStatus } from "./status-details.js";

const OPTIONS = {
  // A position can have thousands of moves.
  "grpc.max_receive_message_length": 64 * 1024 * 1024,
  // Without it, a new connection would inherit the reconnect backoff of earlier failures.
  "grpc.use_local_subchannel_pool": 1,
};

/** Options that find a dead connection while a call is open, for streams that may be silent for hours. */
export const PINGS = { "grpc.keepalive_time_ms": 20_000, "grpc.keepalive_timeout_ms": 10_000 };

/** Longest time that a call with one response may take. */
const CALL_TIMEOUT_MS = 60_000;

/** Returns a client that connects with its first call. */
export function connect({ address, tls, ca }: Target, options = {}): Client {
  const channelCredentials = tls ? credentials.createSsl(ca) : credentials.createInsecure();
  return new Client(address, channelCredentials, { ...OPTIONS, ...options });
}

/** Returns the metadata of a call. */
export function authorization({ token }: Target): Metadata {
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  return metadata;
}

/** Returns the path of a method. */
export function pathOf({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

/** Returns functions that encode messages of a type, and decode them. */
export function codecOf<T extends DescMessage>(
  type: T,
): { encode: (message: MessageShape<T>) => Buffer; decode: (bytes: Buffer) => MessageShape<T> } {
  return {
    encode: (message) => Buffer.from(toBinary(type, message)),
    decode: (bytes) => fromBinary(type, bytes),
  };
}

/** Returns the response to a call. Throws CallError, or the reason of the signal. */
export function callUnary<I extends DescMessage, O extends DescMessage>(
  client: Client,
  target: Target,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  signal?: AbortSignal,
): Promise<MessageShape<O>> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const call = client.makeUnaryRequest(
      pathOf(method),
      codecOf(method.input).encode,
      codecOf(method.output).decode,
      create(method.input, request),
      authorization(target),
      { deadline: Date.now() + CALL_TIMEOUT_MS },
      (error, response) => {
        signal?.removeEventListener("abort", cancel);
        if (error) {
          reject(signal?.aborted ? (signal.reason as Error) : callError(error));
        } else if (response) {
          resolve(response);
        }
      },
    );
    const cancel = (): void => {
      call.cancel();
    };
    signal?.addEventListener("abort", cancel, { once: true });
  });
}

/** Yields the responses to a call. Throws CallError. Leaving the loop cancels the call. */
export async function* readStream<I extends DescMessage, O extends DescMessage>(
  client: Client,
  target: Target,
  method: DescMethodServerStreaming<I, O>,
  request: MessageInitShape<I>,
  signal?: AbortSignal,
): AsyncGenerator<MessageShape<O>, void, void> {
  const call = client.makeServerStreamRequest(
    pathOf(method),
    codecOf(method.input).encode,
    codecOf(method.output).decode,
    create(method.input, request),
    authorization(target),
  );
  const cancel = (): void => {
    call.cancel();
  };
  signal?.addEventListener("abort", cancel, { once: true });
  call.on("error", () => {}); // The loop throws it; after the loop, it says only that the call was cancelled.
  try {
    for await (const response of call) {
      yield response as MessageShape<O>;
    }
  } catch (error) {
    throw callError(error as ServiceError);
  } finally {
    signal?.removeEventListener("abort", cancel);
    call.cancel();
  }
}

function callError(error: ServiceError): CallError {
  return new CallError(errorFromStatus(error), status[error.code as number] ?? `${error.code}`);
}
