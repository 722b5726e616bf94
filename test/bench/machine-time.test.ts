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
    passed: 2000,
    stolen: 10,
    foreign: new Map([
      ['7 1', { ticks: 100 }],
      ['8 1', { ticks: 50 }],
    ]),
  };
  const after = {
    all: 1400,
    passed: 2300,
    stolen: 50,
    foreign: new Map([
      ['7 1', { ticks: 120 }],
      ['9 1', { ticks: 20 }],
      ['8 1', { ticks: 50 }],
    ]),
  };
  assert.deepEqual(foreignShareBetween(before, after), { all: 0.2, stolen: 0.1 });
  assert.deepEqual(foreignShareBetween(before, { ...before, all: 1100 }), { all: 0, stolen: 0 });
  // Where the machine is mostly idle, what others used is little of the time that passed.
  assert.deepEqual(foreignShareBetween(before, { ...after, passed: 6000 }), { all: 0.02, stolen: 0.01 });
});

test('what a program used before the first reading does not count when it ends', () => {
  const [shell, suite, tool] = ['7 1', '8 1', '9 1'];
  const before = {
    all: 1000,
    passed: 1000,
    stolen: 0,
    foreign: new Map([
      [shell, { ticks: 10 }],
      [suite, { ticks: 300, parent: shell }],
      [tool, { ticks: 200, parent: suite }],
      // Its parent is the first process, which takes time of others as well.
      ['11 1', { ticks: 400 }],
    ]),
  };
  // 30 of the program itself and 10 of its own child, since.
  const after = { all: 1400, passed: 1200, stolen: 0, foreign: new Map([[shell, { ticks: 550 }]]) };
  assert.equal(foreignShareBetween(before, after).all, 0.1);
});
