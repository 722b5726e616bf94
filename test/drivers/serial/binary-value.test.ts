import assert from 'node:assert/strict';
import { test } from 'node:test';

import { check } from '../../../daemon/base/schema.ts';
import type { ChannelValue, ValueType } from '../../../daemon/channel/value-type.ts';
import { createBinaryReader, isSameText } from '../../../drivers/serial/binary-value.ts';
import { checkChannel } from '../../../drivers/serial/check-channel.ts';
import { addressSchema } from '../../../drivers/serial/serial-address.ts';
import type { BinaryResponse } from '../../../drivers/serial/serial-address.ts';
import { createChannel } from '../../support/serial-instrument-driver.ts';

const LITTLE = { byteOrder: 'LITTLE_ENDIAN' } as const;

function read(
  fields: Partial<BinaryResponse>,
  frame: string,
  valueType: ValueType = 'STRING',
): ChannelValue | undefined {
  const response = { offset: 1, dataType: 'UINT8', byteOrder: 'BIG_ENDIAN', ...fields } as const;
  return createBinaryReader(response, valueType, 'latin1')(Buffer.from(`02${frame}03`, 'hex'));
}

const VALUES: readonly (readonly [Partial<BinaryResponse>, string, ChannelValue | undefined])[] = [
  [{ dataType: 'INT16' }, 'fffe', -2],
  [{ dataType: 'UINT64', ...LITTLE }, '0100000000002000', 9_007_199_254_740_993n],
  [{ dataType: 'FLOAT32' }, '3fc00000', 1.5],
  [{ dataType: 'BCD16' }, '1234', 1234],
  [{ dataType: 'BCD16' }, '12a4', undefined],
  [{ dataType: 'BCD24', ...LITTLE }, '563412', 123_456],
  [{ dataType: 'BCD32' }, '99999999', 99_999_999],
  [{ dataType: 'BCD64' }, '9999999999999999', 9_999_999_999_999_999n],
  [{ dataType: 'UNIX_SECONDS32' }, '4fb3833e', '2012-05-16T10:36:46.000Z'],
  // The octets in the order of IEC 60870-5-4.
  [{ dataType: 'CP56TIME2A', ...LITTLE }, '3930230e160b1a', '2026-11-22T14:35:12.345Z'],
  [{ dataType: 'YMDHMS_BCD', ...LITTLE, timeZone: '+08:00' }, '123514221126', '2026-11-22T06:35:12.000Z'],
  [{ dataType: 'YMDHMS_BYTES' }, '000000000000', undefined],
  [{ dataType: 'STRING', length: 4 }, '41b02000', 'A° \0'],
  [{ dataType: 'STRING', length: 4, trim: true }, '41b02000', 'A°'],
  [{ dataType: 'INT16', count: 2 }, '0001ffff', '[1,-1]'],
  [{ dataType: 'BCD16', count: 2 }, '123400a0', undefined],
  [{ dataType: 'FLOAT32', count: 2, ...LITTLE }, 'a47045410000c07f', '[12.34,"NaN"]'],
  [{ dataType: 'STRING', length: 2, count: 2 }, '41424344', '["AB","CD"]'],
  // The frame ends before the value does.
  [{ dataType: 'BCD32' }, '1234', undefined],
  [{ dataType: 'INT16', count: 3 }, '00010002', undefined],
];

for (const [fields, frame, value] of VALUES) {
  const many = fields.count === undefined ? '' : ` x ${fields.count}`;
  test(`the bytes ${frame} hold ${String(value)} as ${fields.dataType}${many}`, () => {
    assert.deepEqual(read(fields, frame), value);
  });
}

test('a time is milliseconds since the epoch for a numeric value type', () => {
  for (const valueType of ['LONG', 'DOUBLE'] as const) {
    assert.equal(read({ dataType: 'UNIX_SECONDS32' }, '00000001', valueType), 1000);
  }
});

const CONTRADICTIONS: Readonly<Record<string, readonly [object, string]>> = {
  'a length of a decimal': [{ dataType: 'BCD16', length: 2 }, 'length'],
  'trim of bytes': [{ dataType: 'BYTES', trim: true }, 'trim'],
  'a time zone of a number': [{ dataType: 'INT32', timeZone: 'UTC' }, 'timeZone'],
  'an array of bytes': [{ dataType: 'BYTES', length: 4, count: 2 }, 'count'],
  'an array of texts without length': [{ dataType: 'STRING', count: 2 }, 'length'],
};

for (const [fault, [response, field]] of Object.entries(CONTRADICTIONS)) {
  test(`a response with ${fault} is refused`, () => {
    const faults = check(addressSchema, { response: { offset: 0, ...response } }).faults ?? [];
    assert.equal(faults.length, 1);
    assert.match(JSON.stringify(faults), new RegExp(`"${field}"`));
  });
}

for (const [response, valueTypes] of [
  [{ dataType: 'BCD16' }, ['BOOLEAN', 'DOUBLE', 'FLOAT', 'INTEGER', 'LONG']],
  [{ dataType: 'CP56TIME2A' }, ['DOUBLE', 'LONG', 'STRING']],
  [{ dataType: 'INT16', count: 2 }, ['STRING']],
] as const) {
  test(`a response ${JSON.stringify(response)} can be ${valueTypes.join(', ')} and nothing else`, () => {
    const all = ['BOOLEAN', 'BYTE_ARRAY', 'DOUBLE', 'FLOAT', 'INTEGER', 'LONG', 'STRING'] as const;
    const address = { request: 'R', response: { offset: 0, ...response } };
    const accepted = all.filter((valueType) => {
      const channel = { ...createChannel(address, valueType), type: 'READ' as const };
      return checkChannel(channel).length === 0;
    });
    assert.deepEqual(accepted, valueTypes);
  });
}

test('an array is refused with a scale or an offset', () => {
  const response = { offset: 0, dataType: 'INT16', count: 2 };
  const channel = createChannel({ request: 'R', response }, 'STRING');
  const faults = checkChannel({ ...channel, type: 'READ', valueScale: 0.1, valueOffset: 5 });
  assert.deepEqual(
    faults.map(({ path }) => path),
    [['valueScale'], ['valueOffset']],
  );
});

test('texts are the same in the type of the answer: times at one instant, trimmed texts, arrays by element', () => {
  const compare = (fields: Partial<BinaryResponse>, shown: string, text: string): boolean =>
    isSameText({ offset: 1, dataType: 'UINT8', byteOrder: 'BIG_ENDIAN', ...fields }, shown, text);
  const time = '2012-05-16T10:36:46.000Z';
  assert.equal(compare({ dataType: 'UNIX_SECONDS32' }, time, '2012-05-16T12:36:46+02:00'), true);
  assert.equal(compare({ dataType: 'UNIX_SECONDS32' }, time, '2012-05-16T12:36:46Z'), false);
  assert.equal(compare({ dataType: 'STRING', trim: true }, 'A', 'A \0'), true);
  assert.equal(compare({ dataType: 'STRING' }, 'A', 'A '), false);
  assert.equal(compare({ dataType: 'INT16', count: 2 }, '[1,-1]', '[ 1, "-1" ]'), true);
  assert.equal(compare({ dataType: 'INT16', count: 2 }, '[1,-1]', '[1,-1,0]'), false);
});
