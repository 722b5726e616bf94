import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';

import type { Scenario } from './scenario.ts';
import type { InvariantBroken } from './world/invariants.ts';
import type { KeptFault } from './world/truth.ts';
import type { WorldRun } from './world.ts';

/** The parts of a run that another process can return. */
export interface SeparateRun extends Omit<WorldRun, 'broken' | 'faults' | 'lines'> {
  readonly broken: Pick<InvariantBroken, 'invariant' | 'atMs' | 'message'> | undefined;
  readonly faults: readonly KeptFault[];
}

const PROGRAM = path.join(import.meta.dirname, 'separate-world-process.ts');
// Beyond what the worlds of a test take, on a busy machine.
const LIMIT_MS = 400_000;

/**
 * Runs worlds in a process of their own, one after the other. The test runner follows every promise of its process, which
 * makes a world take about a fifth more processor time there.
 */
export function runSeparateWorlds(scenarios: readonly Scenario[]): readonly SeparateRun[] {
  const { status, stdout, stderr, signal } = spawnSync(process.execPath, [PROGRAM], {
    // What one thread begins first ends first.
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
    input: JSON.stringify(scenarios),
    encoding: 'utf8',
    timeout: LIMIT_MS,
    maxBuffer: Infinity,
  });
  assert.equal(status, 0, stderr || (signal ?? ''));
  return JSON.parse(stdout) as readonly SeparateRun[];
}

/** Runs one world in a process of its own. */
export function runSeparateWorld(scenario: Scenario): SeparateRun {
  return runSeparateWorlds([scenario])[0] ?? assert.fail('there is no run');
}
