/** One way in which a bundle might do what it has no permission for. */
export interface Attempt {
  /** What is tried; unique. */
  readonly title: string;
  /**
   * Body of an asynchronous arrow function with the parameter `at`, the {@link AttemptTarget}: an expression, or a block in braces. The names of
   * {@link AttemptTools} and every module of Node.js, by its name in camel case, are in scope.
   */
  readonly code: string;
  /** Has a process for itself because it disturbs others: always, or only where nothing stops it. */
  readonly isolation?: 'ALWAYS' | 'UNFENCED';
}

/** Attempts that run one after the other in one process. */
export interface AttemptGroup {
  readonly category: string;
  readonly attempts: readonly Attempt[];
}

/** What an attempt may aim at: everything here belongs to this attempt alone, except the processes. */
export interface AttemptTarget {
  /** Directory that the bundle may not enter. */
  readonly folder: string;
  /** Text with an assignment of the secret. */
  readonly secret: string;
  readonly json: string;
  readonly module: string;
  readonly script: string;
  /** A certificate. */
  readonly pem: string;
  /** A copy of a library of the system. */
  readonly library: string;
  /** A directory with a `package.json` and an `index.js`. */
  readonly project: string;
  /** Not there; an attempt may create it. */
  readonly absent: string;
  /** Listening sockets. */
  readonly socket: string;
  readonly abstractSocket: string;
  readonly tcpPort: number;
  readonly udpPort: number;
  /** A process of the same account, started by the same parent as the bundle. */
  readonly pid: number;
  /** Directories of the bundle. */
  readonly directory: string;
  readonly dataDirectory: string;
}

/** One thing that an attempt has changed or learned outside of the bundle. */
export interface Fact {
  readonly kind: FactKind;
  readonly detail: string;
}

/** Everything that is looked at after each attempt. */
export const FACT_KINDS = [
  /** The bundle has the text of a secret. */
  'leaked',
  /** A file of the target was opened and read; its time of access says so. */
  'read',
  /** Anything in the target or in the program of the bundle is not as before. */
  'changed',
  /** The bundle can tell what is there from what is not. */
  'told',
  /** A connection or a datagram arrived. */
  'contacted',
  /** The bundle has an address of the network or of the file system. */
  'listening',
  /** A process received a signal or has ended. */
  'signalled',
  /** There is a process that was not there. */
  'started',
  /** The bundle runs on with more than it may have. */
  'outgrown',
] as const;
export type FactKind = (typeof FACT_KINDS)[number];

/** What came of an attempt. */
export interface Verdict {
  readonly category: string;
  readonly title: string;
  /** The result or the error inside of the bundle; `ended` when its process ended. */
  readonly outcome: string;
  readonly facts: readonly Fact[];
}
