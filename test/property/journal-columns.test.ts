import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import type { ChannelValue, ValueType } from '../../daemon/channel/value-type.ts';
import { ColumnReader } from '../../daemon/plant/journal/column-reader.ts';
import { ColumnWriter } from '../../daemon/plant/journal/column-writer.ts';
import { decodeBody, decodeNames, encodeBody, encodeNames } from '../../daemon/plant/journal/frame-body.ts';
import type { SampleGroup } from '../../daemon/plant/journal/frame-body.ts';
import { GrowingBody, joinBody } from '../../daemon/plant/journal/growing-body.ts';
import { GrowingColumns, sliceColumns } from '../../daemon/plant/journal/sample-columns.ts';
import type { SampleColumns } from '../../daemon/plant/journal/sample-columns.ts';
import type { Gap, Sample, Series } from '../../daemon/plant/journal/sample.ts';
import { readValues, writeValues } from '../../daemon/plant/journal/value-column.ts';
import { propertyTest } from './property-test.ts';
import { listSamples } from '../support/journal-entries.ts';

const decimal = fc
  .tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.integer({ min: 0, max: 10 }))
  .map(([digits, decimals]) => digits / 10 ** decimals);
const double = fc.oneof(
  fc.double(),
  decimal,
  fc.constantFrom(0, -0, Number.NaN, Infinity, -Infinity, 2 ** 53),
);
const VALUES: Readonly<Record<ValueType, fc.Arbitrary<ChannelValue>>> = {
  BOOLEAN: fc.boolean(),
  BYTE_ARRAY: fc.uint8Array({ maxLength: 12 }),
  DOUBLE: double,
  FLOAT: fc.oneof(fc.float(), decimal.map(Math.fround)),
  INTEGER: fc.integer(),
  LONG: fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.integer().map(BigInt)),
  STRING: fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
};
const valueType = fc.constantFrom(...(Object.keys(VALUES) as ValueType[]));

propertyTest(
  'the values of a channel are read back exactly, of every type',
  fc.property(
    valueType.chain((type) => fc.tuple(fc.constant(type), fc.array(VALUES[type], { maxLength: 40 }))),
    ([type, values]) => {
      const writer = new ColumnWriter();
      writeValues(writer, type, values);
      const reader = new ColumnReader(writer.finish());
      assert.deepStrictEqual(Array.from(readValues(reader, type, values.length)), values);
      assert.ok(reader.isAtEnd);
    },
  ),
);

propertyTest(
  'integers of a column are read back exactly',
  fc.property(
    fc.array(fc.oneof(fc.integer(), fc.integer({ min: -(2 ** 52) + 1, max: 2 ** 52 - 1 }))),
    (numbers) => {
      const writer = new ColumnWriter();
      for (const number of numbers) writer.writeInteger(number);
      const reader = new ColumnReader(writer.finish());
      assert.deepEqual(Array.from(reader.readIntegers(numbers.length)), numbers);
      assert.ok(reader.isAtEnd);
    },
  ),
);

const time = fc.integer({ min: -11_644_473_600_000, max: 253_402_300_799_999 });
// Some of them again and again, as those of a plant are.
const recorders = fc.oneof(
  fc.constantFrom(['second'], ['other', 'second']),
  fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
);
const status = fc.option(fc.oneof(fc.constant('BadTimeout'), fc.string({ maxLength: 12 })), {
  nil: undefined,
});

function sampleOf(series: Series): fc.Arbitrary<Sample> {
  const good = fc.record({
    value: VALUES[series.valueType],
    quality: fc.constantFrom('GOOD' as const, 'UNCERTAIN' as const, 'BAD' as const),
  });
  const bad = fc.constant({ value: undefined, quality: 'BAD' as const });
  return fc
    .tuple(fc.oneof({ weight: 4, arbitrary: good }, bad), recorders, status, time, time)
    .map(([rated, pids, text, timestampMs, takenAtMs]) =>
      Object.assign(
        { series, recorders: pids, timestampMs, takenAtMs },
        rated,
        text === undefined ? {} : { status: text },
      ),
    );
}

function toColumns(series: Series, samples: readonly Sample[]): SampleColumns {
  const columns = new GrowingColumns(series);
  for (const { quality, status: text, recorders: pids, ...sample } of samples)
    columns.add(
      text === undefined ? { quality, recorders: pids } : { quality, recorders: pids, status: text },
      sample,
    );
  return columns;
}

const groups: fc.Arbitrary<readonly SampleGroup[]> = fc
  .uniqueArray(
    fc.record({ asset: fc.string(), channel: fc.string(), valueType }, { noNullPrototype: true }),
    { maxLength: 6, selector: (series) => JSON.stringify(series) },
  )
  .chain((list) =>
    fc.tuple(
      ...list.map((series, index) =>
        fc
          .array(sampleOf(series), { minLength: 1, maxLength: 8 })
          .map((samples) => ({ number: index * 3, columns: toColumns(series, samples) })),
      ),
    ),
  );
const gap: fc.Arbitrary<Gap> = fc.record(
  {
    reason: fc.constantFrom('RETENTION', 'DISK', 'DAMAGED', 'STOPPED', 'DEVICE_LOST'),
    asset: fc.string(),
    channel: fc.string(),
    fromMs: time,
    toMs: time,
    count: fc.nat(),
  },
  { requiredKeys: ['reason', 'fromMs', 'toMs', 'count'], noNullPrototype: true },
);

const countOf = (drawn: readonly SampleGroup[]): number =>
  drawn.reduce((sum, { columns }) => sum + columns.count, 0);

propertyTest(
  'samples and gaps are read back exactly, in the order of their numbers',
  fc.property(groups, fc.array(gap, { maxLength: 3 }), time, (drawn, gaps, baseMs) => {
    const names = decodeNames(
      Buffer.from(encodeNames(new Map(drawn.map(({ number, columns }) => [number, columns.series])))),
    );
    const content = decodeBody(encodeBody(drawn, gaps, baseMs), names, {
      count: countOf(drawn) + gaps.length,
      wallMs: baseMs,
    });
    assert.deepStrictEqual(
      content.samples.map(listSamples),
      drawn.map(({ columns }) => listSamples(columns)),
    );
    assert.deepStrictEqual(content.gaps, gaps);
  }),
);

propertyTest(
  'a body that grows has the bytes of one that is written at once, and its snapshots stay as they are',
  fc.property(groups, (drawn) => {
    for (const { columns } of drawn) {
      const { series } = columns;
      const body = new GrowingBody(series);
      const snapshots = Array.from({ length: columns.count }, (_, index) => {
        body.add(columns, index);
        return body.snapshot();
      });
      for (const [index, snapshot] of snapshots.entries()) {
        const written = encodeBody([{ number: 0, columns: sliceColumns(columns, 0, index + 1) }], [], 0);
        assert.deepEqual(joinBody(snapshot), written);
      }
    }
  }),
);

propertyTest(
  'bytes that are no body are refused, whatever they are',
  fc.property(groups, fc.nat(), fc.integer({ min: 1, max: 255 }), (drawn, position, change) => {
    const names = new Map(drawn.map(({ number, columns }) => [number, columns.series]));
    const bytes = Buffer.from(encodeBody(drawn, [], 0));
    const index = position % bytes.length;
    bytes[index] = (bytes[index] ?? 0) ^ change;
    try {
      decodeBody(bytes, names, { count: countOf(drawn), wallMs: 0 });
    } catch (error) {
      // A fault of the bytes, not of the program.
      assert.ok(error instanceof Error && !(error instanceof TypeError), String(error));
    }
  }),
);
