import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssetStatus } from '../../../../daemon/interface/plant/asset-status.ts';
import { checkDamagedFrames, checkForeignFrames } from '../../../../daemon/cli/doctor/check-assets.ts';

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

test('doctor distinguishes a disturbed line from a wrong checksum setting', () => {
  const statuses = [
    statusOf('noisy', { answers: 200, checksumFaults: 12 }),
    statusOf('wrong', { answers: 0, checksumFaults: 40 }),
    statusOf('wrong', { answers: 0, checksumFaults: 40 }),
    statusOf('good', { answers: 100_000, checksumFaults: 20 }),
    statusOf('other', { answers: 5 }),
  ];
  const findings = checkDamagedFrames(statuses);
  assert.deepEqual(
    findings.map(({ check, state }) => [check, state]),
    [
      ['driver noisy', 'WARNING'],
      ['driver wrong', 'WARNING'],
    ],
  );
  assert.match(findings[0]?.advice ?? '', /cable/);
  assert.match(findings[1]?.advice ?? '', /compare checksum/);
});
