/** A server whose methods are functions of a test. */

import type { DescMethodServerStreaming, DescMethodUnary } from "@bufbuild/protobuf";
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type UntypedHandleCall,
} from "@grpc/grpc-js";

import { codecOf, pathOf } from "./connection.js";

/** A method with its implementation. The requests and responses are messages. */
export type Served =
  | readonly [DescMethodUnary, handleUnaryCall<any, any>]
  | readonly [DescMethodServerStreaming, handleServerStreamingCall<any, any>];

/** Starts a server on this machine, and returns it with its address. */
export async function serve(...methods: Served[]): Promise<{ server: Server; address: string }> {
  const server = new Server();
  for (const [method, handle] of methods) {
    const definition = {
      path: pathOf(method),
      requestStream: false,
      responseStream: method.methodKind === "server_streaming",
      requestSerialize: codecOf(method.input).encode,
      requestDeserialize: codecOf(method.input).decode,
      responseSerialize: codecOf(method.output).encode,
      responseDeserialize: codecOf(method.output).decode,
    };
    server.addService({ [method.name]: definition }, { [method.name]: handle as UntypedHandleCall });
  }
  const port = await new Promise<number>((resolve, reject) => {
    const credentials = ServerCredentials.createInsecure();
    server.bindAsync("127.0.0.1:0", credentials, (error, port) => {
      if (error) {
        reject(error);
      } else {
        resolve(port);
      }
    });
  });
  return { server, address: `127.0.0.1:${port}` };
}
