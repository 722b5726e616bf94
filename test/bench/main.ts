import { constants } from 'node:os';

import { findUnknown, readToolOptions } from '../../packaging/tool-options.ts';
import { Bench } from './bench.ts';
import { findCommit } from './checkout.ts';
import { measureAgainst } from './against.ts';
import { foreignShareBetween, readMachineTime } from './machine-time.ts';
import { describeNoise, describeRun, formatTable, writeReport } from './report.ts';
import { isComparable } from './scenario.ts';
import type { Line } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { judge } from './verdict.ts';
import type { JudgedLine } from './verdict.ts';

// Figures without a requirement come last.
const UNNUMBERED = 1000;
const comparable = scenarios.filter(isComparable);
const USAGE = `Usage: npm run bench -- [--quick] [--only NAME]... [--watch MINUTES]
       npm run bench -- --against COMMIT [--quick] [--only NAME]...

  --quick           shorter rounds and fewer of them; for a first look
  --only NAME       one scenario of: ${scenarios.map(({ name }) => name).join(', ')}
  --watch MINUTES   how long memory is watched, where it must not grow; 1 unless given
  --against COMMIT  measures this version and that of COMMIT in turn, by the scenarios: ${comparable.map(({ name }) => name).join(', ')}

The table goes to docs/dev/performance.md unless --only or --against is given. Exit status: 1 when a figure is beyond its gate,
or worse than that of COMMIT; a figure that the machine is too noisy to tell from its gate does not count.
`;

const values = readToolOptions(
  USAGE,
  {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    watch: { type: 'string', default: '1' },
    against: { type: 'string' },
  },
  ({ only, watch, against }) => {
    if (!(Number(watch) > 0)) return `--watch ${watch}: expected a number of minutes`;
    const unknown = findUnknown(
      '--only',
      only,
      scenarios.map(({ name }) => name),
    );
    if (unknown !== undefined || against === undefined) return unknown;
    if (findCommit(against) === undefined) return `--against ${against}: no such commit in this repository`;
    const alone = only.filter((name) => comparable.every((scenario) => scenario.name !== name));
    return alone.length === 0
      ? undefined
      : `--only ${alone.join(', ')}: cannot compare two versions; those that can: ${comparable.map(({ name }) => name).join(', ')}`;
  },
);
const isChosen = ({ name }: { readonly name: string }): boolean =>
  values.only.length === 0 || values.only.includes(name);
const pace = values.quick ? 'quick' : 'full';
const watchMinutes = Number(values.watch);
/** What a signal has to end. */
let closeAll: () => Promise<void> = () => Promise.resolve();

const stopped = new Promise<number>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => resolve(128 + constants.signals[signal]));
  }
});
const work = values.against === undefined ? measureAll() : compareAll(values.against);
const status = await Promise.race([work, stopped]);
// What a signal cut off fails in its own way.
work.catch(() => undefined);
await closeAll();
process.exit(status);

function compareAll(against: string): Promise<number> {
  return measureAgainst(findCommit(against) ?? '', {
    name: against,
    pace,
    watchMinutes,
    scenarios: comparable.filter(isChosen),
    onOpen: (close) => (closeAll = close),
  });
}

async function measureAll(): Promise<number> {
  const lines: JudgedLine[] = [];
  const before = readMachineTime();
  let [requests, failures] = [0, 0];
  for (const scenario of scenarios.filter(isChosen)) {
    const bench = new Bench({ pace, watchMinutes });
    closeAll = () => bench.end();
    const start = performance.now();
    const idle = readMachineTime();
    try {
      const found = await scenario.run(bench);
      // What was started here loses its parents when it ends, and is not to be told from others then.
      const share = foreignShareBetween(idle, readMachineTime());
      lines.push(...found.map((line) => judge(line, share)));
    } finally {
      await bench.end();
    }
    requests += bench.tally.requests;
    failures += bench.tally.failures;
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    process.stderr.write(`${scenario.name}: ${seconds} s, ${bench.tally.failures} failed requests\n`);
  }
  lines.sort((a, b) => (a.row ?? UNNUMBERED) - (b.row ?? UNNUMBERED));
  const failed: Line = {
    row: 22,
    name: 'failed requests in all of these',
    value: `${failures} of ${requests}`,
    rounds: [failures],
    isUntimed: true,
    unit: '',
    gate: { atMost: 0 },
    goal: { atMost: 0 },
  };
  lines.push(judge(failed, 0));
  const run = [describeRun(pace, foreignShareBetween(before, readMachineTime())), describeNoise(lines)]
    .join('\n')
    .trim();
  process.stdout.write(`${formatTable(lines)}\n${run}\n`);
  if (values.only.length === 0) await writeReport(lines, run);
  return lines.some(({ verdict }) => verdict === 'DEFECT') ? 1 : 0;
}
