/** Where a command writes to. */
export interface Terminal {
  /** Writes a result to standard output. */
  print(text: string): void;
  /** Writes anything else that a person should know to standard error. */
  note(text: string): void;
  /** Aborts when the command is told to stop. */
  readonly stopSignal: AbortSignal;
}

/** A kind of names that a shell can complete: `file` by itself, the others by asking the gateway. */
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
  | 'section'
  | 'session'
  | 'template'
  | 'verb';

/** One option of a command. */
export interface Option {
  /** Placeholder of its value in the help; absent: a switch without a value. */
  readonly value?: string;
  /** What it does, in a few words. */
  readonly help: string;
  /** Value when it is not given. */
  readonly default?: string;
  /** It may be given several times. */
  readonly isRepeated?: boolean;
  /** What its value names. */
  readonly names?: NameKind;
}

/** The options of a command, by name without dashes. */
export type Options = Readonly<Record<string, Option>>;

/** What help, manual, completion and parser know of one command. */
export interface CommandDescription {
  /** As in the help: `PID [CHANNEL...]`; words in brackets are optional, dots mean repetition. */
  readonly parameters: string;
  /** What it does, in one line. */
  readonly summary: string;
  /** Its own options, in the order of the help. */
  readonly options?: Options;
  /** What its words name, in their order; the last one counts for the words after it as well. */
  readonly names?: readonly NameKind[];
  /** Further paragraphs of the help. */
  readonly text?: string;
  /** Complete command lines. */
  readonly examples?: readonly string[];
  /** Of what it takes the settings as further options, as the gateway describes them. */
  readonly settings?: 'driver' | 'asset' | 'channel';
  /** Whether it talks to a gateway, and so has the options for that as well. */
  readonly isForGateway: boolean;
}

/** One verb of `penstock`. */
export interface Verb {
  readonly name: string;
  /** One line for the list of verbs. */
  readonly summary: string;
  /** Its commands by name; a verb that is a command itself has one with an empty name. */
  readonly commands: Readonly<Record<string, CommandDescription>>;
  /**
   * Runs the verb to its end.
   *
   * @param parameters the words after the verb on the command line
   * @throws {UsageError} for parameters that the verb does not know
   * @throws {GatewayError} when it fails
   */
  run(parameters: readonly string[], terminal: Terminal): Promise<void>;
}
