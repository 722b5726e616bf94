/** Output of a command. */
export interface Terminal {
  /** Writes a result to standard output. */
  print(text: string): void;
  /** Writes a message for the user to standard error. */
  note(text: string): void;
  /** Aborts on a stop signal. */
  readonly stopSignal: AbortSignal;
}

/** Kind of name that a shell completes: `file` itself, the others through the gateway. */
export type NameKind =
  | 'asset'
  | 'bundle'
  | 'channel'
  | 'driver'
  | 'driverType'
  | 'file'
  | 'identity'
  | 'key'
  | 'package'
  | 'permission'
  | 'recorder'
  | 'section'
  | 'session'
  | 'template';

/** One option of a command. */
export interface Option {
  /** Placeholder of the value in the help; absent: a switch without a value. */
  readonly value?: string;
  /** Purpose in a few words, in the imperative. */
  readonly help: string;
  /** Default value. */
  readonly default?: string;
  /** True if the option can be repeated. */
  readonly isRepeated?: boolean;
  /** Kind of name in the value. */
  readonly names?: NameKind;
}

/** Options of a command, by name without dashes. */
export type Options = Readonly<Record<string, Option>>;

/** Declaration of one command, shared by help, manual, completion and parser. */
export interface CommandDescription {
  /** Parameters as in the help, `PID [CHANNEL...]`: brackets mark optional words, dots repeated ones. */
  readonly parameters: string;
  /** Purpose in one line, in the imperative. */
  readonly summary: string;
  /** Options of the command itself, in the order of the help. */
  readonly options?: Options;
  /** Kinds of names in its words, in order; the last one also applies to all further words. */
  readonly names?: readonly NameKind[];
  /** Further paragraphs of the help. */
  readonly text?: string;
  /** Complete command lines. */
  readonly examples?: readonly string[];
  /** Item whose settings, as described by the gateway, are further options. */
  readonly settings?: 'driver' | 'asset' | 'channel' | 'recorder';
  /** True if the command connects to a gateway, and so accepts the connection options. */
  readonly isForGateway: boolean;
}

/** One command of `penstock` with its subcommands, such as `asset`. */
export interface CommandGroup {
  readonly name: string;
  /** Purpose in one line, in the imperative. */
  readonly summary: string;
  /** Subcommands by name; a command without subcommands has one entry with an empty name. */
  readonly commands: Readonly<Record<string, CommandDescription>>;
  /**
   * Runs the command to completion.
   *
   * @param parameters words after the command name
   * @throws {UsageError} for unknown or missing parameters
   * @throws {GatewayError} if the command fails
   */
  run(parameters: readonly string[], terminal: Terminal): Promise<void>;
}
