import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

import { foreignShareBetween, readMachineTime } from './machine-time.ts';

const BUSY = 'const end = Date.now() + 300; while (Date.now() < end);';

test('this process and what it has started are no foreign work', async () => {
  const running = spawn(process.execPath, ['-e', `${BUSY} console.log(); setInterval(() => {}, 1000);`]);
  await once(running.stdout, 'data');
  const foreign = [...readMachineTime().foreign.keys()];
  running.kill();
  await once(running, 'exit');
  for (const pid of [process.pid, running.pid])
    assert.ok(!foreign.some((name) => name.startsWith(`${pid} `)));
  assert.ok(foreign.some((name) => name.startsWith(`${process.ppid} `)));
});

test('what others and the hypervisor used counts, and only that', () => {
  const before = {
    all: 1000,
    stolen: 10,
    foreign: new Map([
      ['7 1', 100],
      ['8 1', 50],
    ]),
  };
  const after = {
    all: 1400,
    stolen: 50,
    foreign: new Map([
      ['7 1', 120],
      ['9 1', 20],
      ['8 1', 50],
    ]),
  };
  assert.equal(foreignShareBetween(before, after), 0.2);
  assert.equal(foreignShareBetween(before, { ...before, all: 1100 }), 0);
});
