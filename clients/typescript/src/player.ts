/** A bot that plays: session after session, until it is told to stop. */

import { availableParallelism } from "node:os";
import { env } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

import { item, moveItem, pongItem, resignationItem } from "./answers.js";
import { Backoff } from "./backoff.js";
import type { Bot, Wishes } from "./bot.js";
import { Desk, isWanted, type Owed } from "./desk.js";
import { type End, Session, TAKEN_OVER } from "./session.js";
import { Misconfigured, type Settings, settingsFrom } from "./settings.js";
import type { FromBot, FromReferee, Welcome } from "./stubs/referee_api/v1/play_pb.js";
import { Thinkers } from "./thinkers.js";

const CLIENT = "referee-client-typescript/0.1.0";

const STATUS = { "hung up": 0, misconfigured: 2, "taken over": 3, refused: 4 };

/**
 * Plays as the bot in a module until the program is told to stop, and tells with which status it is to exit: 0 after
 * SIGINT or SIGTERM, 2 if the bot or the settings in the environment are wrong, 3 if another copy of the bot has taken
 * its seats, 4 if the referee refuses this bot. Standard error says why.
 */
export async function run(bot: URL): Promise<number> {
  try {
    const settings = settingsFrom(env);
    const { default: choose, wishes } = (await import(bot.href)) as Partial<Bot>;
    if (typeof choose !== "function") {
      throw new Misconfigured(`${bot.pathname} exports no function as default`);
    }
    const player = new Player(settings, bot, wishes ?? {});
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
  readonly #wishes: Wishes;
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
  /** How long the referee will be away, if it has said so. */
  #awayMs: number | undefined;

  constructor(settings: Settings, bot: URL, wishes: Wishes) {
    this.#settings = settings;
    this.#version = settings.version;
    this.#wishes = wishes;
    this.#thinkers = new Thinkers(bot, Math.max(availableParallelism(), settings.matchesAtMost));
  }

  stop(): void {
    this.#stopping.abort();
    this.#session?.hangUp({ kind: "hung up", why: "told to stop" });
  }

  /** Why coming back would not help. */
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

  #hello(): FromBot {
    const { matchesAtMost } = this.#settings;
    return item({
      case: "hello",
      value: { version: this.#version, matchesAtMost, wishes: this.#wishes, client: CLIENT },
    });
  }

  async #stayAway(waitMs: number): Promise<void> {
    try {
      await sleep(waitMs, undefined, { signal: this.#stopping.signal });
    } catch {
      // Told to stop.
    }
  }

  #hear({ item: said }: FromReferee): void {
    switch (said.case) {
      case "ping":
        return this.#say(pongItem(said.value));
      case "turn":
        return this.#desk.asked(said.value);
      case "verdict":
        return this.#desk.judged(said.value);
      case "turnLapsed":
        return this.#desk.lapsed(said.value.matchId, said.value.token);
      case "matchEnded":
        return this.#desk.ended(said.value.matchId);
      case "welcome":
        return this.#welcomed(said.value);
      case "draining":
        this.#awayMs = Number(said.value.returnAfterMs);
        return;
      case "takenOver":
        return this.#session?.hangUp(TAKEN_OVER);
      case "notice":
        console.error(`referee: ${said.value.message}`);
    } // Else there is nothing to answer, or it is newer than this client.
  }

  #welcomed({ bot, version, goneAfterMs }: Welcome): void {
    // The seats belong to this version, also if a newer one is registered before the next break.
    this.#version = version;
    this.#backoff.welcomed(performance.now());
    if (this.#session && goneAfterMs > 0n) {
      this.#session.maxSilenceMs = Number(goneAfterMs);
    }
    complain(`connected to ${this.#settings.referee} as ${bot}, version ${version}`);
  }

  /** Unless nobody listens; then the turn will be asked again. */
  #say(answer: FromBot): void {
    this.#session?.say(answer);
  }

  async #think(owed: Owed): Promise<void> {
    this.#desk.found(owed, await this.#answer(owed));
  }

  /** The bot's move; or, if its code breaks down, its resignation. */
  async #answer({ question }: Owed): Promise<FromBot> {
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
