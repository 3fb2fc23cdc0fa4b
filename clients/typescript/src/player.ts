/** Plays in one session after the other, until it is stopped. */

import { availableParallelism } from "node:os";
import { env } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

import { botItem, moveItem, pongItem, resignationItem } from "./answers.js";
import { Backoff } from "./backoff.js";
import type { Bot, ChooseNonce, TurnOptions } from "./bot.js";
import { Nonces } from "./nonces.js";
import { isCancelled, type OpenTurn, OpenTurns, type TurnTask } from "./open-turns.js";
import { Session, type SessionEnd, TAKEN_OVER } from "./session.js";
import { ConfigurationError, readSettings, type Settings } from "./settings.js";
import type { BotItem, MatchStarted, RefereeItem, Welcome } from "./stubs/referee_api/v1/play_pb.js";
import { WorkerPool } from "./worker-pool.js";

const CLIENT = "referee-client-typescript/0.1.0";

const EXIT_STATUS = { stopped: 0, misconfigured: 2, "taken over": 3, rejected: 4 };

/**
 * Plays with the bot in a module until the program is stopped, and returns its exit status: 0 after SIGINT or SIGTERM,
 * 2 if the bot or the settings in the environment are invalid, 3 if a newer session of the same bot has taken over its
 * matches, 4 if the referee rejects this bot. Errors are written to standard error.
 */
export async function run(bot: URL): Promise<number> {
  try {
    const settings = readSettings(env);
    const { default: choose, turnOptions, nonce } = (await import(bot.href)) as Partial<Bot>;
    if (typeof choose !== "function") {
      throw new ConfigurationError(`${bot.pathname} exports no function as default`);
    }
    const workers = new WorkerPool(bot, Math.max(availableParallelism(), settings.maxMatches));
    const player = new Player(settings, turnOptions ?? {}, nonce, workers);
    process.once("SIGINT", () => player.stop());
    process.once("SIGTERM", () => player.stop());
    return EXIT_STATUS[await player.play()];
  } catch (error) {
    log(error instanceof ConfigurationError ? error.message : error);
    return EXIT_STATUS.misconfigured;
  }
}

/** Computes answers outside of the thread that reads. */
export interface Workers {
  run(task: TurnTask): Promise<string>;
  cancel(task: TurnTask): void;
}

/** What the player uses of a session. */
export type PlayerSession = Pick<Session, "send" | "close"> & { heartbeatTimeoutMs: number };

/** Calls a function after a delay. */
export type Schedule = (delayMs: number, callback: () => void) => void;

export class Player {
  readonly #settings: Settings;
  readonly #turnOptions: TurnOptions;
  readonly #nonces: Nonces;
  readonly #workers: Workers;
  readonly #backoff = new Backoff();
  readonly #stopping = new AbortController();
  readonly #openTurns: OpenTurns;
  #version: string;
  /** Undefined while there is none. */
  session: PlayerSession | undefined;
  /** The pause that a draining referee has asked for. */
  #reconnectDelayMs: number | undefined;

