/** What can go wrong. */

/** An error of the referee: it rejected an answer. */
export interface RefereeError {
  /**
   * An upper-case name from the contract, such as `ILLEGAL_MOVE`. Programs should use it, and never the message. A
   * reason that is newer than this client is a number.
   */
  readonly reason: string;
  /** One sentence for people. */
  readonly message: string;
  /** The variables of the message by name. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A setting is missing or invalid. Nothing was connected. */
export class SettingError extends Error {
  override readonly name = "SettingError";
  /** The environment variable of the setting, also if it was set in another way. Otherwise the name of the option. */
  readonly variable: string;

  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`);
    this.variable = variable;
  }
}

/**
 * A newer session of the same bot and version has taken over its seats. Reconnecting would make the two sessions replace
 * each other for ever.
 */
export class TakenOverError extends Error {
  override readonly name = "TakenOverError";

  constructor() {
    super("a newer session of this bot has taken over its seats");
  }
}

/** A call has failed: the referee rejects it, or cannot be reached. */
export class CallError extends Error implements RefereeError {
  override readonly name: string = "CallError";
  /** As in {@link RefereeError}. If the error is not from the referee itself, it is the status. */
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** The name of the gRPC status code, such as `NOT_FOUND`. */
  readonly status: string;

  constructor({ reason, message, metadata }: RefereeError, status: string) {
    super(message);
    this.reason = reason;
    this.metadata = metadata;
    this.status = status;
  }
}

/** The referee rejects the bot: reconnecting does not help until something is changed. */
export class RejectedError extends CallError {
  override readonly name = "RejectedError";
}
