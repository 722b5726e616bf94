import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../../../daemon/base/errors.ts';
import { DeviceStatus } from '../../../daemon/channel/device-status.ts';

class Silence extends GatewayError {}

function createStatus() {
  return new DeviceStatus({
    name: 'scale',
    clock: { epochMs: () => 5000 },
    counters: ['reads', 'silences'],
    interpret: (error) => (error instanceof Silence ? { counter: 'silences', isGone: true } : {}),
  });
}

test('an unknown device has no entry', () => {
  assert.deepEqual(createStatus().unitStatus(), []);
});

test('a device that answered is ANSWERING, with its counters in the order given', () => {
  const status = createStatus();
  status.count('reads');
  status.noteAnswer();
  const [unit] = status.unitStatus();
  assert.equal(unit?.name, 'scale');
  assert.equal(unit.state, 'ANSWERING');
  assert.equal(unit.lastError, undefined);
  assert.deepEqual(Object.entries(unit.counters), [
    ['reads', 1],
    ['silences', 0],
  ]);
});

test('an error that may mean the device is gone is counted and ends ANSWERING', () => {
  const status = createStatus();
  status.noteAnswer();
  status.noteFailure(new Silence({ code: 'MODBUS_NO_RESPONSE', detail: 'no answer' }));
  const [unit] = status.unitStatus();
  assert.equal(unit?.state, 'UNKNOWN');
  assert.equal(unit.lastError, 'no answer');
  assert.equal(unit.lastErrorAtMs, 5000);
  assert.deepEqual(status.counters(), { reads: 0, silences: 1 });
});

test('another error is shown, and the device stays ANSWERING', () => {
  const status = createStatus();
  status.noteAnswer();
  status.noteFailure(new GatewayError({ code: 'REFUSED', detail: 'not writable' }));
  const [unit] = status.unitStatus();
  assert.equal(unit?.state, 'ANSWERING');
  assert.equal(unit.lastError, 'not writable');
});

test('an error that is not a gateway error is not shown', () => {
  const status = createStatus();
  status.noteFailure(new TypeError('a defect'));
  assert.deepEqual(status.unitStatus(), []);
});

test('the loss of the connection ends ANSWERING', () => {
  const status = createStatus();
  status.noteAnswer();
  status.noteLoss(new GatewayError({ code: 'MODBUS_LINK_LOST', detail: 'the cable is out' }));
  const [unit] = status.unitStatus();
  assert.equal(unit?.state, 'UNKNOWN');
  assert.equal(unit.lastError, 'the cable is out');
});
