import assert from 'node:assert/strict';
import { openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { connectServiceManager } from '../../../../daemon/machine/service/service-manager.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

function connect(environment: Record<string, string | undefined>) {
  const logger = createMemoryLogger();
  const manager = connectServiceManager({ environment, processId: 7, monotonicNs: () => 5_000_999n, logger });
  return { manager, logger };
}

test('messages go to the descriptor of the launcher, one write each', (t) => {
  const file = path.join(createTemporaryDirectory(t), 'channel');
  const environment = { PENSTOCK_NOTIFY_FD: String(openSync(file, 'a')), NOTIFY_SOCKET: '/nowhere' };
  const { manager } = connect(environment);
  manager.ready('Serving on ports 443');
  manager.reloading();
  manager.beat();
  manager.stopping();
  assert.equal(
    readFileSync(file, 'utf8'),
    'READY=1\nSTATUS=Serving on ports 443RELOADING=1\nMONOTONIC_USEC=5000WATCHDOG=1STOPPING=1\nSTATUS=Stopping',
  );
});

test('the variables of the protocol are removed from the environment', () => {
  const environment = {
    NOTIFY_SOCKET: '/nowhere',
    WATCHDOG_USEC: '30000000',
    WATCHDOG_PID: '7',
    HOME: '/root',
  };
  connect(environment);
  assert.deepEqual(environment, { HOME: '/root' });
});

test('the watchdog is served only when its messages can be sent and it is meant for this process', () => {
  const WATCHDOG_USEC = '30000000';
  const PENSTOCK_NOTIFY_FD = '1';
  assert.equal(connect({ PENSTOCK_NOTIFY_FD, WATCHDOG_USEC, WATCHDOG_PID: '7' }).manager.watchdogMs, 30_000);
  assert.equal(
    connect({ PENSTOCK_NOTIFY_FD, WATCHDOG_USEC, WATCHDOG_PID: '8' }).manager.watchdogMs,
    undefined,
  );
  assert.equal(connect({ PENSTOCK_NOTIFY_FD }).manager.watchdogMs, undefined);
  assert.equal(
    connect({ NOTIFY_SOCKET: '/x', WATCHDOG_USEC, WATCHDOG_PID: '7' }).manager.watchdogMs,
    undefined,
  );
  assert.equal(connect({}).manager.watchdogMs, undefined);
});

test('a service manager that is gone is reported once, and nothing is thrown', () => {
  const { manager, logger } = connect({ PENSTOCK_NOTIFY_FD: '999999' });
  manager.beat();
  manager.beat();
  assert.deepEqual(
    logger.lines.map(({ event }) => event),
    ['serviceManager.notReached'],
  );
});

test('the reason of a failure is one line that says how many more there are, within the size of a message', (t) => {
  const file = path.join(createTemporaryDirectory(t), 'channel');
  const { manager } = connect({ PENSTOCK_NOTIFY_FD: String(openSync(file, 'a')) });
  manager.failed('penstock.yaml:1: httpx:\tis not a known key\npenstock.yaml:2: y\npenstock.yaml:3: z');
  assert.equal(
    readFileSync(file, 'utf8'),
    'STATUS=penstock.yaml:1: httpx: is not a known key (and 2 more in the log)',
  );
  manager.failed('€'.repeat(5000));
  assert.ok(readFileSync(file).length < 4096);
});
