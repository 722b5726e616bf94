/** Declaration of an error code; texts are Markdown with links from `docs/reference`, where the tables of the codes are generated. */
export type DeclaredCode = DocumentedCode | InternalCode;

interface DocumentedCode {
  /** One phrase. */
  readonly meaning: string;
  /** Action of the reader, as a phrase. */
  readonly remedy: string;
  /** HTTP statuses of responses with this code; absent: the response status has another source. */
  readonly status?: number | readonly number[];
  readonly internal?: undefined;
}

interface InternalCode {
  readonly meaning: string;
  /** Reason that the code is never shown to clients, operators or in the log. */
  readonly internal: string;
  readonly status?: number | readonly number[];
}

/** Tables of error codes. Each file with a table adds its own. Used by the compiler and tests; never loaded at run time. */
export interface ErrorCodeTables {
  readonly base: typeof BASE_CODES;
}

type Table = ErrorCodeTables[keyof ErrorCodeTables];
type CodeIn<T> = T extends T ? keyof T & string : never;
type StatusOf<D> = D extends { readonly status: infer S }
  ? S extends readonly number[]
    ? S[number]
    : S
  : never;
type StatusIn<T> = T extends T ? StatusOf<T[CodeIn<T>]> : never;
type CodeOf<T, Status> = T extends T
  ? { [Code in CodeIn<T>]: Status extends StatusOf<T[Code]> ? Code : never }[CodeIn<T>]
  : never;

/** A code chosen by another process: a bundle or a gateway. Created by a cast where it is received. */
export type ReceivedCode = string & { readonly isReceived: true };

/** A code that a table declares, or that was received. */
export type ErrorCode = CodeIn<ErrorCodeTables[keyof ErrorCodeTables]> | ReceivedCode;

/** An HTTP status of a code in a table. */
export type ErrorStatus = StatusIn<Table>;

/** A code that a table declares with an HTTP status. */
export type ErrorCodeOf<Status extends number> = Status extends Status ? CodeOf<Table, Status> : never;

/** Shared reasons that codes are internal. */
export const AT_START = 'a daemon that does not start prints the sentence, and a reload logs it';
export const PRINTED = 'the command line prints the sentence and ends with a status';

/** Error codes of the store, ports and directories. */
export const BASE_CODES = {
  ADDRESS_REFUSED: {
    meaning: 'the host is a cloud metadata service, which drivers must not contact',
    remedy: 'use the address of the device',
  },
  STORE_DAMAGED: {
    meaning: 'a state file is damaged',
    remedy: '[restore a backup](../how-to/back-up-and-restore.md#restore)',
  },
  STORE_FAILED: { status: 503, meaning: 'the disk failed or is read-only', remedy: 'see the kernel log' },
  STORE_FULL: { status: 503, meaning: 'the disk is full', remedy: 'free disk space' },
  STORE_UNAVAILABLE: { meaning: 'a state file cannot be opened', remedy: 'check permissions' },
  DIRECTORY_UNAVAILABLE: { meaning: 'a directory cannot be created', internal: AT_START },
  PORT_FORBIDDEN: { meaning: 'the daemon is not allowed to open the port', internal: AT_START },
  PORT_IN_USE: { meaning: 'another program uses the port', internal: AT_START },
  PORT_UNAVAILABLE: { meaning: 'the port cannot be opened', internal: AT_START },
  STORE_IN_USE: { meaning: 'another process uses the store', internal: AT_START },
  STORE_TOO_NEW: { meaning: 'a later release wrote the store', internal: AT_START },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
