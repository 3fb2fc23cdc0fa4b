/** Options: the address of the referee, the identity of the bot, and what it asks for. */

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIPv4 } from "node:net";

import { SettingError } from "./errors.js";

const DEFAULT_MAX_MATCHES = 1;
const DEFAULT_MAX_LEGAL_MOVES = 5_000;
const MAX_PORT = 65_535;
const MAX_DIGITS = 10;
const MAX_UINT32 = 2 ** 32 - 1;
/** The host is a name, an IPv4 address, or an IPv6 address in brackets. */
const HOST_PORT = /^(?:\[(?<address>[^\s/[\]]+)\]|(?<name>[^\s:/[\]]+)):(?<port>[0-9]+)$/;
const PRINTABLE_ASCII = /^[ -~]*$/;

/** Receives log lines. `console` is one. */
export interface Logger {
  /** Receives what works as it should, such as a new connection. */
  info(message: string): void;
  /** Receives what the client repairs itself, such as a lost connection, and rejected answers. */
  warn(message: string): void;
  /** Receives what the author of the bot should look at, such as an exception of the bot. */
  error(message: string): void;
}

/** How to connect. */
export interface ConnectionOptions {
  /** Address of the referee, HOST:PORT. */
  readonly address: string;
  readonly token: string;
  /**
   * Certificate authorities to trust, and no others, as PEM. The connection then always uses TLS. Without it, TLS is
   * used with the authorities of Node, except for addresses of this machine.
   */
  readonly ca?: string | Uint8Array | undefined;
  /** Whether connections to other machines may do without TLS. Default: false. */
  readonly plaintext?: boolean | undefined;
}

/** What a bot asks for. */
export interface BotOptions {
  /** The games that the bot plays. Default: all. */
  readonly games?: readonly string[] | undefined;
  /** How many legal moves a turn lists at most. Default: 5000. With 0 it lists none. */
  readonly maxLegalMoves?: number | undefined;
  /** Whether each turn has the position as JSON. Default: false. */
  readonly view?: boolean | undefined;
  /** Whether each turn has all moves of the match, not only those since the last turn of the seat. Default: false. */
  readonly fullHistory?: boolean | undefined;
  /**
   * Chooses what the bot adds to the seed of a match: up to 64 bytes that nobody can guess. Default: 32 random bytes.
   * It must return at once.
   */
  readonly nonce?: ((matchId: string, seat: number) => Uint8Array) | undefined;
}

