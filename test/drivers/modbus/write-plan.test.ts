import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planWrites, toMultipleWrite } from '../../../drivers/modbus/write-plan.ts';
import type { EncodedWrite } from '../../../drivers/modbus/write-plan.ts';

function registers(offset: number, hex: string, unitId = 1): EncodedWrite {
  return { kind: 'REGISTERS', unitId, offset, registers: Buffer.from(hex, 'hex') };
}

function coil(offset: number, state: boolean): EncodedWrite {
  return { kind: 'COIL', unitId: 1, offset, state };
}

test('neighbours in ascending order are joined, values of any size', () => {
  assert.deepEqual(planWrites([registers(4, '0001'), registers(5, '00020003'), registers(7, '0004')]), [
    {
      request: { functionCode: 16, unitId: 1, offset: 4, registers: Buffer.from('0001000200030004', 'hex') },
      indices: [0, 1, 2],
    },
  ]);
});

test('one register is written by function 6, one of two registers by function 16', () => {
  const functions = planWrites([registers(1, '1234'), registers(9, '12345678')]).map(
    ({ request }) => request.functionCode,
  );
  assert.deepEqual(functions, [6, 16]);
});

test('one coil is written by function 5, neighbours by function 15', () => {
  assert.deepEqual(
    planWrites([coil(1, true), coil(3, true), coil(4, false)]).map(({ request }) => request),
    [
      { functionCode: 5, unitId: 1, offset: 1, state: true },
      { functionCode: 15, unitId: 1, offset: 3, states: [true, false] },
    ],
  );
});

test('a bit of a register is written by mask and leaves the other bits', () => {
  const bit = { kind: 'BIT', unitId: 1, offset: 4, mask: 0x0200 } as const;
  assert.deepEqual(
    planWrites([
      { ...bit, state: true },
      { ...bit, state: false },
    ]).map(({ request }) => request),
    [
      { functionCode: 22, unitId: 1, offset: 4, andMask: 0xfdff, orMask: 0x0200 },
      { functionCode: 22, unitId: 1, offset: 4, andMask: 0xfdff, orMask: 0 },
    ],
  );
});

test('the order given is kept: descending neighbours and repeated registers are not joined', () => {
  const offsets = planWrites([registers(5, '0001'), registers(4, '0002'), registers(4, '0003')]).map(
    ({ request }) => request.offset,
  );
  assert.deepEqual(offsets, [5, 4, 4]);
});

test('writes are never joined across units, tables or gaps', () => {
  const writes = [registers(1, '0001'), registers(2, '0001', 2), coil(3, true), registers(4, '0001', 2)];
  assert.equal(planWrites(writes).length, 4);
});

test('a request carries at most 123 registers', () => {
  const writes = Array.from({ length: 124 }, (_, offset) => registers(offset, '0001'));
  assert.deepEqual(
    planWrites(writes).map(({ indices }) => indices.length),
    [123, 1],
  );
});

test('a request carries at most 1968 coils', () => {
  const writes = Array.from({ length: 1970 }, (_, offset) => coil(offset, true));
  assert.deepEqual(
    planWrites(writes).map(({ indices }) => indices.length),
    [1968, 2],
  );
});

test('toMultipleWrite has no other form for a mask write', () => {
  const request = { functionCode: 22, unitId: 1, offset: 4, andMask: 0, orMask: 0 } as const;
  assert.equal(toMultipleWrite(request), undefined);
});
