import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EchoDetector } from '../../../../drivers/modbus/link/echo-detector.ts';
import { ReceivedBytes } from '../../../../drivers/modbus/pdu/serial-framing.ts';
import type { ModbusRequest } from '../../../../drivers/modbus/pdu/request.ts';

const READ: ModbusRequest = { unitId: 1, functionCode: 3, offset: 0, quantity: 1 };
const WRITE: ModbusRequest = { unitId: 1, functionCode: 6, offset: 0, register: 1 };
const SENT = Buffer.from('request');

function receive(text: string): ReceivedBytes {
  const received = new ReceivedBytes();
  received.push(Buffer.from(text));
  return received;
}

test('a read that comes back is an echo', () => {
  assert.ok(new EchoDetector().detect(READ, SENT, receive('request and more')));
});

test('other bytes are no echo', () => {
  const watch = new EchoDetector();
  assert.ok(!watch.detect(READ, SENT, receive('reques')));
  assert.ok(!watch.detect(READ, SENT, receive('answer request')));
});

test('a write that comes back is its answer, until a read came back', () => {
  const watch = new EchoDetector();
  assert.ok(!watch.detect(WRITE, SENT, receive('request')));
  watch.detect(READ, SENT, receive('request'));
  assert.ok(watch.detect(WRITE, SENT, receive('request')));
});

test('the answer to a write is ambiguous until a read was answered', () => {
  const watch = new EchoDetector();
  assert.ok(watch.isAmbiguous(WRITE));
  assert.ok(!watch.isAmbiguous(READ));
  watch.recordResponse(WRITE);
  assert.ok(watch.isAmbiguous(WRITE));
  watch.recordResponse(READ);
  assert.ok(!watch.isAmbiguous(WRITE));
});
