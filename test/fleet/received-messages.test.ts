import assert from 'node:assert/strict';
import { test } from 'node:test';

import { encodeSparkplug } from '../support/sparkplug-payload.ts';
import { createReader } from './received-messages.ts';

const place = (verb: string, device = ''): string => `spBv1.0/Fleet/${verb}/north${device}`;

function birth(bdSeq: number): Buffer {
  return encodeSparkplug({
    timestamp: 1,
    seq: 0,
    metrics: [
      { name: 'bdSeq', timestamp: 1, datatype: 4, longValue: bdSeq },
      { name: 'Node Control/Rebirth', timestamp: 1, datatype: 11, booleanValue: false },
    ],
  });
}

const deviceBirth = encodeSparkplug({
  timestamp: 1,
  seq: 1,
  metrics: [{ name: 'level', alias: 7, timestamp: 1, datatype: 10, isNull: true }],
});

function data(seq: number, isHistorical: boolean, values: readonly number[]): Buffer {
  const metrics = values.map((doubleValue) => ({ alias: 7, timestamp: 40, isHistorical, doubleValue }));
  return encodeSparkplug({ timestamp: 50, seq, metrics });
}

test('values of an edge node are the numbers of its samples, and another bdSeq is a connection', () => {
  const reader = createReader('sparkplug');
  assert.equal(reader.read(place('NBIRTH'), birth(3)).isConnection, true);
  assert.equal(reader.read(place('DBIRTH', '/line'), deviceBirth).takenAtMs, undefined);
  assert.deepEqual(reader.read(place('DDATA', '/line'), data(2, false, [5, 6])), {
    gateway: 'north',
    isConnection: false,
    backlog: false,
    samples: [
      { sequence: 5, channel: 'level' },
      { sequence: 6, channel: 'level' },
    ],
    takenAtMs: 40,
  });
  assert.equal(reader.read(place('DDATA', '/line'), data(3, true, [1])).backlog, true);
  assert.equal(reader.read(place('NBIRTH'), birth(3)).isConnection, false);
  assert.equal(reader.read(place('NBIRTH'), birth(4)).isConnection, true);
  assert.deepEqual(reader.violations, []);
});

test('a sequence number that is missing is a broken rule', () => {
  const reader = createReader('sparkplug');
  reader.read(place('NBIRTH'), birth(3));
  reader.read(place('DBIRTH', '/line'), deviceBirth);
  reader.read(place('DDATA', '/line'), data(4, false, [1]));
  assert.deepEqual(reader.violations, ['north: DDATA with seq 4, not 2']);
});

test('a message of penstock-mqtt has its samples, and ONLINE is a connection', () => {
  const reader = createReader('mqtt');
  const samples = [{ sequence: 5, channel: 'level', takenAt: 40 }];
  const read = (message: object) => reader.read('any', Buffer.from(JSON.stringify(message)));
  assert.equal(read({ gateway: 'north', state: 'ONLINE' }).isConnection, true);
  assert.deepEqual(read({ gateway: 'north', samples, backlog: true }), {
    gateway: 'north',
    isConnection: false,
    backlog: true,
    samples,
    takenAtMs: 40,
  });
});
