import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DeliveryLog } from '../../../../bundles/penstock-sparkplug/delivery/delivery-log.ts';

test('without a window what has arrived is delivered', () => {
  const log = new DeliveryLog(10, 0);
  log.complete({ after: 10, upTo: 20 }, 0);
  assert.equal(log.settle(0), 20);
  assert.deepEqual(log.missing(25), [{ after: 20, upTo: 25 }]);
});

test('what has arrived counts as delivered after the window', () => {
  const log = new DeliveryLog(0, 90);
  log.complete({ after: 0, upTo: 5 }, 0);
  log.complete({ after: 5, upTo: 8 }, 50);
  assert.equal(log.settle(89), 0);
  assert.equal(log.settle(90), 5);
  assert.equal(log.settle(140), 8);
  assert.deepEqual(log.missing(8), []);
});

test('a loss of the host makes missing what arrived within the window, and keeps older islands', () => {
  const log = new DeliveryLog(0, 90);
  // Live samples arrive before the backlog does.
  log.complete({ after: 50, upTo: 60 }, 0);
  log.complete({ after: 0, upTo: 10 }, 80);
  const after = log.withoutRecent(100);
  assert.deepEqual(after.missing(60), [{ after: 0, upTo: 50 }]);
  assert.deepEqual(log.missing(60), [{ after: 10, upTo: 50 }]);
});

test('what arrives after the loss belongs to the log before it, and is missing in the one that goes on', () => {
  const log = new DeliveryLog(0, 90);
  const after = log.withoutRecent(10);
  log.complete({ after: 0, upTo: 5 }, 11);
  assert.deepEqual(after.missing(5), [{ after: 0, upTo: 5 }]);
  after.complete({ after: 0, upTo: 5 }, 12);
  assert.equal(after.settle(200), 5);
});

test('the window does not move without a connection', () => {
  const log = new DeliveryLog(0, 90);
  log.complete({ after: 0, upTo: 5 }, 0);
  log.pause(50);
  assert.equal(log.settle(500), 0);
  assert.deepEqual(log.withoutRecent(500).missing(5), [{ after: 0, upTo: 5 }]);
  log.resume(1000);
  assert.equal(log.settle(1039), 0);
  assert.equal(log.settle(1040), 5);
});
