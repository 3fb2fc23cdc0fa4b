/** Errors of the contract, and of gRPC, as errors of this client. */

import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { type Metadata, status } from "@grpc/grpc-js";

import type { RefereeError } from "./errors.js";
import { type ErrorDetail, ErrorReason } from "./stubs/referee_api/v1/error_pb.js";

const ERROR_INFO = "/google.rpc.ErrorInfo";

/** What is needed of the final status of a call. */
export interface CallStatus {
  readonly code: number;
  readonly details: string;
  readonly metadata?: Metadata;
}

/** Converts an error in a stream. */
export function errorFromDetail(detail: ErrorDetail | undefined): RefereeError {
  const { reason = ErrorReason.UNSPECIFIED, message = "", metadata = {} } = detail ?? {};
  return { reason: ErrorReason[reason as number] ?? `${reason}`, message, metadata: { ...metadata } };
}

/** Returns the message of a failed connection with what is likely wrong, which gRPC does not say. */
export function withLikelyCause(message: string): string {
  if (message.includes("Failed to connect (")) {
    return (
      `${message}; the server may use TLS at this port: set BOT_CA to the file of its certificate authority, or, ` +
      "for another machine with a public one, do not set BOT_PLAINTEXT"
    );
  }
  const plain = message.includes("wrong version number");
  return plain
    ? `${message}; the server uses no TLS at this port: do not set BOT_CA, and for another machine set BOT_PLAINTEXT=1`
    : message;
}

/** Converts the final status of a call. Details that are missing or malformed leave the name of the status code. */
export function errorFromStatus({ code, details, metadata }: CallStatus): RefereeError {
  const info = errorInfo(metadata?.get("grpc-status-details-bin")[0]);
  const message = withLikelyCause(details);
  return { reason: info?.reason || (status[code] ?? `${code}`), message, metadata: info?.metadata ?? {} };
}

type ErrorInfo = Pick<RefereeError, "reason" | "metadata">;

/** Returns the ErrorInfo in the bytes of a google.rpc.Status, if there is one. */
function errorInfo(bytes: string | Buffer | undefined): ErrorInfo | undefined {
  if (!(bytes instanceof Uint8Array)) {
    return undefined;
  }
  try {
    for (const any of fields(bytes, 3)) {
      const typeUrl = text(fields(any, 1)[0]);
      if (typeUrl.endsWith(ERROR_INFO)) {
        const [value = new Uint8Array()] = fields(any, 2);
        const entries = fields(value, 3).map((entry): [string, string] => [
          text(fields(entry, 1)[0]),
          text(fields(entry, 2)[0]),
        ]);
        return { reason: text(fields(value, 1)[0]), metadata: Object.fromEntries(entries) };
      }
    }
  } catch {
    // Malformed.
  }
  return undefined;
}

/** Returns all values of a field with a length, in an encoded message. Throws if it is malformed. */
function fields(message: Uint8Array, number: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === number && wireType === WireType.LengthDelimited) {
      found.push(reader.bytes());
    } else {
      reader.skip(wireType, field);
    }
  }
  return found;
}

function text(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}
