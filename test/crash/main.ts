import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { findNumberFault, findUnknown, readToolOptions } from '../../packaging/tool-options.ts';
import { keys } from './keys/subject.ts';
import { Matrix } from './matrix.ts';
import type { Ground } from './matrix.ts';
import { packages } from './packages/subject.ts';
import { recording } from './recording/subject.ts';
import { state } from './state/subject.ts';
import type { Subject } from './subject.ts';
import { writes } from './writes/subject.ts';

const SUBJECTS: readonly Subject[] = [packages, state, keys, writes, recording];

const USAGE = `Usage: npm run test:crash -- [OPTION]...

Cuts off every operation on packages, configuration, identities, the keys of tokens and recorded samples, and writes with an
idempotency key, at every system call that changes the disk, and checks the state that the next start finds.

  --points N      N points only, spread evenly over all of them
  --offset M      another N
  --subject NAME  one of: ${SUBJECTS.map(({ name }) => name).join(', ')}
  --only NAME     one scenario; may be repeated
  --call NAME     one system call
  --verbose       what the daemon wrote after each violation
`;

const values = readToolOptions(
  USAGE,
  {
    points: { type: 'string' },
    offset: { type: 'string', default: '0' },
    subject: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    call: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
  ({ points = '1', offset, subject }) => {
    const names = SUBJECTS.map(({ name }) => name);
    return (
      findNumberFault('--points', points, 1, 999_999_999) ??
      findNumberFault('--offset', offset, 0, 999_999_999) ??
      findUnknown('--subject', subject === undefined ? [] : [subject], names)
    );
  },
);

// It takes about a second for each point.
const REPORT_EVERY = 100;

const root = mkdtempSync(path.join(tmpdir(), 'penstock-crash-'));
const matrix = new Matrix(root);
let runs = 0;
let violations = 0;
try {
  const points = SUBJECTS.filter(({ name }) => [undefined, name].includes(values.subject))
    .flatMap(prepareAll)
    .flatMap((ground) => ground.faults.map((fault) => ({ ground, fault })))
    .filter(({ fault }) => [undefined, fault.call].includes(values.call as typeof fault.call | undefined));
  const chosen = choose(points, Number(values.points ?? points.length), Number(values.offset));
  process.stdout.write(`${chosen.length} of ${points.length} points\n`);
  if (points.length === 0) process.stderr.write(`no point fits these options\n\n${USAGE}`);
  for (const { ground, fault } of chosen) {
    const finding = matrix.breakAt(ground, fault);
    runs += finding.isHit ? 1 : 0;
    if (finding.isHit && runs % REPORT_EVERY === 0)
      process.stdout.write(`${runs} runs, ${ground.scenario.name}\n`);
    violations += finding.violations.length;
    for (const violation of finding.violations) {
      const { subject, scenario } = ground;
      const place = `${subject.name}, ${scenario.name}, ${fault.kind} at ${fault.call} ${fault.number}`;
      process.stdout.write(`VIOLATION ${place}: ${violation}\n`);
      if (values.verbose) process.stdout.write(`${finding.errors}\n`);
    }
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
process.stdout.write(`${runs} runs, ${violations} violations\n`);
process.exitCode = violations === 0 && runs > 0 ? 0 : 1;

function prepareAll(subject: Subject): readonly Ground[] {
  return subject
    .prepareScenarios(path.join(root, 'scenarios', subject.name))
    .filter(({ name }) => values.only.length === 0 || values.only.includes(name))
    .map((scenario) => matrix.prepare(subject, scenario));
}

function choose<T>(points: readonly T[], count: number, offset: number): readonly T[] {
  const step = Math.max(1, points.length / count);
  const length = Math.min(count, points.length);
  return Array.from(
    { length },
    (_, index) => points[Math.floor(index * step + offset) % points.length],
  ).filter((point) => point !== undefined);
}
