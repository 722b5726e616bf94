import assert from 'node:assert/strict';

import { rawNumberOf } from '../../../drivers/serial/check-channel.ts';
import { addressSchema } from '../../../drivers/serial/serial-address.ts';
import { openPlant } from '../../support/plant-under-test.ts';
import { startInstrument } from '../../support/serial-instrument.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const { test } = testsThatNeed('python3', 'socat');

test('a value by pattern that is not available is a failure and not written', async (t) => {
  await using pair = await openSerialPair();
  await using _scale = await startInstrument('scale', pair.instrument);
  const framing = { type: 'delimiter', delimiter: '\\r\\n' };
  const setpoint = (name: string, notAvailable: readonly unknown[]) => ({
    name,
    type: 'READ_WRITE',
    valueType: 'DOUBLE',
    notAvailable,
    address: {
      request: 'SP?\\r\\n',
      response: { pattern: '^SP (.*)$' },
      write: 'SP {value}\\r\\n',
      acknowledge: '^OK$',
    },
  });
  const registry = await openPlant(t, {
    drivers: [{ pid: 'line', type: 'serial', device: pair.gateway, framing, responseTimeoutMs: 500 }],
    assets: [
      { pid: 'scale', driver: 'line', channels: [setpoint('free', [9999.9]), setpoint('bound', ['20-30'])] },
    ],
  });
  const asset = registry.get('scale');
  const write = async (name: string, value: number) => {
    const [record] = await asset.write([{ name, valueType: 'DOUBLE', value }]);
    return record?.failure?.code ?? record?.outcome;
  };
  assert.equal(await write('bound', 25), 'VALUE_NOT_AVAILABLE');
  assert.equal(await write('free', 9999.9), 'VALUE_NOT_AVAILABLE');
  assert.equal(await write('free', 25), 'ACKNOWLEDGED');
  const { records } = await asset.readAll();
  assert.deepEqual(
    records.map(({ name, value, failure }) => [name, failure?.code ?? value]),
    [
      ['free', 25],
      ['bound', 'VALUE_NOT_AVAILABLE'],
    ],
  );
});

test('the raw number of a response follows from its data type', () => {
  const of = (response: object): unknown => rawNumberOf(addressSchema.parse({ request: 'R', response }));
  assert.equal(of({ pattern: '^(.*)$' }), undefined);
  assert.deepEqual(of({ offset: 0, dataType: 'INT16' }), { kind: 'SIGNED', bits: 16 });
  assert.deepEqual(of({ offset: 0, dataType: 'FLOAT64', count: 2 }), { kind: 'FLOAT', bits: 64 });
  assert.deepEqual(of({ offset: 0, dataType: 'BCD24' }), { kind: 'WHOLE' });
  assert.equal(of({ offset: 0, dataType: 'BYTES' }), 'NONE');
  assert.equal(of({ offset: 0, dataType: 'UNIX_SECONDS32' }), 'NONE');
  assert.equal(rawNumberOf(addressSchema.parse({ write: 'SP {value}' })), undefined);
});
