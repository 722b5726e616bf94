import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { interpretResponse } from '../../drivers/modbus/link/modbus-client.ts';
import { countResponseBytes, findResponseFault, isShortResponse } from '../../drivers/modbus/pdu/response.ts';
import { PduCodec } from '../../drivers/modbus/value/pdu-codec.ts';
import type { ModbusRequest, ReadRequest, WriteRequest } from '../../drivers/modbus/pdu/request.ts';
import { propertyTest } from './property-test.ts';

const word = fc.nat(65_535);
const target = { unitId: fc.nat(255), offset: word };

const readRequest: fc.Arbitrary<ReadRequest> = fc
  .constantFrom(1 as const, 2 as const, 3 as const, 4 as const)
  .chain((functionCode) =>
    fc.record({
      ...target,
      functionCode: fc.constant(functionCode),
      quantity: fc.integer({ min: 1, max: functionCode <= 2 ? 2000 : 125 }),
    }),
  );

const writeRequest: fc.Arbitrary<WriteRequest> = fc.oneof(
  fc.record({ ...target, functionCode: fc.constant(5 as const), state: fc.boolean() }),
  fc.record({ ...target, functionCode: fc.constant(6 as const), register: word }),
  fc.record({
    ...target,
    functionCode: fc.constant(15 as const),
    states: fc.array(fc.boolean(), { minLength: 1, maxLength: 1968, size: 'large' }),
  }),
  fc.record({
    ...target,
    functionCode: fc.constant(16 as const),
    registers: fc
      .array(word, { minLength: 1, maxLength: 123, size: 'large' })
      .map((words) => Buffer.from(words.flatMap(toBytes))),
  }),
  fc.record({ ...target, functionCode: fc.constant(22 as const), andMask: word, orMask: word }),
);

function toBytes(value: number): readonly number[] {
  return [Math.floor(value / 256), value % 256];
}

// Eight states to a byte, the first in the lowest bit (MODBUS Application Protocol V1.1b3, 6.1).
function packBits(states: readonly boolean[]): readonly number[] {
  return Array.from({ length: Math.ceil(states.length / 8) }, (_, index) =>
    states.slice(8 * index, 8 * index + 8).reduce((sum, state, bit) => sum + (state ? 2 ** bit : 0), 0),
  );
}

// The fields as the tables of the standard list them.
function slowPdu(request: ModbusRequest): readonly number[] {
  const head = [request.functionCode, ...toBytes(request.offset)];
  switch (request.functionCode) {
    case 5:
      return [...head, request.state ? 0xff : 0, 0];
    case 6:
      return [...head, ...toBytes(request.register)];
    case 15: {
      const bits = packBits(request.states);
      return [...head, ...toBytes(request.states.length), bits.length, ...bits];
    }
    case 16:
      return [
        ...head,
        ...toBytes(request.registers.length / 2),
        request.registers.length,
        ...request.registers,
      ];
    case 22:
      return [...head, ...toBytes(request.andMask), ...toBytes(request.orMask)];
    default:
      return [...head, ...toBytes(request.quantity)];
  }
}

function slowAnswer(request: ModbusRequest, fill: number): Buffer {
  if ('quantity' in request) {
    const bytes = request.functionCode <= 2 ? Math.ceil(request.quantity / 8) : 2 * request.quantity;
    return Buffer.from([
      request.functionCode,
      bytes,
      ...Array.from({ length: bytes }, (_, index) => (fill + 7 * index) & 255),
    ]);
  }
  const pdu = slowPdu(request);
  return Buffer.from(request.functionCode === 15 || request.functionCode === 16 ? pdu.slice(0, 5) : pdu);
}

const codec = new PduCodec();

propertyTest(
  'a request is written as the tables of the standard list its fields',
  fc.property(fc.oneof(readRequest, writeRequest), fc.nat(255), (request, call) => {
    assert.deepEqual([...codec.encode(call, request)], slowPdu(request));
  }),
  2,
);

propertyTest(
  'the answer to a request brings its bytes, and nothing else has its length',
  fc.property(
    fc.oneof(readRequest, writeRequest),
    fc.nat(255),
    fc.nat(255),
    fc.nat(255),
    (request, call, fill, at) => {
      codec.encode(call, request);
      const pdu = slowAnswer(request, fill);
      assert.equal(countResponseBytes(request), pdu.length);
      assert.equal(findResponseFault(request, pdu), undefined);
      const expected = 'quantity' in request ? [...pdu.subarray(2)] : [];
      assert.deepEqual([...codec.decode(call, request.unitId, pdu)], expected);
      assert.deepEqual(interpretResponse(codec, call, request, pdu), Buffer.from(expected));
      // Any shorter or longer one is refused, and so is another echo.
      const shorter = pdu.subarray(0, at % pdu.length);
      assert.notEqual(findResponseFault(request, shorter), undefined);
      assert.notEqual(findResponseFault(request, Buffer.concat([pdu, Buffer.of(at)])), undefined);
      assert.ok(!isShortResponse(request, pdu));
      if (!('quantity' in request)) {
        const changed = Buffer.from(pdu);
        changed[at % pdu.length] = (changed[at % pdu.length] ?? 0) ^ 1;
        assert.notEqual(findResponseFault(request, changed), undefined);
      }
    },
  ),
  2,
);

propertyTest(
  'whatever bytes answer a request, they are judged without an exception, and what is in order is parsed',
  fc.property(
    fc.oneof(readRequest, writeRequest),
    fc.uint8Array({ maxLength: 12 }),
    fc.boolean(),
    (request, bytes, isNear) => {
      const pdu = isNear ? Buffer.concat([Buffer.of(request.functionCode), bytes]) : Buffer.from(bytes);
      const isException = pdu[0] === (request.functionCode | 0x80);
      codec.encode(1, request);
      if (findResponseFault(request, pdu) === undefined && !isException) codec.decode(1, request.unitId, pdu);
    },
  ),
  2,
);
