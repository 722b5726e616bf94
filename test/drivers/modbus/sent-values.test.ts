import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import type { Asset } from '../../../daemon/plant/asset/asset.ts';
import type { ChannelRecord } from '../../../daemon/channel/channel-record.ts';
import type { ChannelValue, ValueType } from '../../../daemon/channel/value-type.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { openPlant } from '../../support/plant-under-test.ts';
import { startPymodbusServer } from '../../support/pymodbus-server.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const SERVERS = [
  ['pymodbus', startPymodbusServer],
  ['libmodbus', startLibmodbusServer],
] as const;

interface Row {
  readonly name: string;
  readonly valueType?: ValueType;
  readonly dataType?: string;
  readonly more?: object;
  /** What the register holds before; its offset unless given. */
  readonly before?: ChannelValue;
  /** Written first under the same terms. */
  readonly earlier?: ChannelValue;
  readonly value: ChannelValue;
  readonly expected: string;
  /** What the channel reads after the write. */
  readonly held: ChannelValue;
}

const float = Math.fround;

// Registers hold their offset, 10 and on, before they are written.
const ROWS: readonly Row[] = [
  {
    name: 'a maximum of half a unit',
    more: { write: { maximum: 62.5 } },
    value: 62.5,
    expected: 'NOT_SENT WRITE_LIMIT_EXCEEDED',
    held: 10,
  },
  {
    name: 'a value above the maximum that is rounded to it',
    more: { write: { maximum: 62 } },
    value: 62.4,
    expected: 'ACKNOWLEDGED 62',
    held: 62,
  },
  {
    name: 'a maximum between two tenths',
    more: { valueScale: 0.1, write: { maximum: 62.56 } },
    value: 62.56,
    expected: 'NOT_SENT WRITE_LIMIT_EXCEEDED',
    held: 1,
  },
  {
    name: 'a maximum in tenths that scaling makes a little larger',
    more: { valueScale: 0.1, write: { maximum: 6.3 } },
    value: 6.3,
    expected: 'ACKNOWLEDGED 6.3',
    held: 63 * 0.1,
  },
  {
    name: 'a minimum between two tenths',
    more: { valueScale: 0.1, write: { minimum: 5.04 } },
    value: 5.04,
    expected: 'NOT_SENT WRITE_LIMIT_EXCEEDED',
    held: 1,
  },
  {
    name: 'a minimum of a channel that counts in steps of minus two',
    more: { valueScale: -2, write: { minimum: -7 } },
    value: -7,
    expected: 'NOT_SENT WRITE_LIMIT_EXCEEDED',
    held: -20,
  },
  {
    name: 'a step of half a unit',
    more: { write: { maximumStep: 0.5 } },
    value: 10.5,
    expected: 'NOT_SENT WRITE_STEP_EXCEEDED',
    held: 10,
  },
  {
    name: 'a rate of half a unit',
    more: { write: { maximumChangePerSecond: 0.001 } },
    earlier: 20,
    value: 20.5,
    expected: 'NOT_SENT WRITE_RATE_EXCEEDED',
    held: 20,
  },
  {
    name: 'the decimal of a maximum of a 32-bit float',
    valueType: 'FLOAT',
    dataType: 'FLOAT32',
    more: { write: { minimum: 0.3, maximum: 0.3 } },
    value: float(0.3),
    expected: 'ACKNOWLEDGED 0.30000001192092896',
    held: float(0.3),
  },
  {
    name: 'the next 32-bit float above the decimal of a maximum',
    valueType: 'FLOAT',
    dataType: 'FLOAT32',
    more: { write: { maximum: 0.3 } },
    before: 0,
    value: 0.30000004172325134,
    expected: 'NOT_SENT WRITE_LIMIT_EXCEEDED',
    held: 0,
  },
  {
    name: 'the decimal of a maximum of a DOUBLE that is a 32-bit float in the device',
    dataType: 'FLOAT32',
    more: { write: { maximum: 0.3 } },
    value: 0.3,
    expected: 'ACKNOWLEDGED 0.30000001192092896',
    held: float(0.3),
  },
  {
    name: 'a step of a tenth between two 32-bit floats',
    dataType: 'FLOAT32',
    more: { write: { maximumStep: 0.1 } },
    before: 0.2,
    value: 0.3,
    expected: 'ACKNOWLEDGED 0.30000001192092896',
    held: float(0.3),
  },
  {
    name: 'a DOUBLE that is verified as the 32-bit float that was sent',
    dataType: 'FLOAT32',
    more: { write: { verify: {} } },
    value: 0.1,
    expected: 'VERIFIED 0.10000000149011612 0.10000000149011612',
    held: float(0.1),
  },
  {
    name: 'a value that is verified as the tenths that were sent',
    more: { valueScale: 0.1, write: { verify: {} } },
    value: 21.53,
    expected: 'VERIFIED 21.5 21.5',
    held: 21.5,
  },
  {
    name: 'a rounded value without terms',
    value: 62.5,
    expected: 'ACKNOWLEDGED 63',
    held: 63,
  },
  {
    name: 'a negative zero of a float',
    dataType: 'FLOAT32',
    more: { write: { verify: {} } },
    value: -0,
    expected: 'VERIFIED 0 0',
    held: -0,
  },
  {
    name: 'a negative zero of an integer, which has none',
    more: { write: { verify: {} } },
    value: -0,
    expected: 'VERIFIED 0 0',
    held: 0,
  },
  {
    name: 'the rounded values of an array',
    valueType: 'STRING',
    dataType: 'FLOAT32',
    more: { address: { count: 2 }, write: { maximum: 0.3, verify: {} } },
    value: '[ 0.1, 0.3 ]',
    expected: 'VERIFIED [0.1,0.3] [0.1,0.3]',
    held: '[0.1,0.3]',
  },
];

