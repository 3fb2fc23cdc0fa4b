/** The library form of the client. */

import type { Bots } from "./bot.js";
import { checkOptions, type Options } from "./options.js";
import { Player } from "./player.js";

/**
 * Plays until the signal of the options is aborted, and reconnects after a session has ended.
 *
 * Throws SettingError if an option is invalid, TakenOverError if a newer session of the same bot has taken over its
 * seats, and RejectedError if the referee rejects the bot. It does not wait for calls of the bot that are still running;
 * their signals are aborted.
 */
export async function play(bots: Bots, options: Options): Promise<void> {
  const settings = checkOptions(options);
  const player = new Player(bots, settings);
  const stop = (): void => {
    player.stop();
  };
  if (settings.signal?.aborted) {
    return;
  }
  settings.signal?.addEventListener("abort", stop, { once: true });
  try {
    await player.play();
  } finally {
    settings.signal?.removeEventListener("abort", stop);
  }
}
