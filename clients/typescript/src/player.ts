/** Plays in one session after the other, until it is stopped. */

import { availableParallelism } from "node:os";
import { env } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

import { item, moveItem, pongItem, resignationItem } from "./answers.js";
import { Backoff } from "./backoff.js";
import type { Bot, TurnOptions } from "./bot.js";
import { Desk, isWanted, type Owed } from "./desk.js";
import { type End, Session, TAKEN_OVER } from "./session.js";
import { Misconfigured, type Settings, settingsFrom } from "./settings.js";
import type { BotItem, RefereeItem, Welcome } from "./stubs/referee_api/v1/play_pb.js";
import { Thinkers } from "./thinkers.js";

const CLIENT = "referee-client-typescript/0.1.0";

const STATUS = { "hung up": 0, misconfigured: 2, "taken over": 3, refused: 4 };

/**
 * Plays with the bot in a module until the program is stopped, and returns its exit status: 0 after SIGINT or SIGTERM,
 * 2 if the bot or the settings in the environment are invalid, 3 if another copy of the bot has taken over its seats, 4
 * if the referee rejects this bot. Errors are written to standard error.
 */
export async function run(bot: URL): Promise<number> {
  try {
    const settings = settingsFrom(env);
    const { default: choose, turnOptions } = (await import(bot.href)) as Partial<Bot>;
    if (typeof choose !== "function") {
      throw new Misconfigured(`${bot.pathname} exports no function as default`);
    }
    const player = new Player(settings, bot, turnOptions ?? {});
    process.once("SIGINT", () => player.stop());
    process.once("SIGTERM", () => player.stop());
    return STATUS[await player.play()];
  } catch (why) {
    complain(why instanceof Misconfigured ? why.message : why);
    return STATUS.misconfigured;
  }
}

class Player {
  readonly #settings: Settings;
  readonly #turnOptions: TurnOptions;
  readonly #thinkers: Thinkers;
  readonly #backoff = new Backoff();
  readonly #stopping = new AbortController();
  readonly #desk = new Desk({
    think: (owed) => void this.#think(owed),
    say: (answer) => this.#say(answer),
    later: (afterMs, deed) => setTimeout(deed, afterMs),
    drop: (question) => this.#thinkers.drop(question),
  });
  #version: string;
  #session: Session | undefined;
  /** How long the referee will be away, if it has announced that. */
  #awayMs: number | undefined;

  constructor(settings: Settings, bot: URL, turnOptions: TurnOptions) {
    this.#settings = settings;
    this.#version = settings.version;
    this.#turnOptions = turnOptions;
    this.#thinkers = new Thinkers(bot, Math.max(availableParallelism(), settings.maxMatches));
  }

  stop(): void {
    this.#stopping.abort();
    this.#session?.hangUp({ kind: "hung up", why: "told to stop" });
  }

  /** Returns the reason for which reconnecting does not help. */
  async play(): Promise<Exclude<End["kind"], "broken">> {
    while (!this.#stopping.signal.aborted) {
      const { kind, why } = await this.#playSession();
      if (kind !== "broken") {
        complain(why);
        return kind;
      }
      const waitMs = this.#waitMs();
      complain(`${why}; back in ${(waitMs / 1_000).toFixed(1)} s`);
      await this.#stayAway(waitMs);
    }
    return "hung up";
  }

  #waitMs(): number {
    const awayMs = this.#awayMs;
    this.#awayMs = undefined;
    return awayMs === undefined
      ? this.#backoff.nextMs(performance.now(), Math.random())
      : this.#backoff.afterDrainingMs(awayMs, Math.random());
  }

  async #playSession(): Promise<End> {
    this.#session = new Session(this.#settings, (said) => this.#hear(said));
    this.#say(this.#hello());
    const end = await this.#session.ended;
    this.#session = undefined;
    return end;
  }

  #hello(): BotItem {
    const { maxMatches, verdictsWithTurns } = this.#settings;
    return item({
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

  async #stayAway(waitMs: number): Promise<void> {
    try {
      await sleep(waitMs, undefined, { signal: this.#stopping.signal });
    } catch {
      // Stopped.
    }
  }

  #hear({ item: said }: RefereeItem): void {
    switch (said.case) {
      case "ping":
        return this.#say(pongItem(said.value));
      case "turn":
        return this.#desk.asked(said.value);
      case "verdict":
        return this.#desk.judged(said.value);
      case "turnExpired":
        return this.#desk.lapsed(said.value.matchId, said.value.turnToken);
      case "matchEnded":
        return this.#desk.ended(said.value.matchId);
      case "welcome":
        return this.#welcomed(said.value);
      case "draining":
        this.#awayMs = Number(said.value.reconnectDelayMs);
        return;
      case "sessionTakenOver":
        return this.#session?.hangUp(TAKEN_OVER);
      case "notice":
        console.error(`referee: ${said.value.message}`);
    } // Nothing to answer, or unknown to this client.
  }

  #welcomed({ bot, version, heartbeatTimeoutMs }: Welcome): void {
    // Keep the version for later sessions, even if a newer one is registered: the seats belong to it.
    this.#version = version;
    this.#backoff.welcomed(performance.now());
    if (this.#session && heartbeatTimeoutMs > 0n) {
      this.#session.maxSilenceMs = Number(heartbeatTimeoutMs);
    }
    complain(`connected to ${this.#settings.referee} as ${bot}, version ${version}`);
  }

  /** Sends an item if there is a session; otherwise the turn will be sent again. */
  #say(answer: BotItem): void {
    this.#session?.say(answer);
  }

  async #think(owed: Owed): Promise<void> {
    this.#desk.found(owed, await this.#answer(owed));
  }

  /** Returns the bot's move, or its resignation if its code fails. */
  async #answer({ question }: Owed): Promise<BotItem> {
    try {
      return moveItem(question.turn, await this.#thinkers.think(question));
    } catch (why) {
      if (isWanted(question)) {
        complain(why);
      }
      return resignationItem(question.turn);
    }
  }
}

function complain(why: unknown): void {
  console.error("referee-client:", why);
}
