import path from 'node:path';

import type { Report, Subject } from '../subject.ts';

/** What the keys of a directory are worth. */
export interface KeptKeys {
  /** Of each token that a client holds, in the order in which they were issued. */
  readonly tokens: readonly ('VALID' | 'REFUSED')[];
  /** Position of a token with the key that signs now; `another` for a key that signed none of them. */
  readonly signer: string;
}

/** The report of a run; before its end it holds the outcome alone. */
export interface KeysReport extends Report {
  /** Errors of the run itself. */
  readonly objections?: readonly string[];
  /** Of a start only. */
  readonly kept?: KeptKeys;
}

/** The keys that sign tokens, which the gateway makes by itself. */
export const keys: Subject<KeysReport> = {
  name: 'keys',
  program: path.join(import.meta.dirname, 'operation.ts'),
  calls: ['openat', 'write', 'pwrite64', 'fsync', 'rename', 'unlink', 'mkdir'],
  prepareScenarios: () => [
    { name: 'first key', preparation: [], operation: ['issue'] },
    { name: 'rotate', preparation: [['issue'], ['rotate'], ['issue']], operation: ['rotate'] },
    { name: 'revoke', preparation: [['issue'], ['rotate'], ['issue']], operation: ['revoke'] },
  ],
  describe: (_directory, report) => report.kept,
  inspect: (_directory, { objections = [] }) => objections,
  listObjections: (report) => report?.objections ?? [],
  // A rotation that was refused may be repeated, whichever key signs now.
  findPromise: (report) => (report?.outcome === 'COMPLETED' ? 'after' : undefined),
};
