/** Terms of new matches. */

/** The time control of all seats. */
export type TimeControl =
  | { readonly fischer: { readonly mainMs: number; readonly incrementMs?: number | undefined } }
  | { readonly suddenDeath: { readonly mainMs: number } }
  | { readonly perMove: { readonly moveMs: number } };

/** The terms of a new match. */
export interface MatchTerms {
  /** Name of the game. */
  readonly game: string;
  /** Name of a variant. Default: that of the game. */
  readonly preset?: string | undefined;
  /** Options that differ from the variant. */
  readonly options?: Readonly<Record<string, string>> | undefined;
  /** The time control of all seats. Default: untimed. */
  readonly clock?: TimeControl | undefined;
  /** The time within which all bots must be online. Default: that of the server. */
  readonly startTimeoutMs?: number | undefined;
  readonly title?: string | undefined;
}
