import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ConnectionStatus } from '../../../../daemon/plant/asset/connection/connection-status.ts';
import type { UnitStatus } from '../../../../daemon/channel/driver.ts';
import type { GatewayEvent } from '../../../../daemon/server/event/gateway-event.ts';
import { createPlantReporter } from '../../../../daemon/server/event/plant-reporter.ts';

function createBench() {
  const events: GatewayEvent[] = [];
  const reporter = createPlantReporter((event) => events.push(event));
  const note = (state: ConnectionStatus['state'], unit?: UnitStatus, driver = 'line1'): void => {
    const status: ConnectionStatus = {
      state,
      sinceMs: 1,
      lastError: 'refused',
      lastErrorCode: 'CONNECT_FAILED',
      counters: { connects: 3 },
      units: [],
    };
    reporter.note({ driver, endpoint: 'line 1', status, unit });
  };
  return { events, reporter, note };
}

test('a connection that fails repeatedly is one event, and its return another', () => {
  const { events, note } = createBench();
  for (const state of ['CONNECTING', 'CONNECTED'] as const) note(state);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    note('BACKING_OFF');
    note('CONNECTING');
  }
  note('CONNECTED');
  const common = { type: 'CONNECTION_STATE', driver: 'line1', endpoint: 'line 1', counters: { connects: 3 } };
  assert.deepEqual(events, [
    { ...common, state: 'UP' },
    { ...common, state: 'DOWN', cause: 'refused', causeCode: 'CONNECT_FAILED' },
    { ...common, state: 'UP' },
  ]);
});

test('a connection that is closed because it is unused is no event', () => {
  const { events, note } = createBench();
  for (const state of ['CONNECTED', 'DISCONNECTED', 'CONNECTING', 'CONNECTED'] as const) note(state);
  assert.equal(events.length, 1);
});

test('a device that is suspended is an event with its cause and the time of its next probe', () => {
  const { events, note } = createBench();
  const unit = { name: 'unit 7', counters: {} };
  note('CONNECTED', {
    ...unit,
    state: 'SUSPENDED',
    lastError: 'silent',
    lastErrorCode: 'MODBUS_NO_RESPONSE',
    nextProbeAtMs: 9,
  });
  note('CONNECTED', { ...unit, state: 'ANSWERING', lastError: 'silent' });
  note('CONNECTED', { ...unit, state: 'UNKNOWN' });
  const common = { type: 'UNIT_STATE', driver: 'line1', endpoint: 'line 1', unit: 'unit 7' };
  assert.deepEqual(events, [
    { ...common, state: 'SUSPENDED', cause: 'silent', causeCode: 'MODBUS_NO_RESPONSE', nextProbeAt: 9 },
    { ...common, state: 'ANSWERING' },
  ]);
});

test('a connection that is configured again is reported again', () => {
  const { events, reporter, note } = createBench();
  note('BACKING_OFF');
  note('BACKING_OFF', undefined, 'line2');
  reporter.keepOnly(['line2']);
  note('BACKING_OFF');
  note('BACKING_OFF', undefined, 'line2');
  assert.equal(events.length, 3);
});
