import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssetStatus } from '../../../../daemon/interface/plant/asset-status.ts';
import { checkForeignFrames } from '../../../../daemon/cli/doctor/check-assets.ts';

function statusOf(pid: string, counters: Readonly<Record<string, number>>): AssetStatus {
  const driver = { pid, endpoint: '/dev/ttyS1', type: 'modbus', since: 0, counters };
  return { driver: { ...driver, state: 'CONNECTED' }, units: [] };
}

test('doctor says once for each connection that others speak on its line', () => {
  const statuses = ['line1', 'line1', 'line2'].map((pid) =>
    statusOf(pid, { answers: 100, foreignFrames: 12 }),
  );
  const findings = checkForeignFrames(statuses);
  assert.deepEqual(
    findings.map(({ check, state }) => [check, state]),
    [
      ['driver line1', 'WARNING'],
      ['driver line2', 'WARNING'],
    ],
  );
  assert.match(findings[0]?.detail ?? '', /another master, or a unit that sends without a request/);
});

test('a few foreign frames, or none, are no finding', () => {
  const counters = [{}, { answers: 5, foreignFrames: 9 }, { answers: 1_000_000, foreignFrames: 500 }];
  assert.deepEqual(checkForeignFrames(counters.map((each, index) => statusOf(`line${index}`, each))), []);
});
