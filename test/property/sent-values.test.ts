import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { acceptWrite, prepareWrite, scaleWrite } from '../../daemon/plant/asset/write/prepared-write.ts';
import type { ChannelWrite } from '../../daemon/plant/asset/write/prepared-write.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import { parseValue } from '../../daemon/channel/value-json.ts';
import type { ChannelValue, ValueType } from '../../daemon/channel/value-type.ts';
import { EncodeFault } from '../../drivers/modbus/value/codec.ts';
import { decodeWrite, encodeWrite } from '../../drivers/modbus/write/encode-write.ts';
import { addressSchema } from '../../drivers/modbus/modbus-address.ts';
import type { ModbusAddress } from '../../drivers/modbus/modbus-address.ts';
import { propertyTest } from './property-test.ts';

const DATA_TYPES = ['INT16', 'UINT16', 'INT32', 'INT64', 'FLOAT32', 'FLOAT64', 'BCD32'] as const;
type DataType = (typeof DATA_TYPES)[number];

/** Reads registers in another way than the driver. */
const READERS: Readonly<Record<DataType, (view: DataView, digits: string) => number>> = {
  INT16: (view) => view.getInt16(0),
  UINT16: (view) => view.getUint16(0),
  INT32: (view) => view.getInt32(0),
  INT64: (view) => Number(view.getBigInt64(0)),
  FLOAT32: (view) => view.getFloat32(0),
  FLOAT64: (view) => view.getFloat64(0),
  BCD32: (_view, digits) => Number(digits),
};

interface Drawn {
  readonly dataType: DataType;
  readonly valueType: ValueType;
  readonly valueScale: number;
  readonly valueOffset: number;
  readonly minimum: number;
  readonly maximum: number;
  readonly value: number;
  readonly scaleOnWrite: boolean;
}

const limit = fc.oneof(
  fc.integer({ min: -40_000, max: 70_000 }),
  fc.integer({ min: -4000, max: 7000 }).map((tenths) => tenths / 10),
  fc.integer({ min: -40_000, max: 70_000 }).map((hundredths) => hundredths / 100),
  // Limits are decimals; those that no float tells from 0 are none.
  fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((number) => Number(number.toFixed(6))),
);

const drawn: fc.Arbitrary<Drawn> = fc
  .record({
    dataType: fc.constantFrom(...DATA_TYPES),
    valueType: fc.constantFrom<ValueType>('DOUBLE', 'FLOAT', 'INTEGER', 'LONG'),
    valueScale: fc.constantFrom(1, 1, 0.1, 0.01, -2, 2, 0.5, 3, -0.1, 10, 1.8),
    valueOffset: fc.constantFrom(0, 0, 0, -40, 273.15, 32, 1000),
    limits: fc.tuple(limit, limit),
    nudge: fc.oneof(fc.constantFrom(0, 0, 0.01, -0.01, 0.04, -0.04, 0.4, 0.5, -0.5, 1), fc.double()),
    at: fc.constantFrom('MINIMUM', 'MAXIMUM'),
    scaleOnWrite: fc.boolean(),
  })
  .map(({ limits, nudge, at, dataType, valueType, valueScale, valueOffset, scaleOnWrite }) => {
    const [minimum = 0, maximum = 0] = limits.toSorted((one, other) => one - other);
    const value = (at === 'MINIMUM' ? minimum : maximum) + nudge;
    return { dataType, valueType, valueScale, valueOffset, scaleOnWrite, minimum, maximum, value };
  });

function channelOf({ dataType, valueType, valueScale, valueOffset, minimum, maximum }: Drawn) {
  const address = addressSchema.parse({ unitId: 1, table: 'HOLDING_REGISTERS', offset: 0, dataType });
  const channel: Channel<ModbusAddress> = {
    name: 'setpoint',
    type: 'READ_WRITE',
    valueType,
    scaleOffsetType: valueType === 'INTEGER' || valueType === 'LONG' ? 'DOUBLE' : 'DEFINED_BY_VALUE_TYPE',
    valueScale,
    valueOffset,
    isEnabled: true,
    address,
    write: { minimum, maximum },
  };
  return channel;
}

