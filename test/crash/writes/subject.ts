import path from 'node:path';

import type { Report, Subject } from '../subject.ts';

/** The last report of a run of the program. */
export interface WritesReport extends Report {
  /** The answer is that of an earlier request. */
  readonly isReplayed: boolean;
  readonly text: string;
  /** The answer that the client of an earlier run has got; absent: it was cut off before. */
  readonly before?: string | undefined;
  /** Writes that reached the device, in all runs. */
  readonly wire: number;
}

/** A write with an idempotency key, which the client repeats after each start until it has an answer. */
export const writes: Subject<WritesReport> = {
  name: 'writes',
  program: path.join(import.meta.dirname, 'operation.ts'),
  calls: ['openat', 'write', 'pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'unlink'],
  prepareScenarios: () => [
    { name: 'write', preparation: [], operation: ['write'], restart: ['write'] },
    { name: 'repeat', preparation: [['write']], operation: ['write'], restart: ['write'] },
  ],
  // Whether a write that was cut off was carried out is not known; everything that counts is in the objections.
  describe: () => 'settled',
  inspect: (_directory, report) => findObjections(report),
  listObjections: (report) => (report === undefined ? [] : findObjections(report)),
  findPromise: (report) => (report?.outcome === 'COMPLETED' ? 'after' : undefined),
};

function findObjections({ outcome, isReplayed, text, before, wire }: WritesReport): readonly string[] {
  const objections: string[] = [];
  if (wire > 1) objections.push(`${wire} writes on the wire`);
  if (outcome === 'COMPLETED' && wire !== 1) objections.push('it is said to be written, and is not');
  const wasWritten = before?.includes('"SUCCESS"') === true;
  // A disk that refuses the key is 503; one that refused the record of the answer left an unknown outcome, and it says so.
  const isRefused = outcome.startsWith('503 ') || text.includes('outcome unknown');
  if (wasWritten && !isRefused && !isReplayed) objections.push('an answered write was carried out again');
  if (wasWritten && !isRefused && text !== before) objections.push(`another answer: ${text}`);
  return objections;
}
