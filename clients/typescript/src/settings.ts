/** Settings from the environment: the address of the referee, and the identity of the bot. */

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIPv4 } from "node:net";

const DEFAULT_MAX_MATCHES = 1;
const MAX_PORT = 65_535;
const MAX_DIGITS = 10;
const MAX_UINT32 = 2 ** 32 - 1;
/** The host is a name, an IPv4 address, or an IPv6 address in brackets. */
const HOST_PORT = /^(?:\[(?<address>[^\s/[\]]+)\]|(?<name>[^\s:/[\]]+)):(?<port>[0-9]+)$/;
const PRINTABLE_ASCII = /^[ -~]*$/;

export interface Settings {
  /** HOST:PORT. */
  readonly referee: string;
  readonly tls: boolean;
  /** The certificate authorities to trust, as PEM; null: those of Node. */
  readonly rootCertificates: Buffer | null;
  readonly token: string;
  readonly version: string;
  readonly maxMatches: number;
  /** Whether the verdict on an accepted move should arrive together with the next turn. */
  readonly verdictsWithTurns: boolean;
}

/** A setting is invalid. The message says what is wrong. */
export class ConfigurationError extends Error {}

/** Reads the environment variables. Throws ConfigurationError. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const referee = required(environment, "BOT_REFEREE");
  const rootCertificates = environment["BOT_CA"] ? readCertificates(environment["BOT_CA"]) : null;
  const plaintext = environment["BOT_PLAINTEXT"] === "1" || isLoopback(hostOf(referee));
  return {
    referee,
    tls: rootCertificates !== null || !plaintext,
    rootCertificates,
    token: readToken(environment),
    version: environment["BOT_VERSION"] ?? "",
    maxMatches: parseMaxMatches(environment["BOT_MAX_MATCHES"] || `${DEFAULT_MAX_MATCHES}`),
    verdictsWithTurns: environment["BOT_VERDICTS_WITH_TURNS"] === "1",
  };
}

/** Returns BOT_TOKEN, or else the content of the file that BOT_TOKEN_FILE names. */
function readToken(environment: Readonly<Record<string, string | undefined>>): string {
  const file = environment["BOT_TOKEN_FILE"];
  const inFile = !environment["BOT_TOKEN"] && file;
  const token = inFile ? readFile("BOT_TOKEN_FILE", file).toString().trim() : required(environment, "BOT_TOKEN");
  if (token === "") {
    throw new ConfigurationError(`BOT_TOKEN_FILE is empty: ${file}`);
  }
  if (!PRINTABLE_ASCII.test(token)) {
    throw new ConfigurationError("BOT_TOKEN has characters that no token has, such as the end of a line");
  }
  return token;
}

function required(environment: Readonly<Record<string, string | undefined>>, name: string): string {
  const text = environment[name];
  if (!text) {
    throw new ConfigurationError(`${name} is not set`);
  }
  return text;
}

function hostOf(referee: string): string {
  const { address, name, port } = HOST_PORT.exec(referee)?.groups ?? {};
  const host = address ?? name;
  if (!host || Number(port) < 1 || Number(port) > MAX_PORT) {
    throw new ConfigurationError(`BOT_REFEREE is not HOST:PORT: ${referee}`);
  }
  return host;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

/** Returns the content of a file with certificates. Without one, each connection would fail later. */
function readCertificates(file: string): Buffer {
  const pem = readFile("BOT_CA", file);
  try {
    new X509Certificate(pem);
  } catch {
    throw new ConfigurationError(`BOT_CA has no certificate: ${file}`);
  }
  return pem;
}

function readFile(name: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ConfigurationError(`${name}: ${(error as Error).message}`);
  }
}

function parseMaxMatches(text: string): number {
  const number = Number(text);
  if (!/^[0-9]+$/.test(text) || text.length > MAX_DIGITS || number > MAX_UINT32) {
    throw new ConfigurationError(`BOT_MAX_MATCHES is not a number: ${text}`);
  }
  return number;
}
