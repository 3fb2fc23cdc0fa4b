import assert from "node:assert/strict";
import { test } from "node:test";

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Server, ServerCredentials, type ServerDuplexStream, status } from "@grpc/grpc-js";

import { codecOf, pathOf } from "./connection.js";
import { play } from "./play.js";
import type { RefereeItemSchema } from "./stubs/referee_api/v1/play_pb.js";
import {
  type PlayRequest,
  type PlayResponse,
  PlayResponseSchema,
  PlayService,
} from "./stubs/referee_api/v1/play_service_pb.js";

type Item = MessageInitShape<typeof RefereeItemSchema>;

const PLAY = PlayService.method.play;
const METHOD = {
  path: pathOf(PLAY),
  requestStream: true,
  responseStream: true,
  requestSerialize: codecOf(PLAY.input).encode,
  requestDeserialize: codecOf(PLAY.input).decode,
  responseSerialize: codecOf(PLAY.output).encode,
  responseDeserialize: codecOf(PLAY.output).decode,
} as const;

/** A stream of a bot, as the referee sees it. */
class Stream {
  readonly #call: ServerDuplexStream<PlayRequest, PlayResponse>;
  readonly #messages: AsyncIterator<PlayRequest>;

  constructor(call: ServerDuplexStream<PlayRequest, PlayResponse>) {
    this.#call = call;
    this.#messages = call[Symbol.asyncIterator]();
  }

  send(...items: Item[]): void {
    this.#call.write(create(PlayResponseSchema, { items }));
  }

  /** Returns the kinds of the items in the next message. */
  async receive(): Promise<(string | undefined)[]> {
    const { value } = await this.#messages.next();
    return (value as PlayRequest).items.map(({ item }) => item.case);
  }

  /** Ends the stream after a drain, so that the bot reconnects within half a second. */
  end(): void {
    this.send({ item: { case: "draining", value: {} } });
    this.#call.emit("error", { code: status.UNAVAILABLE, details: "no" });
  }
}

const WELCOME: Item = { item: { case: "welcome", value: { bot: "anna" } } };
const TURN: Item = { item: { case: "turn", value: { matchId: "m1", turnToken: "t1" } } };
const PING: Item = { item: { case: "ping", value: { id: 7n } } };

/** Starts a referee, and calls a function with its address and its streams. */
async function withReferee(use: (address: string, next: () => Promise<Stream>) => Promise<void>): Promise<void> {
  const opened: Stream[] = [];
  let waiting: ((stream: Stream) => void) | undefined;
  const server = new Server();
  const onStream = (call: ServerDuplexStream<PlayRequest, PlayResponse>): void => {
    const stream = new Stream(call);
    const resolve = waiting ?? ((stream: Stream): void => void opened.push(stream));
    waiting = undefined;
    resolve(stream);
  };
  server.addService({ play: METHOD }, { play: onStream });
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
  try {
    await use(`127.0.0.1:${port}`, async () => {
      return opened.shift() ?? (await new Promise<Stream>((resolve) => (waiting = resolve)));
    });
  } finally {
    server.forceShutdown();
  }
}

test("an answer of an earlier stream is sent when its turn arrives again, and not before", async () => {
  await withReferee(async (address, next) => {
    const stop = new AbortController();
    const answers: ((move: string) => void)[] = [];
    const called = new Promise<void>((resolve) => {
      const choose = (): Promise<string> =>
        new Promise((answer) => {
          resolve(void answers.push(answer));
        });
      void play(choose, { address, token: "secret", signal: stop.signal });
    });
    const before = await next();
    assert.deepEqual(await before.receive(), ["hello"]);
    before.send(WELCOME, TURN);
    await called;
    before.end();
    const after = await next();
    answers[0]!("c2-c3"); // The new stream is open, but the bot has received nothing there.
    assert.deepEqual(await after.receive(), ["hello"]);
    after.send(WELCOME, PING);
    assert.deepEqual(await after.receive(), ["pong"]);
    after.send(TURN);
    assert.deepEqual(await after.receive(), ["move"]);
    assert.equal(answers.length, 1);
    stop.abort();
  });
});

test("what is ready after a message is sent in one message, also by a bot that answers at once", async () => {
  await withReferee(async (address, next) => {
    const stop = new AbortController();
    const playing = play(() => "c2-c3", { address, token: "secret", signal: stop.signal });
    const stream = await next();
    assert.deepEqual(await stream.receive(), ["hello"]);
    stream.send(WELCOME, PING, TURN, { item: { case: "turn", value: { matchId: "m2", turnToken: "t1" } } });
    assert.deepEqual(await stream.receive(), ["pong", "move", "move"]);
    stop.abort();
    await playing;
  });
});