function describe(row: Row): readonly object[] {
  const { valueType = 'DOUBLE', dataType = 'INT16', more = {} } = row;
  const { address = {}, ...others } = more as { readonly address?: object };
  const channel = {
    name: 'setpoint',
    type: 'READ_WRITE',
    valueType,
    address: { unitId: 1, table: 'HOLDING_REGISTERS', offset: 10, dataType, ...address },
    ...others,
  };
  return [channel, { ...channel, name: 'free', write: undefined }];
}

async function open(t: TestContext, port: number): Promise<(row: Row) => Asset> {
  const registry = await openPlant(t, {
    drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port }],
    assets: ROWS.map((row, index) => ({ pid: `asset${index}`, driver: 'line', channels: describe(row) })),
  });
  return (row) => registry.get(`asset${ROWS.indexOf(row)}`);
}

function summarize([record]: readonly ChannelRecord[]): string {
  const { outcome, failure, value, readBack, isDryRun } = record ?? {};
  const parts = [isDryRun === true ? 'TRIED' : outcome, failure?.code, value, readBack];
  return parts.filter((part) => part !== undefined).join(' ');
}

for (const [name, start] of SERVERS) {
  const { test } = testsThatNeed(name);

  for (const row of ROWS) {
    test(`${name}: ${row.name}`, async (t) => {
      const server = await start();
      t.after(() => server.close());
      const asset = (await open(t, server.port))(row);
      const { valueType = 'DOUBLE', value, before, earlier, expected, held } = row;
      const write = (each: ChannelValue, isDryRun = false, channel = 'setpoint') =>
        asset.write([{ name: channel, valueType, value: each }], '', { isDryRun });
      if (before !== undefined) await write(before, false, 'free');
      if (earlier !== undefined) await write(earlier);
      const [tried] = await write(value, true);
      const [written] = await write(value);
      assert.equal(summarize(written === undefined ? [] : [written]), expected);
      assert.equal(tried?.failure?.code, written?.failure?.code);
      assert.deepEqual(tried?.value, written?.value, 'a trial tells the value that would be sent');
      const { records } = await asset.read(['setpoint']);
      assert.equal(records[0]?.value, held);
    });
  }
}
