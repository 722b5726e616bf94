import { findUnknown, readToolOptions } from '../../packaging/tool-options.ts';
import { Bench } from './bench.ts';
import { foreignShareBetween, readMachineTime } from './process-usage.ts';
import { describeRun, formatTable, judge, writeReport } from './report.ts';
import type { Line } from './scenario.ts';
import { scenarios } from './scenarios.ts';

const USAGE = `Usage: npm run bench -- [--quick] [--only NAME]... [--watch MINUTES]

  --quick          shorter rounds and fewer of them; for a first look
  --only NAME      one scenario of: ${scenarios.map(({ name }) => name).join(', ')}
  --watch MINUTES  how long memory is watched, where it must not grow; 1 unless given

The table goes to docs/performance.md unless --only is given. Exit status: 1 when a figure is beyond its gate.
`;

const values = readToolOptions(
  USAGE,
  {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    watch: { type: 'string', default: '1' },
  },
  ({ only, watch }) =>
    Number(watch) > 0
      ? findUnknown(
          '--only',
          only,
          scenarios.map(({ name }) => name),
        )
      : `--watch ${watch}: expected a number of minutes`,
);
const chosen = scenarios.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
process.exitCode = await measureAll(values.quick ? 'quick' : 'full');

async function measureAll(pace: Bench['pace']): Promise<number> {
  const lines: Line[] = [];
  const before = readMachineTime();
  let [requests, failures] = [0, 0];
  for (const scenario of chosen) {
    const bench = new Bench(pace, Number(values.watch));
    const start = performance.now();
    try {
      lines.push(...(await scenario.run(bench)));
    } finally {
      await bench.end();
    }
    requests += bench.tally.requests;
    failures += bench.tally.failures;
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    process.stderr.write(`${scenario.name}: ${seconds} s, ${bench.tally.failures} failed requests\n`);
  }
  lines.sort((a, b) => a.row - b.row);
  lines.push({
    row: 22,
    name: 'failed requests in all of these',
    value: `${failures} of ${requests}`,
    figure: failures,
    unit: '',
    gate: { atMost: 0 },
    goal: { atMost: 0 },
  });
  const foreignShare = foreignShareBetween(before, readMachineTime());
  process.stdout.write(`${formatTable(lines)}\n${describeRun(pace, foreignShare)}\n`);
  if (values.only.length === 0) await writeReport(lines, describeRun(pace, foreignShare));
  return lines.some((line) => judge(line) === 'DEFECT') ? 1 : 0;
}
