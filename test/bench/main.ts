import { constants } from 'node:os';

import { readToolOptions } from '../../packaging/tool-options.ts';
import { measureAgainst } from './against.ts';
import { findCommit } from './checkout.ts';
import { chooseScenarios, findChoiceFault, isStored } from './choice.ts';
import { measureScenarios } from './run.ts';
import { readReport } from './report.ts';
import { isComparable } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { estimateDuration } from './stored-table.ts';

const comparable = scenarios.filter(isComparable);
const names = scenarios.map(({ name }) => name);
const USAGE = `Usage: npm run bench -- [--quick] [--only NAME]... [--store] [--plan] [--watch MINUTES]
       npm run bench -- --changed [--since COMMIT] [--quick] [--plan]
       npm run bench -- --against COMMIT [--quick] [--only NAME]...

  --quick           shorter rounds and fewer of them; for a first look, never stored
  --only NAME       one scenario of: ${names.join(', ')}
  --store           puts the rows of --only into the table as well
  --changed         the scenarios whose measured files changed since their last stored run, or that have none
  --since COMMIT    with --changed: since this commit instead
  --plan            prints which scenarios would run, why, and how long they took the last time
  --watch MINUTES   how long memory is watched, where it must not grow; 1 unless given
  --against COMMIT  measures this version and that of COMMIT in turn, by the scenarios: ${comparable.map(({ name }) => name).join(', ')}

The table is in docs/dev/performance.md. After each scenario of a whole run, of --changed and of --store, its rows replace those of its last
run, and all others stay with their date and commit. Exit status: 1 when a figure is beyond its gate, worse than that of
COMMIT, or when a scenario failed; a figure that the machine is too noisy to tell from its gate does not count.
`;

const values = readToolOptions(
  USAGE,
  {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    store: { type: 'boolean', default: false },
    changed: { type: 'boolean', default: false },
    since: { type: 'string' },
    plan: { type: 'boolean', default: false },
    watch: { type: 'string', default: '1' },
    against: { type: 'string' },
  },
  (choice) =>
    Number(choice.watch) > 0 && Number.isFinite(Number(choice.watch))
      ? findChoiceFault(
          choice,
          names,
          comparable.map(({ name }) => name),
        )
      : `--watch ${choice.watch}: expected a number of minutes above 0`,
);
const pace = values.quick ? 'quick' : 'full';
const watchMinutes = Number(values.watch);
/** What a signal has to end. */
let closeAll: () => Promise<void> = () => Promise.resolve();
const onOpen = (close: () => Promise<void>): void => {
  closeAll = close;
};

const stopped = new Promise<number>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => resolve(128 + constants.signals[signal]));
  }
});
const work = values.against === undefined ? measure() : compareAll(values.against);
const status = await Promise.race([work, stopped]);
// What a signal cut off fails in its own way.
work.catch(() => undefined);
await closeAll();
process.exit(status);

function compareAll(against: string): Promise<number> {
  const chosen = comparable.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
  const commit = findCommit(against) ?? '';
  return measureAgainst(commit, { name: against, pace, watchMinutes, scenarios: chosen, onOpen });
}

async function measure(): Promise<number> {
  const { runs } = await readReport();
  const chosen = chooseScenarios(values, scenarios, runs);
  for (const { scenario, reason } of chosen) {
    if (reason !== undefined) process.stderr.write(`${scenario.name}: ${reason}\n`);
  }
  const { seconds, unknown } = estimateDuration(
    runs,
    chosen.map(({ scenario }) => scenario.name),
  );
  const minutes = Math.ceil(seconds / 60);
  const untimed = unknown.length === 0 ? '' : `, and the time of ${unknown.length} without one`;
  process.stderr.write(`${chosen.length} scenarios: ${minutes} min by their last runs${untimed}\n`);
  if (values.plan || chosen.length === 0) return 0;
  return measureScenarios(
    chosen.map(({ scenario }) => scenario),
    { pace, watchMinutes, onOpen, names, isStored: isStored(values) },
  );
}
