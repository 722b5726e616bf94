import { readFileSync } from 'node:fs';
import path from 'node:path';

import { systemClock } from '../../../daemon/base/clock.ts';
import { createLogger } from '../../../daemon/base/logger.ts';
import { openStore } from '../../../daemon/base/store/store.ts';
import { DeploymentAdmin } from '../../../daemon/software/deployment/deployment-admin.ts';
import { isPending } from '../../../daemon/software/deployment/operation/operation.ts';
import { deploymentMigrations } from '../../../daemon/software/deployment/operation/operation-store.ts';
import { RecordingBundleControl } from '../../support/recording-bundle-control.ts';

// One run of the package installation, in a process that may be killed at any moment: `operation.ts DIRECTORY OPERATION ARGUMENT`.
// `start` only starts and stops; `install URL`, `send FILE` and `uninstall NAME` do one operation. The last line on standard
// output names the installed packages, the running bundles, and how the operation ended.
const [directory = '', operation = '', argument = ''] = process.argv.slice(2);

const store = openStore(path.join(directory, 'penstock.db'), [deploymentMigrations]);
const control = new RecordingBundleControl();
const finished: string[] = [];
let wake = Promise.withResolvers<void>();
const admin = new DeploymentAdmin({
  directory: path.join(directory, 'packages'),
  store,
  control,
  settings: () => ({
    maximumPackageBytes: 67_108_864,
    fileSourceDirectories: [path.dirname(directory)],
    signaturePolicy: 'off',
    trustedSignersFile: null,
    marketplaceUrl: '',
  }),
  onFinished({ state, message }) {
    finished.push(`${state} ${message ?? ''}`.trim());
    wake.resolve();
    wake = Promise.withResolvers();
  },
  clock: systemClock,
  logger: createLogger({
    level: () => 'info',
    write: (line) => process.stderr.write(line),
    epochMs: () => Date.now(),
    journalPriorities: false,
  }),
});
await admin.start();
try {
  if (operation !== 'start') await begin();
} catch (error) {
  finished.push(`REFUSED ${String(error)}`);
}
// Operations that an earlier run accepted are carried out as well.
while (admin.operations().some(isPending)) await wake.promise;
const outcome = finished.join(', ');
const running = [...control.running.keys()].sort();
process.stdout.write(`${JSON.stringify({ list: admin.list(), running, outcome })}\n`);
await admin.stop();
store.close();

async function begin(): Promise<void> {
  if (operation === 'install') admin.install(argument, {});
  else if (operation === 'uninstall') admin.uninstall(argument, {});
  else await admin.installReceived(await admin.receive(readChunks(argument)), {});
}

async function* readChunks(file: string): AsyncGenerator<Uint8Array> {
  yield readFileSync(file);
  await Promise.resolve();
}
