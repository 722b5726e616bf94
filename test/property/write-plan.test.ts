import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { applyMask, planWrites, toMultipleWrite } from '../../drivers/modbus/write/write-plan.ts';
import type { EncodedWrite } from '../../drivers/modbus/write/write-plan.ts';
import type { WriteRequest } from '../../drivers/modbus/pdu/request.ts';
import type { WriteRules } from '../../drivers/modbus/write/write-rules.ts';
import { propertyTest } from './property-test.ts';

const rules: fc.Arbitrary<WriteRules> = fc.record({
  writeFunction: fc.constantFrom('AUTO', 'MULTIPLE'),
  bitWrite: fc.constant('MASK'),
  joinWrites: fc.boolean(),
  splitValues: fc.constant(true),
  maximumRegisters: fc.integer({ min: 1, max: 6 }),
  maximumBits: fc.integer({ min: 1, max: 6 }),
});

const registers = fc.uint8Array({ minLength: 1, maxLength: 5 }).map((bytes) => Buffer.concat([bytes, bytes]));
const place = { unitId: fc.integer({ min: 1, max: 2 }), offset: fc.nat(12) };
const value = fc.oneof(
  fc.record({ ...place, kind: fc.constant('COIL' as const), state: fc.boolean() }),
  fc.record({
    ...place,
    kind: fc.constant('COILS' as const),
    states: fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }),
  }),
  fc.record({ ...place, kind: fc.constant('REGISTERS' as const), registers }),
  fc.record({
    ...place,
    kind: fc.constant('BIT' as const),
    mask: fc.nat(15).map((bit) => 1 << bit),
    state: fc.boolean(),
  }),
);

// Bits of one register, some of them again and again.
const bits = fc.array(
  fc.record({
    unitId: fc.constant(1),
    offset: fc.nat(1),
    kind: fc.constant('BIT' as const),
    mask: fc.nat(3).map((bit) => 1 << bit),
    state: fc.boolean(),
  }),
  { minLength: 2, maxLength: 6 },
);

// Values of one kind that lie side by side as often as any others.
const neighbours = fc
  .tuple(fc.array(value, { minLength: 1, maxLength: 8 }), fc.boolean())
  .map(([values, isRow]) => {
    if (!isRow) return values;
    let next = 0;
    return values.map((one) => {
      const moved = { ...one, unitId: 1, offset: next };
      next +=
        one.kind === 'REGISTERS' ? one.registers.length / 2 : one.kind === 'COILS' ? one.states.length : 1;
      return moved;
    });
  });

const writes: fc.Arbitrary<readonly EncodedWrite[]> = fc
  .tuple(fc.oneof(neighbours, bits), fc.array(rules, { minLength: 1, maxLength: 2 }))
  .map(([values, given]) =>
    values.map((one, index): EncodedWrite => ({
      ...one,
      rules: given[index % given.length] ?? (given[0] as WriteRules),
    })),
  );

type Device = Map<string, number | boolean>;

// What a device does with a value, one entry after the other.
function writeSlowly(device: Device, write: EncodedWrite): void {
  const { unitId, offset } = write;
  if (write.kind === 'COIL') device.set(`${unitId} coil ${offset}`, write.state);
  if (write.kind === 'COILS')
    for (const [at, state] of write.states.entries()) device.set(`${unitId} coil ${offset + at}`, state);
  if (write.kind === 'REGISTERS') {
    for (let at = 0; 2 * at < write.registers.length; at += 1) {
      device.set(`${unitId} register ${offset + at}`, write.registers.readUInt16BE(2 * at));
    }
  }
  if (write.kind === 'BIT') {
    const before = Number(device.get(`${unitId} register ${offset}`) ?? 0);
    device.set(`${unitId} register ${offset}`, write.state ? before | write.mask : before & ~write.mask);
  }
}

function answer(device: Device, request: WriteRequest): number {
  const { unitId, offset } = request;
  const register = `${unitId} register ${offset}`;
  switch (request.functionCode) {
    case 5:
      device.set(`${unitId} coil ${offset}`, request.state);
      return 1;
    case 6:
      device.set(register, request.register);
      return 1;
    case 15:
      for (const [at, state] of request.states.entries()) device.set(`${unitId} coil ${offset + at}`, state);
      return request.states.length;
    case 16:
      for (let at = 0; 2 * at < request.registers.length; at += 1) {
        device.set(`${unitId} register ${offset + at}`, request.registers.readUInt16BE(2 * at));
      }
      return request.registers.length / 2;
    case 22:
      device.set(register, applyMask(request, Number(device.get(register) ?? 0)));
      return 1;
  }
}

propertyTest(
  'the requests do to a device what the values would do one after the other, each value once and in order',
  fc.property(writes, (given) => {
    const planned = planWrites(given);
    assert.deepEqual(
      planned.flatMap(({ indices }) => indices),
      given.map((_, index) => index),
    );
    const [fast, slow]: readonly [Device, Device] = [new Map(), new Map()];
    let done = 0;
    for (const { requests, indices, rules: own } of planned) {
      assert.ok(requests.length > 0);
      assert.ok(requests.length === 1 || indices.length === 1, 'only a single value is sent in parts');
      for (const request of requests) {
        const entries = answer(fast, request);
        const isOfBits = request.functionCode === 5 || request.functionCode === 15;
        assert.ok(entries <= (isOfBits ? own.maximumBits : own.maximumRegisters));
        assert.ok(own.writeFunction !== 'MULTIPLE' || ![5, 6].includes(request.functionCode));
      }
      for (const index of indices) {
        const write = given[index];
        assert.ok(write !== undefined && (indices.length === 1 || write.rules.joinWrites));
        writeSlowly(slow, write);
      }
      done += indices.length;
      assert.deepEqual(fast, slow, `after ${done} values`);
    }
  }),
  5,
);

propertyTest(
  'values of one kind side by side that may be joined go in as few requests as the limit allows',
  fc.property(
    fc.integer({ min: 1, max: 20 }),
    fc.integer({ min: 1, max: 6 }),
    fc.boolean(),
    (count, limit, isCoil) => {
      const own: WriteRules = {
        writeFunction: 'AUTO',
        bitWrite: 'MASK',
        joinWrites: true,
        splitValues: true,
        maximumBits: limit,
        maximumRegisters: limit,
      };
      const given = Array.from({ length: count }, (_, offset): EncodedWrite => {
        const at = { unitId: 1, offset, rules: own };
        return isCoil
          ? { ...at, kind: 'COIL', state: true }
          : { ...at, kind: 'REGISTERS', registers: Buffer.of(0, offset) };
      });
      assert.equal(planWrites(given).length, Math.ceil(count / limit));
    },
  ),
);

propertyTest(
  'the request for several that stands for a request for one writes the same',
  fc.property(writes, (given) => {
    for (const request of planWrites(given).flatMap(({ requests }) => requests)) {
      const multiple = toMultipleWrite(request);
      assert.equal(multiple === undefined, ![5, 6].includes(request.functionCode));
      if (multiple === undefined) continue;
      const [one, other]: readonly [Device, Device] = [new Map(), new Map()];
      answer(one, request);
      answer(other, multiple);
      assert.deepEqual(one, other);
    }
  }),
);
