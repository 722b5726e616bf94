import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  countResponseBytes,
  findResponseFault,
  repeatsRequest,
} from '../../../../drivers/modbus/pdu/response.ts';
import type { ModbusRequest } from '../../../../drivers/modbus/pdu/request.ts';

const UNIT = { unitId: 1 } as const;

// The examples of MODBUS Application Protocol V1.1b3, 6.1 to 6.16.
const ANSWERS: readonly (readonly [ModbusRequest, string])[] = [
  [{ ...UNIT, functionCode: 1, offset: 0x13, quantity: 19 }, '0103cd6b05'],
  [{ ...UNIT, functionCode: 2, offset: 0xc4, quantity: 22 }, '0203acdb35'],
  [{ ...UNIT, functionCode: 3, offset: 0x6b, quantity: 3 }, '0306022b00000064'],
  [{ ...UNIT, functionCode: 4, offset: 8, quantity: 1 }, '0402000a'],
  [{ ...UNIT, functionCode: 5, offset: 0xac, state: true }, '0500acff00'],
  [{ ...UNIT, functionCode: 6, offset: 1, register: 3 }, '0600010003'],
  [{ ...UNIT, functionCode: 15, offset: 0x13, states: Array<boolean>(10).fill(true) }, '0f0013000a'],
  [{ ...UNIT, functionCode: 16, offset: 1, registers: Buffer.from('000a0102', 'hex') }, '1000010002'],
  [{ ...UNIT, functionCode: 22, offset: 4, andMask: 0xf2, orMask: 0x25 }, '16000400f20025'],
];

for (const [request, answer] of ANSWERS) {
  const { functionCode } = request;

  test(`the answer of the specification to function ${functionCode} is accepted`, () => {
    assert.equal(findResponseFault(request, Buffer.from(answer, 'hex')), undefined);
  });

  test(`an answer to function ${functionCode} is refused with any byte of its head changed`, () => {
    const headBytes = functionCode <= 4 ? 2 : answer.length / 2;
    for (let at = 0; at < headBytes; at += 1) {
      const changed = Buffer.from(answer, 'hex');
      changed[at] = (changed[at] ?? 0) ^ 0x40;
      assert.notEqual(findResponseFault(request, changed), undefined, `byte ${at}`);
    }
  });

  test(`an answer to function ${functionCode} is refused one byte short or long`, () => {
    const bytes = Buffer.from(answer, 'hex');
    assert.notEqual(findResponseFault(request, bytes.subarray(0, -1)), undefined);
    assert.notEqual(findResponseFault(request, Buffer.concat([bytes, Buffer.alloc(1)])), undefined);
  });

  test(`an exception to function ${functionCode} is an answer`, () => {
    assert.equal(findResponseFault(request, Buffer.from([functionCode | 0x80, 2])), undefined);
  });
}

test('countResponseBytes returns the length of each answer of the specification', () => {
  for (const [request, answer] of ANSWERS) {
    assert.equal(countResponseBytes(request), answer.length / 2, `function ${request.functionCode}`);
  }
});

test('the answers to functions 5, 6 and 22 are the request once more', () => {
  const repeating = ANSWERS.map(([request]) => request).filter(repeatsRequest);
  assert.deepEqual(
    repeating.map(({ functionCode }) => functionCode),
    [5, 6, 22],
  );
});
