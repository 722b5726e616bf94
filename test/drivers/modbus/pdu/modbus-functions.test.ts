import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  countEntryBytes,
  countRequestEntries,
  isRead,
  toProbe,
} from '../../../../drivers/modbus/pdu/modbus-functions.ts';
import type { ModbusRequest } from '../../../../drivers/modbus/pdu/request.ts';

const TARGET = { unitId: 1, offset: 7 } as const;

const REQUESTS: readonly ModbusRequest[] = [
  { ...TARGET, functionCode: 1, quantity: 19 },
  { ...TARGET, functionCode: 2, quantity: 22 },
  { ...TARGET, functionCode: 3, quantity: 3 },
  { ...TARGET, functionCode: 4, quantity: 2 },
  { ...TARGET, functionCode: 5, state: true },
  { ...TARGET, functionCode: 6, register: 3 },
  { ...TARGET, functionCode: 15, states: Array<boolean>(10).fill(true) },
  { ...TARGET, functionCode: 16, registers: Buffer.alloc(4) },
  { ...TARGET, functionCode: 22, andMask: 0xf2, orMask: 0x25 },
];

test('a probe reads one entry of the table that the request was for', () => {
  const probes = REQUESTS.map(toProbe);
  assert.deepEqual(
    probes.map(({ functionCode }) => functionCode),
    [1, 2, 3, 4, 1, 3, 1, 3, 3],
  );
  for (const { unitId, offset, quantity } of probes) {
    assert.deepEqual({ unitId, offset, quantity }, { ...TARGET, quantity: 1 });
  }
});

test('countRequestEntries counts the entries that each request touches', () => {
  assert.deepEqual(REQUESTS.map(countRequestEntries), [19, 22, 3, 2, 1, 1, 10, 2, 1]);
});

test('isRead tells reads from writes', () => {
  const reads = REQUESTS.filter(isRead);
  assert.deepEqual(
    reads.map(({ functionCode }) => functionCode),
    [1, 2, 3, 4],
  );
});

test('countEntryBytes packs eight bits to a byte and counts two bytes for a register', () => {
  assert.deepEqual(
    [1, 8, 9].map((quantity) => countEntryBytes('COILS', quantity)),
    [1, 1, 2],
  );
  assert.equal(countEntryBytes('INPUT_REGISTERS', 125), 250);
});
