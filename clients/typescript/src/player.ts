/** Plays in one session after the other, until it is stopped. */

import { setTimeout as sleep } from "node:timers/promises";

import { botItem, pongItem } from "./answers.js";
import { Backoff } from "./backoff.js";
import type { Bots } from "./bot.js";
import { TakenOverError } from "./errors.js";
import { Nonces } from "./nonces.js";
import { type OpenTurn, OpenTurns } from "./open-turns.js";
import type { Settings } from "./options.js";
import { Seats } from "./seats.js";
import { Session, type SessionEnd } from "./session.js";
import { errorFromDetail } from "./status-details.js";
import type { BotItem, RefereeItem, Verdict, Welcome } from "./stubs/referee_api/v1/play_pb.js";
import { VERSION } from "./version.js";

/** What the player uses of a session. */
export type PlayerSession = Pick<Session, "send" | "close"> & { heartbeatTimeoutMs: number };

/** Calls a function after a delay. */
export type Schedule = (delayMs: number, callback: () => void) => void;

export class Player {
  readonly #settings: Settings;
  readonly #nonces: Nonces;
  readonly #seats: Seats;
  readonly #backoff = new Backoff();
  readonly #stopping = new AbortController();
  readonly #openTurns: OpenTurns;
  #version: string;
  #session: PlayerSession | undefined;
  /** The pause that a draining referee has asked for. */
  #reconnectDelayMs: number | undefined;

  constructor(
    bots: Bots,
    settings: Settings,
    schedule: Schedule = (delayMs, callback) => void setTimeout(callback, delayMs).unref(),
  ) {
    this.#settings = settings;
    this.#version = settings.version;
    this.#nonces = new Nonces(settings.nonce, (problem) => {
      settings.logger.error(problem);
    });
    this.#seats = new Seats(bots, settings.logger);
    this.#openTurns = new OpenTurns({
      choose: (open) => void this.#choose(open),
      send: (answer) => {
        this.#send(answer);
      },
      schedule,
    });
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Returns when it was stopped. Throws the error for which reconnecting does not help. */
  async play(): Promise<void> {
    try {
      while (!this.#stopping.signal.aborted) {
        const end = await this.#playSession();
        if (end.kind === "final") {
          throw end.error;
        }
        if (end.kind === "disconnected") {
          const pauseMs = this.nextPauseMs(Math.random());
          this.#settings.logger.warn(`${end.reason}; reconnecting in ${(pauseMs / 1_000).toFixed(1)} s`);
          await this.#pause(pauseMs);
        }
      }
    } finally {
      this.#openTurns.closeAll();
    }
  }

  /** Returns the pause before the client reconnects; `random` is a number from 0 to 1. */
  nextPauseMs(random: number): number {
    const reconnectDelayMs = this.#reconnectDelayMs;
    this.#reconnectDelayMs = undefined;
    return reconnectDelayMs === undefined
      ? this.#backoff.nextMs(performance.now(), this.#openTurns.hasAny, random)
      : this.#backoff.afterDrainingMs(reconnectDelayMs, random);
  }

  async #playSession(): Promise<SessionEnd> {
    const session = new Session(this.#settings, (item) => {
      this.handle(item);
    });
    const stop = (): void => {
      session.close({ kind: "stopped" });
    };
    this.#stopping.signal.addEventListener("abort", stop);
    session.send(this.hello());
    this.startSession(session);
    const end = await session.ended;
    this.endSession();
    this.#stopping.signal.removeEventListener("abort", stop);
    return end;
  }

  /** Plays in a session whose first item has been sent. Open turns wait until they arrive there again. */
  startSession(session: PlayerSession): void {
    this.#openTurns.onSessionStarted();
    this.#session = session;
  }

  /** Plays in no session. Turns stay open. */
  endSession(): void {
    this.#session = undefined;
  }

  hello(): BotItem {
    const { games, maxMatches, verdictsWithTurns, maxLegalMoves, view, fullHistory } = this.#settings;
    return botItem({
      case: "hello",
      value: {
        version: this.#version,
        games: [...games],
        maxMatches,
        turnOptions: { maxLegalMoves, includeView: view, fullMoveHistory: fullHistory },
        client: `referee-client-typescript/${VERSION}`,
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
        this.#send(pongItem(item.value));
        break;
      case "turn":
        this.#openTurns.onTurn(this.#seats.toTurn(item.value));
        break;
      case "verdict":
        this.#onVerdict(item.value);
        break;
      case "turnExpired":
        this.#openTurns.onTurnExpired(item.value.matchId, item.value.turnToken);
        break;
      case "matchEnded":
        this.#nonces.onMatchEnded(item.value.matchId, item.value.seedCommitment);
        this.#openTurns.onMatchEnded(item.value.matchId);
        this.#seats.onMatchEnded(item.value);
        break;
      case "nonceRequest":
        this.#send(this.#nonces.onRequest(item.value));
        break;
      case "matchStarted":
        this.#nonces.onMatchStarted(item.value.match?.id ?? "", item.value.match?.seedCommitment);
        this.#seats.onMatchStarted(item.value);
        break;
      case "welcome":
        this.#onWelcome(item.value);
        break;
      case "draining":
        this.#reconnectDelayMs = Number(item.value.reconnectDelayMs);
        break;
      case "sessionTakenOver":
        this.#session?.close({ kind: "final", error: new TakenOverError() });
        break;
      case "notice":
        this.#settings.logger.warn(`notice of the referee: ${item.value.message}`);
        break;
    } // All other items need no answer, or are unknown to this client.
  }

  #onVerdict(verdict: Verdict): void {
    const { matchId, outcome } = verdict;
    if (outcome.case === "rejected") {
      const { message, reason } = errorFromDetail(outcome.value.error);
      this.#settings.logger.warn(`match ${matchId}: rejected: ${message} (${reason})`);
    }
    this.#openTurns.onVerdict(verdict);
  }

  #onWelcome({ bot, version, heartbeatTimeoutMs }: Welcome): void {
    // Keep the version for later sessions, even if a newer one is registered: the seats belong to it.
    this.#version = version;
    this.#backoff.onWelcome(performance.now());
    if (this.#session && heartbeatTimeoutMs > 0n) {
      this.#session.heartbeatTimeoutMs = Number(heartbeatTimeoutMs);
    }
    this.#settings.logger.info(`connected to ${this.#settings.address} as ${bot}, version ${version}`);
  }

  /** Sends an item if there is a session; otherwise the turn will be sent again. */
  #send(item: BotItem): void {
    this.#session?.send(item);
  }

  async #choose(open: OpenTurn): Promise<void> {
    this.#openTurns.setAnswer(open, await this.#seats.choose(open.turn, open.controller.signal));
  }
}
