import path from 'node:path';

import type { Subject } from '../subject.ts';
import { describePackages, inspectPackages } from './oracle.ts';
import type { PackagesReport } from './oracle.ts';
import { preparePackages } from './scenarios.ts';

/** Installs and uninstalls deployment packages. */
export const packages: Subject<PackagesReport> = {
  name: 'packages',
  program: path.join(import.meta.dirname, 'operation.ts'),
  calls: ['write', 'pwrite64', 'fsync', 'fdatasync', 'rename', 'unlink', 'mkdir', 'rmdir'],
  prepareScenarios: preparePackages,
  describe: describePackages,
  inspect: inspectPackages,
  listObjections: () => [],
  // A client may repeat an operation that was reported as failed; an operation that was reported as done is done.
  findPromise: (report) => (report?.outcome.startsWith('COMPLETED') === true ? 'after' : undefined),
};
