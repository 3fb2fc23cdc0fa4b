/** Connections to the referee. */

import { Client, credentials, Metadata } from "@grpc/grpc-js";

import type { Target } from "./options.js";

const OPTIONS = {
  // A position can have thousands of moves.
  "grpc.max_receive_message_length": 64 * 1024 * 1024,
  // Without it, a new connection would inherit the reconnect backoff of earlier failures.
  "grpc.use_local_subchannel_pool": 1,
};

/** Returns a client that connects with its first call. */
export function connect({ address, tls, ca }: Target): Client {
  return new Client(address, tls ? credentials.createSsl(ca) : credentials.createInsecure(), OPTIONS);
}

/** Returns the metadata of a call. */
export function authorization({ token }: Target): Metadata {
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  return metadata;
}