/** Returns what would go out for a value, and what the records say of it; undefined: nothing would. */
function send(given: Drawn, value: ChannelValue) {
  const channel = channelOf(given);
  const asked: ChannelWrite = { name: 'setpoint', valueType: given.valueType, value };
  const accepted = acceptWrite(channel, asked, given.scaleOnWrite);
  const scaled = 'code' in accepted ? accepted : scaleWrite(accepted);
  if ('code' in scaled) return undefined;
  const encoded = encodeWrite(channel.address, scaled.raw);
  if (encoded instanceof EncodeFault || encoded.kind !== 'REGISTERS') return undefined;
  const sent = decodeWrite(channel, encoded, scaled.raw);
  const prepared = prepareWrite(scaled, { index: 0, sent, isSingle: given.dataType === 'FLOAT32' });
  if ('code' in prepared) return undefined;
  const { registers } = encoded;
  const view = new DataView(registers.buffer, registers.byteOffset, registers.length);
  const raw = READERS[given.dataType](view, registers.toString('hex'));
  const product = raw * given.valueScale;
  return { prepared, held: product + given.valueOffset, product };
}

/** What the decimal of a limit may lose in the precision of the channel, and calculation besides. */
function slackOf({ dataType, valueType, valueOffset }: Drawn, bound: number, product: number): number {
  const isSingle = dataType === 'FLOAT32' || valueType === 'FLOAT';
  const size = Math.abs(bound) + Math.abs(valueOffset) + Math.abs(product);
  return size * (isSingle ? 2 ** -23 : 2 ** -49);
}

propertyTest(
  'what is sent never reads back outside of the limits, whatever its register, type and scale',
  fc.property(drawn, (given) => {
    const value = parseValue(given.valueType, given.value);
    fc.pre(value !== undefined);
    const sent = send(given, value);
    if (sent === undefined) return;
    const { minimum, maximum, valueType } = given;
    // A whole number loses its fraction when it is read.
    const held = valueType === 'INTEGER' || valueType === 'LONG' ? Number(sent.prepared.value) : sent.held;
    assert.ok(held >= minimum - slackOf(given, minimum, sent.product), `${held} is below ${minimum}`);
    assert.ok(held <= maximum + slackOf(given, maximum, sent.product), `${held} is above ${maximum}`);
  }),
  20,
);

propertyTest(
  'the record tells the value that reads show',
  fc.property(drawn, (given) => {
    const value = parseValue(given.valueType, given.value);
    fc.pre(value !== undefined && given.scaleOnWrite);
    const sent = send(given, value);
    if (sent === undefined || typeof sent.prepared.written !== 'number') return;
    const { written } = sent.prepared;
    const shown = given.valueType === 'INTEGER' ? written : sent.held;
    const slack = (Math.abs(sent.product) + Math.abs(given.valueOffset)) * 2 ** -22;
    assert.ok(Math.abs(written - shown) <= slack, `${written} ${shown}`);
  }),
  20,
);

propertyTest(
  'the decimal of a limit can be written wherever the device holds fractions',
  fc.property(
    drawn,
    fc.constantFrom('FLOAT32', 'FLOAT64'),
    fc.constantFrom<ValueType>('FLOAT', 'DOUBLE'),
    (given, dataType, valueType) => {
      const { minimum, maximum } = given;
      for (const bound of [minimum, maximum]) {
        const value = parseValue(valueType, bound);
        assert.ok(value !== undefined);
        const fitting = { ...given, dataType, valueType, scaleOnWrite: true };
        assert.notEqual(send(fitting, value), undefined, `${bound}`);
      }
    },
  ),
  20,
);
