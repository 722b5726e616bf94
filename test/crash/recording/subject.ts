import path from 'node:path';

import type { Command, Report, Subject } from '../subject.ts';

/** The report of a run. */
export interface RecordingReport extends Report {
  /** Errors that a start has found. */
  readonly objections?: readonly string[];
  /** The recorded values, in order; of a start only. */
  readonly values?: readonly number[];
}

const FRAMES: readonly Command[] = [['append'], ['append'], ['append']];
const SEGMENTS: readonly Command[] = [['rotate'], ['rotate'], ['rotate']];

/** The journal of recorded samples. */
export const recording: Subject<RecordingReport> = {
  name: 'recording',
  program: path.join(import.meta.dirname, 'operation.ts'),
  calls: ['openat', 'write', 'pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'rename', 'unlink', 'mkdir'],
  prepareScenarios: () => [
    { name: 'first frame', preparation: [], operation: ['append'] },
    { name: 'append', preparation: FRAMES, operation: ['append'] },
    { name: 'rotate', preparation: FRAMES, operation: ['rotate'] },
    {
      name: 'acknowledge',
      preparation: [...FRAMES, ['acknowledge'], ...SEGMENTS],
      operation: ['acknowledge'],
    },
    { name: 'trim', preparation: SEGMENTS, operation: ['trim'] },
    { name: 'recover', preparation: [...FRAMES, ['tear']], operation: ['recover'] },
  ],
  // Between its two ends a deletion has deleted some of the segments, the oldest first.
  describe: (_directory, { values = [] }) => values.at(-1),
  inspect: (_directory, { objections = [] }) => objections,
  listObjections: (report) => report?.objections ?? [],
  // A frame that was refused may be on disk all the same.
  findPromise: (report) => (report?.outcome === 'COMPLETED' ? 'after' : undefined),
};
