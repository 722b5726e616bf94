import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appendCrc } from '../../../../drivers/modbus/pdu/crc.ts';
import { LateResponseGuard } from '../../../../drivers/modbus/link/late-response-guard.ts';
import type { LateResponse } from '../../../../drivers/modbus/link/modbus-client.ts';
import { rtuFraming, ReceivedBytes } from '../../../../drivers/modbus/pdu/serial-framing.ts';
import { UnexpectedFrames } from '../../../../drivers/modbus/link/unexpected-frames.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const FRAME_OF_UNIT_2 = appendCrc(2, Buffer.from([3, 2, 0, 7]));

function createStrays() {
  const log: string[] = [];
  const clock = new ManualClock();
  const settling = new LateResponseGuard(clock, () => 100);
  const events = {
    onLost: () => log.push('lost'),
    onCount: (counter: string) => log.push(counter),
    onLateProbeResponse: ({ request, exceptionCode }: LateResponse) =>
      log.push(`probe of ${request.unitId}: ${exceptionCode ?? 'answer'}`),
  };
  return {
    clock,
    strays: new UnexpectedFrames({ clock, events, framing: rtuFraming, settling }),
    settling,
    log,
  };
}

test('a whole frame of a unit that owes no answer is foreign, and holds no unit back', () => {
  const { strays, settling, clock, log } = createStrays();
  settling.begin(5);
  clock.advance(90);
  const received = new ReceivedBytes();
  strays.push(FRAME_OF_UNIT_2.subarray(0, 3), received, true);
  assert.equal(settling.remainingMs(5), 100);
  strays.push(FRAME_OF_UNIT_2.subarray(3), received, false);
  assert.deepEqual([settling.remainingMs(2), settling.remainingMs(5)], [0, 10]);
  assert.equal(received.length, 0);
  assert.deepEqual(log, ['lateFrames', 'foreignFrames']);
});

test('a whole frame of a unit that owes an answer is late, and its silence begins again', () => {
  const { strays, settling, clock, log } = createStrays();
  settling.begin(2);
  clock.advance(90);
  strays.push(FRAME_OF_UNIT_2, new ReceivedBytes(), true);
  assert.equal(settling.remainingMs(2), 100);
  assert.deepEqual(log, ['lateFrames']);
});

test('a request of another master is foreign, whoever owes an answer', () => {
  const { strays, settling, log } = createStrays();
  settling.begin(2);
  strays.push(appendCrc(2, Buffer.from([3, 0, 0, 0, 2])), new ReceivedBytes(), true);
  assert.deepEqual(log, ['lateFrames', 'foreignFrames']);
});

test('bytes that never end hold a unit back for five silences at most', () => {
  const { strays, settling, clock } = createStrays();
  settling.begin(5);
  const received = new ReceivedBytes();
  for (let ms = 0; ms < 490; ms += 10) {
    clock.advance(10);
    strays.push(Buffer.from([0xa5]), received, false);
    assert.ok(settling.has(5), `after ${ms} ms`);
  }
  clock.advance(10);
  strays.push(Buffer.from([0xa5]), received, false);
  assert.equal(settling.has(5), false);
});

test('bytes behind a pause are counted as a separate frame', () => {
  const { strays, log } = createStrays();
  const received = new ReceivedBytes();
  strays.push(FRAME_OF_UNIT_2.subarray(0, 3), received, true);
  strays.push(FRAME_OF_UNIT_2.subarray(0, 2), received, true);
  assert.equal(received.length, 2);
  assert.deepEqual(log, ['lateFrames', 'lateFrames']);
});

const MISSED = {
  request: { unitId: 2, functionCode: 3, offset: 0, quantity: 1 },
  expected: { unitId: 2, functionCode: 3, pduBytes: 4 },
  sentMs: 0,
} as const;

test('the late answer to a probe is reported once', () => {
  const { strays, log } = createStrays();
  strays.recordMissedProbe(MISSED);
  strays.recordFrame({ unitId: 3, pdu: Buffer.from([3, 2, 0, 7]), start: 0 });
  strays.push(FRAME_OF_UNIT_2, new ReceivedBytes(), true);
  strays.recordFrame({ unitId: 2, pdu: Buffer.from([3, 2, 0, 7]), start: 0 });
  assert.deepEqual(log, ['lateFrames', 'foreignFrames', 'lateFrames', 'probe of 2: answer', 'lateFrames']);
});

test('a late exception to a probe is reported with its code', () => {
  const { strays, log } = createStrays();
  strays.recordMissedProbe(MISSED);
  strays.recordFrame({ unitId: 2, pdu: Buffer.from([0x83, 0x0b]), start: 0 });
  assert.deepEqual(log, ['lateFrames', 'probe of 2: 11']);
});