/** Options of `play`. They are checked when the bot starts to play. */
export interface Options extends ConnectionOptions, BotOptions {
  /** The version that the bot plays as. Default: the last one that was registered. */
  readonly version?: string | undefined;
  /**
   * How many matches the bot plays at once. Default: 1, because concurrent matches share the CPU while all of their
   * clocks run. With 0 the bot gets no new matches.
   */
  readonly maxMatches?: number | undefined;
  /** Whether the verdict on an accepted move arrives with the next turn, which saves messages. Default: false. */
  readonly verdictsWithTurns?: boolean | undefined;
  /** Receives log lines. Default: none are written. */
  readonly logger?: Logger | undefined;
  /** Ends `play` when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** What can end a list before its end. */
export interface ListOptions {
  /** Ends the list, which throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** What a watch needs. */
export interface WatchOptions {
  /** The number of the entry to continue after. Default: 0, from the beginning. */
  readonly after?: number | undefined;
  /** Ends the watch, which throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

const SILENT: Logger = { info: () => {}, warn: () => {}, error: () => {} };

/** How to connect, after it was checked. */
export interface Target {
  /** HOST:PORT. */
  readonly address: string;
  readonly token: string;
  readonly tls: boolean;
  /** The certificate authorities to trust, as PEM; null: those of Node. */
  readonly ca: Buffer | null;
}

/** Options after they were checked, with their defaults. */
export interface Settings extends Target {
  readonly version: string;
  readonly games: readonly string[];
  readonly maxMatches: number;
  readonly maxLegalMoves: number;
  readonly view: boolean;
  readonly fullHistory: boolean;
  readonly verdictsWithTurns: boolean;
  readonly nonce: BotOptions["nonce"];
  readonly logger: Logger;
  readonly signal: AbortSignal | undefined;
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the options in environment variables, such as `process.env`. Throws SettingError. */
export function optionsFromEnvironment(environment: Environment): Options {
  const ca = environment["BOT_CA"];
  return {
    address: required(environment, "BOT_REFEREE"),
    token: readToken(environment),
    ca: ca ? readFile("BOT_CA", ca) : undefined,
    plaintext: environment["BOT_PLAINTEXT"] === "1",
    version: environment["BOT_VERSION"] ?? "",
    maxMatches: parseMaxMatches(environment["BOT_MAX_MATCHES"] || `${DEFAULT_MAX_MATCHES}`),
    verdictsWithTurns: environment["BOT_VERDICTS_WITH_TURNS"] === "1",
  };
}

/** Returns the options with their defaults. Throws SettingError. */
export function checkOptions(options: Options): Settings {
  return {
    ...checkConnection(options),
    version: options.version ?? "",
    games: options.games ?? [],
    maxMatches: checkedUint32("BOT_MAX_MATCHES", options.maxMatches ?? DEFAULT_MAX_MATCHES),
    maxLegalMoves: checkedUint32("maxLegalMoves", options.maxLegalMoves ?? DEFAULT_MAX_LEGAL_MOVES),
    view: options.view ?? false,
    fullHistory: options.fullHistory ?? false,
    verdictsWithTurns: options.verdictsWithTurns ?? false,
    nonce: options.nonce,
    logger: options.logger ?? SILENT,
    signal: options.signal,
  };
}

/** Checks how to connect. Throws SettingError. */
export function checkConnection({ address, token, ca, plaintext }: ConnectionOptions): Target {
  const host = hostOf(address);
  if (!token) {
    throw new SettingError("BOT_TOKEN", "is not set");
  }
  if (!PRINTABLE_ASCII.test(token)) {
    throw new SettingError("BOT_TOKEN", "has characters that no token has, such as the end of a line");
  }
  const authorities = ca === undefined ? null : checkedCertificates(ca);
  return { address, token, tls: authorities !== null || !(plaintext || isLoopback(host)), ca: authorities };
}

/** Returns BOT_TOKEN, or else the content of the file that BOT_TOKEN_FILE names. */
function readToken(environment: Environment): string {
  const file = environment["BOT_TOKEN_FILE"];
  if (environment["BOT_TOKEN"] || !file) {
    return required(environment, "BOT_TOKEN");
  }
  const token = readFile("BOT_TOKEN_FILE", file).toString().trim();
  if (token === "") {
    throw new SettingError("BOT_TOKEN_FILE", `is empty: ${file}`);
  }
  return token;
}

function required(environment: Environment, variable: string): string {
  const text = environment[variable];
  if (!text) {
    throw new SettingError(variable, "is not set");
  }
  return text;
}

function hostOf(referee: string): string {
  const { address, name, port } = HOST_PORT.exec(referee)?.groups ?? {};
  const host = address ?? name;
  if (!host || Number(port) < 1 || Number(port) > MAX_PORT) {
    throw new SettingError("BOT_REFEREE", `is not HOST:PORT: ${referee}`);
  }
  return host;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

/** Returns the certificates. Without one, each connection would fail later. */
function checkedCertificates(ca: string | Uint8Array): Buffer {
  const pem = Buffer.from(ca as Uint8Array);
  try {
    new X509Certificate(pem);
  } catch {
    throw new SettingError("BOT_CA", "has no certificate in PEM");
  }
  return pem;
}

function readFile(variable: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new SettingError(variable, `cannot be read: ${(error as Error).message}`);
  }
}

function parseMaxMatches(text: string): number {
  const number = Number(text);
  if (!/^[0-9]+$/.test(text) || text.length > MAX_DIGITS || number > MAX_UINT32) {
    throw new SettingError("BOT_MAX_MATCHES", `is not a number: ${text}`);
  }
  return number;
}

function checkedUint32(setting: string, number: number): number {
  if (!Number.isInteger(number) || number < 0 || number > MAX_UINT32) {
    throw new SettingError(setting, `is not a number from 0 to ${MAX_UINT32}: ${number}`);
  }
  return number;
}
