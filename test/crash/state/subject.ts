import path from 'node:path';

import type { Report, Subject } from '../subject.ts';
import type { KeptState } from './description.ts';
import { prepareState } from './scenarios.ts';

/** What a run says; all but the outcome at its end only. */
export interface StateReport extends Report {
  /** What is wrong with the run itself. */
  readonly objections?: readonly string[];
  readonly state?: KeptState;
}

/** What keeps configuration and identities. */
export const state: Subject<StateReport> = {
  name: 'state',
  program: path.join(import.meta.dirname, 'operation.ts'),
  // Not `write`: almost all of them wake threads, and what they write to files is synced before it counts.
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
