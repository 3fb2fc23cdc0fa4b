/** Settings from the environment: the address of the referee, and the identity of the bot. */

import { readFileSync } from "node:fs";
import { isIPv4 } from "node:net";

const DEFAULT_MAX_MATCHES = 1;
const HIGHEST_PORT = 65_535;
const HIGHEST_NUMBER = 2 ** 32 - 1;
const HOST_PORT = /^(?:\[(?<address>[^\]]+)\]|(?<name>[^:]+)):(?<port>\d+)$/;

export interface Settings {
  /** HOST:PORT. */
  readonly referee: string;
  readonly tls: boolean;
  /** The root certificates to trust, as PEM; null: those of Node. */
  readonly roots: Buffer | null;
  readonly token: string;
  readonly version: string;
  readonly maxMatches: number;
  /** Whether the verdict on an accepted move should arrive together with the next turn. */
  readonly verdictsWithTurns: boolean;
}

/** A setting is invalid. The message says what is wrong. */
export class Misconfigured extends Error {}

/** Reads the environment variables. Throws Misconfigured. */
export function settingsFrom(environment: Readonly<Record<string, string | undefined>>): Settings {
  const referee = needed(environment, "BOT_REFEREE");
  const roots = environment["BOT_CA"] ? read("BOT_CA", environment["BOT_CA"]) : null;
  const plaintext = environment["BOT_PLAINTEXT"] === "1" || isLoopback(hostOf(referee));
  return {
    referee,
    tls: roots !== null || !plaintext,
    roots,
    token: token(environment),
    version: environment["BOT_VERSION"] ?? "",
    maxMatches: atMost(environment["BOT_MAX_MATCHES"] || `${DEFAULT_MAX_MATCHES}`),
    verdictsWithTurns: environment["BOT_VERDICTS_WITH_TURNS"] === "1",
  };
}

/** Returns BOT_TOKEN, or else the content of the file that BOT_TOKEN_FILE names. */
function token(environment: Readonly<Record<string, string | undefined>>): string {
  const file = environment["BOT_TOKEN_FILE"];
  const text = !environment["BOT_TOKEN"] && file ? read("BOT_TOKEN_FILE", file).toString().trim() : undefined;
  return text || needed(environment, "BOT_TOKEN");
}

function needed(environment: Readonly<Record<string, string | undefined>>, name: string): string {
  const text = environment[name];
  if (!text) {
    throw new Misconfigured(`${name} is not set`);
  }
  return text;
}

function hostOf(referee: string): string {
  const { address, name, port } = HOST_PORT.exec(referee)?.groups ?? {};
  const host = address ?? name;
  if (!host || Number(port) > HIGHEST_PORT) {
    throw new Misconfigured(`BOT_REFEREE is not HOST:PORT: ${referee}`);
  }
  return host;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

function read(name: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (why) {
    throw new Misconfigured(`${name}: ${(why as Error).message}`);
  }
}

function atMost(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > HIGHEST_NUMBER) {
    throw new Misconfigured(`BOT_MAX_MATCHES is no number: ${text}`);
  }
  return number;
}
