import { appendFileSync } from 'node:fs';

import { findNumberFault, readToolOptions } from '../../packaging/tool-options.ts';
import { Bench } from '../bench/bench.ts';
import { describeTable } from './report.ts';
import { chooseWindows, judge } from './judgement.ts';
import { RECORDING_DISK_BYTES, STORE_LOG_BYTES } from './plant.ts';
import { runSoak } from './soak.ts';

const USAGE = `Usage: npm run soak -- [OPTION]...

Lets readers, listeners, writers, recorders, a sender, changes of the configuration, packages, logins, searches and a device that goes and
returns use one gateway at once, and compares memory, descriptors, threads and disk at the end with those after ten minutes. Exit
status: 1 when one of them has grown by more than 2 %, or anything was answered in an unexpected way.

  --minutes N     length of the run, 1 to 99999 (default: 60); under 20 minutes what is compared is closer to the start
  --samples FILE  also write each sample to FILE, as one line of JSON
`;

/** Failures that are written out. */
const MAXIMUM_SHOWN = 30;

const { minutes, samples: file } = readToolOptions(
  USAGE,
  { minutes: { type: 'string', default: '60' }, samples: { type: 'string' } },
  ({ minutes: text }) => findNumberFault('--minutes', text, 1, 99_999),
);

const bench = new Bench({ pace: 'full', watchMinutes: 0 });
let shown = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void bench.end().then(() => process.exit(1)));
}
try {
  const { samples, counts, failures, logged } = await runSoak(bench, {
    minutes: Number(minutes),
    onSample(sample) {
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(sample)}\n`);
    },
    onFailure({ actor, timeMs, message }) {
      shown += 1;
      if (shown <= MAXIMUM_SHOWN)
        process.stderr.write(`${new Date(timeMs).toISOString()} ${actor}: ${message}\n`);
    },
  });
  const ceilings = {
    'disk: recording, KiB': RECORDING_DISK_BYTES / 1024,
    'disk: penstock.db-wal, KiB': STORE_LOG_BYTES / 1024,
  };
  const verdicts = judge(samples, chooseWindows(Number(minutes)), ceilings);
  process.stdout.write(describeTable({ verdicts, counts, logged }));
  process.exitCode = failures.length > 0 || verdicts.some(({ isBroken }) => isBroken) ? 1 : 0;
} finally {
  await bench.end();
}
