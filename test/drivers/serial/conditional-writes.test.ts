import assert from 'node:assert/strict';

import type { ChannelWrite } from '../../../daemon/plant/asset/write/prepared-write.ts';
import type { ChannelRecord } from '../../../daemon/channel/channel-record.ts';
import { openPlant } from '../../support/plant-under-test.ts';
import { SCALE_CHANNELS, startInstrument } from '../../support/serial-instrument.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const { test } = testsThatNeed('python3', 'socat');

const setpoint = (name: string, acknowledge: string | undefined, write?: object): object => ({
  ...SCALE_CHANNELS.setpoint,
  name,
  address: { ...SCALE_CHANNELS.setpoint.address, acknowledge },
  ...(write === undefined ? {} : { write }),
});

const write = (name: string, value: number): ChannelWrite => ({ name, valueType: 'DOUBLE', value });

const summarize = (records: readonly ChannelRecord[]): readonly unknown[] =>
  records.flatMap(({ outcome, failure, readBack }) =>
    [outcome, failure?.code, readBack].filter((part) => part !== undefined),
  );

test('a scale tells what became of a write, with and without a confirmation, read back or not', async (t) => {
  await using pair = await openSerialPair();
  await using _scale = await startInstrument('scale', pair.instrument);
  const framing = { type: 'delimiter', delimiter: '\\r\\n' };
  const verify = { withinMs: 200 };
  const registry = await openPlant(t, {
    drivers: [{ pid: 'line', type: 'serial', device: pair.gateway, framing, responseTimeoutMs: 500 }],
    assets: [
      {
        pid: 'scale',
        driver: 'line',
        channels: [
          setpoint('confirmed', '^OK$'),
          setpoint('verified', '^OK$', { maximumStep: 60, verify }),
          setpoint('believed', undefined),
          setpoint('checked', undefined, { verify }),
          setpoint('limited', '^OK$', { maximum: 20.126 }),
        ],
      },
    ],
  });
  const asset = registry.get('scale');
  assert.deepEqual(summarize(await asset.write([write('confirmed', 55.5)])), ['ACKNOWLEDGED']);
  assert.deepEqual(summarize(await asset.write([write('verified', 20.125)])), ['VERIFIED', 20.13]);
  // Two decimals go out: 20.13.
  const [limited] = await asset.write([write('limited', 20.126)]);
  assert.equal(limited?.failure?.code, 'WRITE_LIMIT_EXCEEDED');
  assert.match(
    limited.failure.message,
    /20\.126 would be sent as 20\.13: 20\.13 is above the maximum 20\.126/,
  );
  assert.deepEqual(summarize(await asset.write([write('verified', 99)])), [
    'NOT_SENT',
    'WRITE_STEP_EXCEEDED',
  ]);
  assert.deepEqual(summarize(await asset.write([write('believed', 21)])), ['UNKNOWN', 'WRITE_UNCONFIRMED']);
  assert.deepEqual(summarize(await asset.write([write('checked', 22)])), ['VERIFIED', 22]);
  assert.deepEqual(summarize(await asset.write([write('confirmed', 500)])), [
    'UNKNOWN',
    'SERIAL_WRITE_OUTCOME_UNKNOWN',
  ]);
});
