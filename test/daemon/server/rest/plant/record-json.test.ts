import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ChannelRecord } from '../../../../../daemon/channel/channel-record.ts';
import { finish } from '../../../../../daemon/base/slices.ts';
import { parseJson } from '../../../../../daemon/server/http/body/json-body.ts';
import { createRecordRenderer } from '../../../../../daemon/server/rest/plant/record-json.ts';
import { createChannel } from '../../../plant/asset/channel-fixture.ts';

const renderRecords = createRecordRenderer();
const render = (...records: readonly ChannelRecord[]): unknown => finish(parseJson([renderRecords(records)]));

test('renderRecords writes a success with its type, value and time, and the unit if set', () => {
  const channel = createChannel({ name: 'level', valueType: 'FLOAT', unit: '°C "x"' });
  const plain = createChannel({ name: 'Füll"stand', valueType: 'STRING' });
  const record = { channel, name: 'level', value: Math.fround(12.34), timestampMs: 5 };
  assert.deepEqual(render(record, { channel: plain, name: plain.name, value: 'a"\n', timestampMs: 6 }), [
    {
      channelStatus: { channelFlag: 'SUCCESS' },
      name: 'level',
      valueType: 'FLOAT',
      value: 12.34,
      timestamp: 5,
      unit: '°C "x"',
    },
    {
      channelStatus: { channelFlag: 'SUCCESS' },
      name: 'Füll"stand',
      valueType: 'STRING',
      value: 'a"\n',
      timestamp: 6,
    },
  ]);
});

test('renderRecords writes the quality of a value that was read, and the status that came with it', () => {
  const channel = createChannel({ name: 'level', unit: 'm' });
  const record = { channel, name: 'level', value: 1, timestampMs: 5 };
  const shown = (more: Partial<ChannelRecord>): readonly unknown[] => {
    const [{ quality, statusCode, unit }] = render({ ...record, ...more } as ChannelRecord) as [
      Readonly<Record<string, unknown>>,
    ];
    return [quality, statusCode, unit];
  };
  assert.deepEqual(shown({ quality: 'GOOD' }), ['GOOD', undefined, 'm']);
  assert.deepEqual(shown({ quality: 'GOOD', status: 'GoodClamped' }), ['GOOD', 'GoodClamped', 'm']);
  assert.deepEqual(shown({ quality: 'UNCERTAIN', status: 'a"b' }), ['UNCERTAIN', 'a"b', 'm']);
  assert.deepEqual(shown({ quality: 'UNCERTAIN' }), ['UNCERTAIN', undefined, 'm']);
  assert.deepEqual(shown({}), [undefined, undefined, 'm']);
});

test('renderRecords writes a LONG with every digit and non-finite numbers as text', () => {
  const long = createChannel({ name: 'long', valueType: 'LONG' });
  const double = createChannel({ name: 'double' });
  const text = renderRecords([
    { channel: long, name: 'long', value: 9007199254740993n, timestampMs: 1 },
    { channel: double, name: 'double', value: NaN, timestampMs: 1 },
  ]).toString();
  assert.match(text, /"value":9007199254740993,/);
  assert.match(text, /"value":"NaN",/);
});

test('renderRecords writes a failed read as bad, with its message, type and unit, but without a value', () => {
  const channel = createChannel({ name: 'level', unit: 'm' });
  const failure = { code: 'MODBUS_NO_RESPONSE', message: 'unit 7 did not answer' } as const;
  assert.deepEqual(render({ channel, name: 'level', failure, timestampMs: 9 }), [
    {
      channelStatus: { channelFlag: 'FAILURE', exceptionMessage: 'unit 7 did not answer' },
      name: 'level',
      valueType: 'DOUBLE',
      timestamp: 9,
      unit: 'm',
      quality: 'BAD',
      statusCode: 'MODBUS_NO_RESPONSE',
    },
  ]);
});

test('renderRecords writes the answer of the device where there is one, instead of the code', () => {
  const failure = {
    code: 'OPCUA_BAD_OUT_OF_SERVICE',
    message: 'refused',
    status: 'BadOutOfService',
  } as const;
  const [record] = render({ name: 'x', failure, timestampMs: 9 }) as [Readonly<Record<string, unknown>>];
  assert.deepEqual([record['quality'], record['statusCode']], ['BAD', 'BadOutOfService']);
});

test('renderRecords omits type and unit for an unknown channel', () => {
  const failure = { code: 'CHANNEL_UNKNOWN', message: 'unknown channel "x"' } as const;
  assert.deepEqual(render({ name: 'x', failure, timestampMs: 9 }), [
    {
      channelStatus: { channelFlag: 'FAILURE', exceptionMessage: failure.message },
      name: 'x',
      timestamp: 9,
      quality: 'BAD',
      statusCode: 'CHANNEL_UNKNOWN',
    },
  ]);
});

test('renderRecords writes the value of a failed write in the form of the requested type', () => {
  const channel = createChannel({ name: 'level' });
  const failure = { code: 'VALUE_TYPE_MISMATCH', message: 'another type' } as const;
  const asked = { valueType: 'FLOAT', value: Math.fround(12.34) } as const;
  const text = renderRecords([{ channel, name: 'level', failure, timestampMs: 9, asked }]).toString();
  assert.match(
    text,
    /"valueType":"DOUBLE","value":12\.34,"timestamp":9,"statusCode":"VALUE_TYPE_MISMATCH"\}/,
  );
});

