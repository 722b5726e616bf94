import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WriteRequest } from '../../../../drivers/modbus/pdu/request.ts';
import { planWrites, toMultipleWrite } from '../../../../drivers/modbus/write/write-plan.ts';
import type { EncodedWrite } from '../../../../drivers/modbus/write/write-plan.ts';
import type { WriteRules } from '../../../../drivers/modbus/write/write-rules.ts';

const RULES: WriteRules = {
  writeFunction: 'AUTO',
  bitWrite: 'AUTO',
  joinWrites: true,
  splitValues: false,
  maximumRegisters: 123,
  maximumBits: 1968,
};

function registers(offset: number, hex: string, unitId = 1): EncodedWrite {
  return { kind: 'REGISTERS', unitId, offset, registers: Buffer.from(hex, 'hex'), rules: RULES };
}

function coil(offset: number, state: boolean): EncodedWrite {
  return { kind: 'COIL', unitId: 1, offset, state, rules: RULES };
}

function requestsOf(writes: readonly EncodedWrite[]): readonly WriteRequest[] {
  return planWrites(writes).flatMap(({ requests }) => requests);
}

test('neighbours in ascending order are joined, values of any size', () => {
  const [planned, ...others] = planWrites([
    registers(4, '0001'),
    registers(5, '00020003'),
    registers(7, '0004'),
  ]);
  assert.deepEqual(planned?.indices, [0, 1, 2]);
  assert.deepEqual(planned.requests, [
    { functionCode: 16, unitId: 1, offset: 4, registers: Buffer.from('0001000200030004', 'hex') },
  ]);
  assert.deepEqual(others, []);
});

test('one register is written by function 6, one of two registers by function 16', () => {
  const functions = requestsOf([registers(1, '1234'), registers(9, '12345678')]).map(
    ({ functionCode }) => functionCode,
  );
  assert.deepEqual(functions, [6, 16]);
});

test('one coil is written by function 5, neighbours by function 15', () => {
  assert.deepEqual(requestsOf([coil(1, true), coil(3, true), coil(4, false)]), [
    { functionCode: 5, unitId: 1, offset: 1, state: true },
    { functionCode: 15, unitId: 1, offset: 3, states: [true, false] },
  ]);
});

test('a bit of a register is written by mask and leaves the other bits', () => {
  const bit = { kind: 'BIT', unitId: 1, offset: 4, mask: 0x0200, rules: RULES } as const;
  assert.deepEqual(
    requestsOf([
      { ...bit, state: true },
      { ...bit, state: false },
    ]),
    [
      { functionCode: 22, unitId: 1, offset: 4, andMask: 0xfdff, orMask: 0x0200 },
      { functionCode: 22, unitId: 1, offset: 4, andMask: 0xfdff, orMask: 0 },
    ],
  );
});

test('the order given is kept: descending neighbours and repeated registers are not joined', () => {
  const offsets = requestsOf([registers(5, '0001'), registers(4, '0002'), registers(4, '0003')]).map(
    ({ offset }) => offset,
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

const ofRules = (rules: Partial<WriteRules>, write: EncodedWrite): EncodedWrite => ({
  ...write,
  rules: { ...RULES, ...rules },
});

test('a request carries no more registers and coils than the rules allow', () => {
  const counts = (writes: readonly EncodedWrite[]): readonly number[] =>
    planWrites(writes).map(({ indices }) => indices.length);
  const words = Array.from({ length: 5 }, (_, offset) =>
    ofRules({ maximumRegisters: 2 }, registers(offset, '0001')),
  );
  assert.deepEqual(counts(words), [2, 2, 1]);
  const coils = Array.from({ length: 5 }, (_, offset) => ofRules({ maximumBits: 3 }, coil(offset, true)));
  assert.deepEqual(counts(coils), [3, 2]);
});

test('values of two registers are not cut at a limit of three', () => {
  const writes = [0, 2].map((offset) => ofRules({ maximumRegisters: 3 }, registers(offset, '00010002')));
  assert.deepEqual(
    planWrites(writes).map(({ indices }) => indices),
    [[0], [1]],
  );
});

test('a value that is longer than the limit is cut into parts, the first registers first', () => {
  const long = ofRules({ maximumRegisters: 2, splitValues: true }, registers(10, '00010002000300040005'));
  const [planned] = planWrites([long]);
  assert.deepEqual(planned?.requests, [
    { functionCode: 16, unitId: 1, offset: 10, registers: Buffer.from('00010002', 'hex') },
    { functionCode: 16, unitId: 1, offset: 12, registers: Buffer.from('00030004', 'hex') },
    { functionCode: 6, unitId: 1, offset: 14, register: 5 },
  ]);
});

test('MULTIPLE writes single values by functions 15 and 16', () => {
  const writes = [registers(1, '1234'), coil(9, true)];
  assert.deepEqual(requestsOf(writes.map((write) => ofRules({ writeFunction: 'MULTIPLE' }, write))), [
    { functionCode: 16, unitId: 1, offset: 1, registers: Buffer.from('1234', 'hex') },
    { functionCode: 15, unitId: 1, offset: 9, states: [true] },
  ]);
});

test('without joinWrites neighbours have requests of their own', () => {
  const alone = ofRules({ joinWrites: false }, registers(5, '0002'));
  const functions = requestsOf([registers(4, '0001'), alone, registers(6, '0003')]).map(
    ({ functionCode }) => functionCode,
  );
  assert.deepEqual(functions, [6, 6, 6]);
});

test('neighbours that are written by different functions are not joined', () => {
  const multiple = ofRules({ writeFunction: 'MULTIPLE' }, registers(5, '0002'));
  const functions = requestsOf([registers(4, '0001'), multiple]).map(({ functionCode }) => functionCode);
  assert.deepEqual(functions, [6, 16]);
});

test('toMultipleWrite has no other form for a mask write', () => {
  const request = { functionCode: 22, unitId: 1, offset: 4, andMask: 0, orMask: 0 } as const;
  assert.equal(toMultipleWrite(request), undefined);
});
