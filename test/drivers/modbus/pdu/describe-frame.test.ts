import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describeParts } from '../../../../daemon/channel/trace/tracing-driver.ts';
import { explainFrame } from '../../../../drivers/modbus/pdu/describe-frame.ts';
import { createTracer } from '../../../../drivers/modbus/modbus-trace.ts';

const of = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

for (const [framing, direction, hex, meaning] of [
  [
    'MBAP',
    'SENT',
    '0011 0000 0006 01 03 0007 0002',
    'transaction 17, unit 1: Read Holding Registers, offset 7, quantity 2',
  ],
  [
    'MBAP',
    'RECEIVED',
    '0011 0000 0007 01 03 04 003c 0717',
    'transaction 17, unit 1: Read Holding Registers, values 60 1815',
  ],
  [
    'MBAP',
    'RECEIVED',
    '0011 0000 0003 01 83 02',
    'transaction 17, unit 1: Read Holding Registers, exception 2 Illegal Data Address',
  ],
  ['MBAP', 'RECEIVED', '0011 0000 0004 01 01 01 05', 'transaction 17, unit 1: Read Coils, bits 10100000'],
  [
    'MBAP',
    'SENT',
    '0011 0000 0006 01 06 0007 003c',
    'transaction 17, unit 1: Write Single Register, offset 7, value 60',
  ],
  [
    'MBAP',
    'SENT',
    '0011 0000 0009 01 10 0007 0001 02 003c',
    'transaction 17, unit 1: Write Multiple Registers, offset 7, values 60',
  ],
  ['MBAP', 'SENT', '0011 0000 0002 01 63', 'transaction 17, unit 1: function 99'],
  ['MBAP', 'RECEIVED', '0011 0000 0007 01 03', ''],
  ['RTU', 'SENT', '01 03 0000 000a c5cd', 'unit 1: Read Holding Registers, offset 0, quantity 10'],
  ['RTU', 'SENT', '01 03 0000 000a c5ce', ''],
] as const) {
  test(`${framing} ${hex} is shown as "${meaning}"`, () => {
    assert.equal(describeParts(explainFrame(framing, direction, of(hex))).meaning, meaning);
  });
}

test('a response in two parts has its meaning at the second one', () => {
  const meanings: string[] = [];
  const pass = createTracer('RTU', ({ meaning }) => void meanings.push(meaning));
  pass('SENT', of('01 03 0000 000a c5cd'));
  pass('RECEIVED', of('01 83'));
  pass('RECEIVED', of('02 c0f1'));
  assert.deepEqual(meanings, [
    'unit 1: Read Holding Registers, offset 0, quantity 10',
    '',
    'unit 1: Read Holding Registers, exception 2 Illegal Data Address',
  ]);
});

test('no bytes let the description fail', () => {
  for (let length = 0; length < 24; length += 1) {
    for (const framing of ['MBAP', 'RTU', 'ASCII'] as const) {
      for (const direction of ['SENT', 'RECEIVED'] as const) {
        for (let code = 0; code < 256; code += 1) {
          const bytes = Buffer.alloc(length, code);
          if (framing === 'MBAP' && length >= 8) bytes.set([0, 1, 0, 0, 0, length - 6, 1, code]);
          assert.ok(Array.isArray(explainFrame(framing, direction, bytes)));
        }
      }
    }
  }
});