  constructor(
    settings: Settings,
    turnOptions: TurnOptions,
    nonce: ChooseNonce | undefined,
    workers: Workers,
    schedule: Schedule = (delayMs, callback) => setTimeout(callback, delayMs),
  ) {
    this.#settings = settings;
    this.#version = settings.version;
    this.#turnOptions = turnOptions;
    this.#nonces = new Nonces(nonce, log);
    this.#workers = workers;
    this.#openTurns = new OpenTurns({
      choose: (open) => void this.#choose(open),
      send: (answer) => this.#send(answer),
      schedule,
      cancel: (task) => this.#workers.cancel(task),
    });
  }

  stop(): void {
    this.#stopping.abort();
    this.session?.close({ kind: "stopped", reason: "told to stop" });
  }

  /** Returns the reason for which reconnecting does not help. */
  async play(): Promise<Exclude<SessionEnd["kind"], "disconnected">> {
    while (!this.#stopping.signal.aborted) {
      const { kind, reason } = await this.#playSession();
      if (kind !== "disconnected") {
        log(reason);
        return kind;
      }
      const pauseMs = this.nextPauseMs(Math.random());
      log(`${reason}; reconnecting in ${(pauseMs / 1_000).toFixed(1)} s`);
      await this.#pause(pauseMs);
    }
    return "stopped";
  }

  /** Returns the pause before the client reconnects; `random` is a number from 0 to 1. */
  nextPauseMs(random: number): number {
    const reconnectDelayMs = this.#reconnectDelayMs;
    this.#reconnectDelayMs = undefined;
    return reconnectDelayMs === undefined
      ? this.#backoff.nextMs(performance.now(), random)
      : this.#backoff.afterDrainingMs(reconnectDelayMs, random);
  }

  async #playSession(): Promise<SessionEnd> {
    const session = new Session(this.#settings, (item) => this.handle(item));
    this.session = session;
    this.#send(this.hello());
    const end = await session.ended;
    this.session = undefined;
    return end;
  }

  hello(): BotItem {
    const { maxMatches, verdictsWithTurns } = this.#settings;
    return botItem({
      case: "hello",
      value: {
        version: this.#version,
        maxMatches,
        turnOptions: this.#turnOptions,
        client: CLIENT,
        verdictsWithTurns,
      },
    });
  }

  async #pause(ms: number): Promise<void> {
    try {
      await sleep(ms, undefined, { signal: this.#stopping.signal });
    } catch {
      // Stopped.
    }
  }

  /** Handles an item of the referee. */
  handle({ item }: RefereeItem): void {
    switch (item.case) {
      case "ping":
        return this.#send(pongItem(item.value));
      case "turn":
        return this.#openTurns.onTurn(item.value);
      case "verdict":
        return this.#openTurns.onVerdict(item.value);
      case "turnExpired":
        return this.#openTurns.onTurnExpired(item.value.matchId, item.value.turnToken);
      case "matchEnded":
        this.#nonces.onMatchEnded(item.value.matchId, item.value.seedCommitment);
        return this.#openTurns.onMatchEnded(item.value.matchId);
      case "nonceRequest":
        return this.#send(this.#nonces.onRequest(item.value));
      case "matchStarted":
        return this.#onMatchStarted(item.value);
      case "welcome":
        return this.#onWelcome(item.value);
      case "draining":
        this.#reconnectDelayMs = Number(item.value.reconnectDelayMs);
        return;
      case "sessionTakenOver":
        return this.session?.close(TAKEN_OVER);
      case "notice":
        console.error(`referee: ${item.value.message}`);
    } // All other items need no answer, or are unknown to this client.
  }

  #onMatchStarted({ match, seat }: MatchStarted): void {
    if (match) {
      this.#openTurns.onMatchStarted(match.id, seat, match.terms?.rules);
      this.#nonces.onMatchStarted(match.id, match.seedCommitment);
    }
  }

  #onWelcome({ bot, version, heartbeatTimeoutMs }: Welcome): void {
    // Keep the version for later sessions, even if a newer one is registered: the seats belong to it.
    this.#version = version;
    this.#backoff.onWelcome(performance.now());
    if (this.session && heartbeatTimeoutMs > 0n) {
      this.session.heartbeatTimeoutMs = Number(heartbeatTimeoutMs);
    }
    log(`connected to ${this.#settings.referee} as ${bot}, version ${version}`);
  }

  /** Sends an item if there is a session; otherwise the turn will be sent again. */
  #send(item: BotItem): void {
    this.session?.send(item);
  }

  async #choose(open: OpenTurn): Promise<void> {
    this.#openTurns.setAnswer(open, await this.#chooseAnswer(open));
  }

  /** Returns the bot's move, or its resignation if its code fails. */
  async #chooseAnswer({ task }: OpenTurn): Promise<BotItem> {
    try {
      return moveItem(task.turn, await this.#workers.run(task));
    } catch (error) {
      if (!isCancelled(task)) {
        log(error);
      }
      return resignationItem(task.turn);
    }
  }
}

function log(message: unknown): void {
  console.error("referee-client:", message);
}