test('renderRecords writes no records as an empty list', () => {
  assert.equal(renderRecords([]).toString(), '[]');
});

test('renderRecords writes an answer of any length, with every record once and in order', () => {
  const channel = createChannel({ name: 'Füllstand', valueType: 'LONG' });
  for (const count of [1, 500, 2000, 5000]) {
    const records = Array.from({ length: count }, (_, index): ChannelRecord => {
      return { channel, name: channel.name, value: BigInt(index), timestampMs: 1, quality: 'GOOD' };
    });
    const values = (render(...records) as readonly { readonly value: unknown }[]).map(({ value }) => value);
    assert.deepEqual(values, Array.from(records.keys()));
  }
});

test('renderRecords returns the same bytes for the same records, also after others', () => {
  const [one, other] = [1, 2].map((value): readonly ChannelRecord[] => [
    { channel: createChannel(), name: 'level', value, timestampMs: 1 },
  ]);
  assert.ok(one !== undefined && other !== undefined);
  const [bytes, otherBytes] = [renderRecords(one), renderRecords(other)];
  assert.equal(renderRecords(one), bytes);
  assert.equal(renderRecords(other), otherBytes);
});

test('renderRecords returns the same bytes for the same records of an asset, and names another asset', () => {
  const records: readonly ChannelRecord[] = [
    { channel: createChannel(), name: 'level', value: 1, timestampMs: 1 },
  ];
  const bytes = renderRecords(records, { asset: 'pump' });
  assert.equal(renderRecords(records, { asset: 'pump' }), bytes);
  assert.match(renderRecords(records, { asset: 'tank' }).toString(), /^\[\{"asset":"tank",/);
  assert.doesNotMatch(renderRecords(records).toString(), /asset/);
});

test('renderRecords writes the same channels in any order, between failures, and with other channels of the same name', () => {
  const failure = { code: 'MODBUS_NO_RESPONSE', message: 'unit 7 did not answer' } as const;
  const [a, b, c] = ['a', 'b', 'c'].map((name) => createChannel({ name, unit: `unit of ${name}` }));
  const replaced = createChannel({ name: 'b', valueType: 'INTEGER' });
  const rounds = [
    [a, b, c],
    [c, b, a],
    [a, replaced, c],
    [a, undefined, c],
    [b, b],
    [a, b, c],
  ];
  for (const [round, channels] of rounds.entries()) {
    const records = channels.map((channel, index): ChannelRecord => {
      const timestampMs = round + index;
      return channel === undefined
        ? { name: 'x', failure, timestampMs }
        : { channel, name: channel.name, value: index / 4, timestampMs, quality: 'GOOD' };
    });
    const shown = render(...records) as readonly Readonly<Record<string, unknown>>[];
    assert.deepEqual(
      shown.map(({ name, unit, valueType, value, timestamp }) => ({
        name,
        unit,
        valueType,
        value,
        timestamp,
      })),
      channels.map((channel, index) => ({
        name: channel?.name ?? 'x',
        unit: channel?.unit,
        valueType: channel?.valueType,
        value: channel === undefined ? undefined : index / 4,
        timestamp: round + index,
      })),
    );
  }
});

test('renderRecords writes every float as the shortest text that reads back', () => {
  const [float, double] = (['FLOAT', 'DOUBLE'] as const).map((valueType) => createChannel({ valueType }));
  assert.ok(float !== undefined && double !== undefined);
  const values = [0, -0, 0.1, -12.34, 999.999, 1000.5, 1e-7, 3.4e38, 123456.78, 1 / 3, NaN, -Infinity];
  const shown = render(
    ...values.flatMap((value): ChannelRecord[] => [
      { channel: float, name: 'f', value: Math.fround(value), timestampMs: 1, quality: 'GOOD' },
      { channel: double, name: 'd', value, timestampMs: 1, quality: 'GOOD' },
    ]),
  ) as readonly { readonly value: unknown }[];
  for (const [index, value] of values.entries()) {
    const [ofFloat, ofDouble] = [shown[2 * index]?.value, shown[2 * index + 1]?.value];
    if (Number.isFinite(value)) {
      assert.equal(Math.fround(Number(ofFloat)), Math.fround(value));
      assert.equal(Number(ofDouble), value);
    } else {
      assert.deepEqual([ofFloat, ofDouble], [String(value), String(value)]);
    }
  }
});

test('renderRecords writes the value of the request beside the one that was sent, also of a failure', () => {
  const channel = createChannel({ name: 'level', valueType: 'FLOAT' });
  const written = { channel, name: 'level', timestampMs: 5, requested: Math.fround(62.56) } as const;
  const failure = { code: 'WRITE_READ_BACK_DIFFERS', message: 'no' } as const;
  const records = render(
    { ...written, value: Math.fround(62.6), outcome: 'ACKNOWLEDGED' },
    {
      ...written,
      failure,
      asked: { valueType: 'FLOAT', value: Math.fround(62.6) },
      outcome: 'REFUSED',
      readBack: 60,
    },
  ) as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual(
    records.map(({ value, requestedValue, readBack }) => [value, requestedValue, readBack]),
    [
      [62.6, 62.56, undefined],
      [62.6, 62.56, 60],
    ],
  );
});
