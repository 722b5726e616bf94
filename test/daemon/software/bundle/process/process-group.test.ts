import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import {
  listProcessGroup,
  RecentGroups,
} from '../../../../../daemon/software/bundle/process/process-group.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

/** Starts a shell as the leader of a group, with a child of its own. */
async function startGroup(t: TestContext): Promise<ChildProcess & { readonly pid: number }> {
  const leader = spawn('/bin/sh', ['-c', 'sleep 60 & echo begun; wait'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(leader.stdout, 'data');
  assert.ok(leader.pid !== undefined);
  const { pid } = leader;
  t.after(() => {
    if (listProcessGroup(pid).length > 0) process.kill(-pid, 'SIGKILL');
  });
  return Object.assign(leader, { pid });
}

async function end(leader: ChildProcess & { readonly pid: number }): Promise<void> {
  const ended = once(leader, 'exit');
  process.kill(-leader.pid, 'SIGKILL');
  await ended;
}

test('a process group is listed with its leader and the children of it, and no other process', async (t) => {
  const [leader, other] = [await startGroup(t), await startGroup(t)];
  const members = listProcessGroup(leader.pid);
  assert.equal(members.length, 2);
  assert.ok(members.includes(leader.pid));
  assert.equal(listProcessGroup(other.pid).length, 2);
  assert.ok(!members.includes(process.pid));
});

test('recent groups are those of half a second ago at most', async (t) => {
  const clock = new ManualClock();
  const groups = new RecentGroups(clock);
  const first = await startGroup(t);
  assert.equal(groups.list(first.pid).length, 2);
  const second = await startGroup(t);
  await end(first);
  clock.advance(500);
  assert.equal(groups.list(first.pid).length, 2);
  assert.deepEqual(groups.list(second.pid), []);
  clock.advance(1);
  assert.ok(!groups.list(first.pid).includes(first.pid));
  assert.equal(groups.list(second.pid).length, 2);
});
