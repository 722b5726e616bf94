import path from 'node:path';

import type { Report, Subject } from '../subject.ts';
import type { KeptState } from './description.ts';
import { prepareState } from './scenarios.ts';

/** The report of a run; it is complete at the end only, before that it holds the outcome alone. */
export interface StateReport extends Report {
  /** Errors of the run itself. */
  readonly objections?: readonly string[];
  readonly state?: KeptState;
}

/** The stores of configuration and identities. */
export const state: Subject<StateReport> = {
  name: 'state',
  program: path.join(import.meta.dirname, 'operation.ts'),
  // Not `write`: almost all of them wake threads, and data that they write to files is synced before it counts.
  calls: ['openat', 'pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'rename', 'unlink'],
  prepareScenarios: prepareState,
  describe: (_directory, report) => report.state,
  inspect: (_directory, { objections = [] }) => objections,
  listObjections: (report) => report?.objections ?? [],
  findPromise(report) {
    if (report === undefined) return undefined;
    return report.outcome === 'COMPLETED' ? 'after' : 'before';
  },
};
