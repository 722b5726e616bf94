import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';

import type { AuditReport } from '../../../../../daemon/security/audit/audit-event.ts';
import { LocalCommandAudit } from '../../../../../daemon/server/http/connection/local-command-audit.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

const access = (target: string, outcome: AuditReport['outcome'] = 'SUCCESS'): AuditReport => ({
  event: 'LOCAL_ACCESS',
  outcome,
  method: 'local',
  target,
});

function start() {
  const records: AuditReport[] = [];
  const clock = new ManualClock();
  const uses = new LocalCommandAudit(
    (report) => records.push(report),
    () => clock.monotonicMs(),
  );
  return { records, clock, uses, socket: new Socket() };
}

async function close(socket: Socket): Promise<void> {
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
}

test('the requests of a connection are recorded as one event when it ends', async () => {
  const { records, uses, socket } = start();
  uses.note(socket, access('/a'));
  uses.note(socket, access('/b'));
  uses.note(socket, access('/b', 'FAILURE'));
  assert.deepEqual(records, []);
  await close(socket);
  assert.deepEqual(records, [{ ...access('/a', 'FAILURE'), detail: { requests: 3, otherTargets: '/b' } }]);
});

test('a failure is not hidden by what succeeds on the same connection afterwards', async () => {
  const { records, uses, socket } = start();
  uses.note(socket, access('/a', 'FAILURE'));
  uses.note(socket, access('/b'));
  await close(socket);
  assert.deepEqual(
    records.map(({ outcome }) => outcome),
    ['FAILURE'],
  );
});

test('one request alone is recorded as it is, on a connection that is gone as well', async () => {
  const { records, uses, socket } = start();
  await close(socket);
  uses.note(socket, access('/a'));
  assert.deepEqual(records, [{ ...access('/a'), detail: {} }]);
});

test('a connection one request of which has an event of its own has no other', async () => {
  const { records, uses, socket } = start();
  uses.note(socket, access('/a'));
  uses.show(socket);
  uses.note(socket, access('/b'));
  await close(socket);
  assert.deepEqual(records, []);
});

test('a connection that goes on for long is recorded once a minute', async () => {
  const { records, clock, uses, socket } = start();
  uses.note(socket, access('/a'));
  clock.advance(60_000);
  uses.note(socket, access('/b'));
  assert.deepEqual(
    records.map(({ target }) => target),
    ['/a'],
  );
  await close(socket);
  assert.deepEqual(
    records.map(({ target }) => target),
    ['/a', '/b'],
  );
});

test('of many targets a few are named', async () => {
  const { records, uses, socket } = start();
  for (let index = 0; index < 10; index += 1) uses.note(socket, access(`/${index}`));
  await close(socket);
  assert.equal(records[0]?.detail?.['otherTargets'], '/1, /2, /3, /4, /5 and 4 more');
});
