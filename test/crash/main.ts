import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { describeState, judge } from './oracle.ts';
import type { ExpectedState } from './oracle.ts';
import { prepareScenarios } from './scenario.ts';
import type { Scenario } from './scenario.ts';
import { CALLS, countCalls, run } from './traced-run.ts';
import type { Fault } from './traced-run.ts';

// Cuts off every operation on packages at every system call that changes the medium, and looks at what the next start finds.
// `--points N` takes N points only, spread evenly over all of them, `--offset M` another N; `--only NAME` takes one scenario,
// `--call NAME` one system call.
const { values } = parseArgs({
  options: {
    points: { type: 'string' },
    offset: { type: 'string', default: '0' },
    only: { type: 'string' },
    call: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});

/** A scenario that was run without faults. */
interface Ground {
  readonly scenario: Scenario;
  /** Copy of the state before. */
  readonly origin: string;
  readonly before: ExpectedState;
  readonly after: ExpectedState;
  readonly faults: readonly Fault[];
}

interface Point {
  readonly ground: Ground;
  readonly fault: Fault;
}

const root = mkdtempSync(path.join(tmpdir(), 'penstock-crash-'));
const work = path.join(root, 'work');
const violations: string[] = [];
let runs = 0;
try {
  const scenarios = prepareScenarios(path.join(root, 'packages'));
  const grounds = scenarios.filter(({ name }) => [undefined, name].includes(values.only)).map(prepare);
  const points = grounds.flatMap((ground) => ground.faults.map((fault) => ({ ground, fault })));
  const chosen = choose(points, Number(values.points ?? points.length), Number(values.offset));
  process.stdout.write(`${chosen.length} of ${points.length} points\n`);
  for (const point of chosen) runs += breakAt(point) ? 1 : 0;
} finally {
  rmSync(root, { recursive: true, force: true });
}
process.stdout.write(`${runs} runs, ${violations.length} violations\n`);
process.exitCode = violations.length === 0 && runs > 0 ? 0 : 1;

function choose(points: readonly Point[], count: number, offset: number): readonly Point[] {
  const step = Math.max(1, points.length / count);
  const length = Math.min(count, points.length);
  return Array.from(
    { length },
    (_, index) => points[Math.floor(index * step + offset) % points.length],
  ).filter((point) => point !== undefined);
}

function prepare(scenario: Scenario): Ground {
  const origin = path.join(root, 'before', scenario.name);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  for (const operation of scenario.preparation) expectCompleted(operation);
  const before = start();
  cpSync(work, origin, { recursive: true });
  const calls = countCalls(work, scenario.operation);
  const after = start();
  const faults = (['KILL', 'ENOSPC', 'EIO'] as const).flatMap((kind) =>
    CALLS.filter((call) => [undefined, call].includes(values.call as typeof call | undefined)).flatMap(
      (call) =>
        Array.from({ length: calls.get(call) ?? 0 }, (_, index) => ({ call, number: index + 1, kind })),
    ),
  );
  return { scenario, origin, before, after, faults };
}

/** Runs a scenario with one fault; false when the fault did not take place. */
function breakAt({ ground: { scenario, origin, before, after }, fault }: Point): boolean {
  rmSync(work, { recursive: true, force: true });
  cpSync(origin, work, { recursive: true });
  const broken = run(work, scenario.operation, fault);
  if (!broken.isHit) return false;
  const found = run(work, ['start']);
  const wrong = found.report === undefined ? ['it does not start'] : judge(work, found.report, before, after);
  for (const violation of wrong) {
    const text = `${scenario.name}, ${fault.kind} at ${fault.call} ${fault.number}: ${violation}`;
    violations.push(text);
    process.stdout.write(`VIOLATION ${text}\n`);
    if (values.verbose) process.stdout.write(`${broken.errors}\n${found.errors}\n`);
  }
  return true;
}

function expectCompleted(operation: readonly string[]): void {
  const { report, errors } = run(work, operation);
  if (report?.outcome !== 'COMPLETED')
    throw new Error(`${operation.join(' ')}: ${report?.outcome ?? errors}`);
}

function start(): ExpectedState {
  const { report, errors } = run(work, ['start']);
  if (report === undefined) throw new Error(errors);
  return describeState(work, report);
}
