import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createChannelSchema } from '../../../../daemon/channel/channel.ts';
import { parseIdentification } from '../../../../drivers/serial/meter/identification.ts';
import {
  describeMeter,
  listCurrentSets,
  toMeterAsset,
} from '../../../../drivers/serial/meter/meter-channels.ts';
import { findMeterValue } from '../../../../drivers/serial/meter/meter-value.ts';
import { parseReadout } from '../../../../drivers/serial/meter/readout.ts';
import { addressSchema } from '../../../../drivers/serial/serial-address.ts';
import { HEAT_METER, READOUTS, SENT_TELEGRAMS } from './published-readouts.ts';

function propose(lines: readonly string[], meter?: string) {
  const sets = parseReadout(lines.join('\r\n'));
  const asset = toMeterAsset({ meter, identification: parseIdentification('/ISk5\\2MT382-1000', 300), sets });
  const schema = createChannelSchema(addressSchema);
  return { ...asset, sets, channels: (asset.channels ?? []).map((channel) => schema.parse(channel)) };
}

for (const { meter, lines } of [...READOUTS, ...SENT_TELEGRAMS, HEAT_METER]) {
  test(`every channel proposed for ${meter} is valid, and has a value in its readout`, () => {
    const { channels, sets } = propose(lines);
    assert.ok(channels.length > 0);
    for (const { name, address, valueType } of channels) {
      const { failure } = findMeterValue(sets, { ...address, obis: address.obis ?? '' }, valueType);
      assert.equal(failure, undefined, `${name}: ${failure?.message ?? ''}`);
    }
  });
}

test('numbers with a unit are numbers, and digits alone may be a code', () => {
  const { channels } = propose([
    '1-0:1.8.1(000004.426*kWh)',
    '1-0:32.7.0(0230.0*V)',
    'C.1.0(54800102)',
    '13.7.0(0.98)',
    '0.9.1(23:16:43)',
    '0-1:24.2.1(170102161005W)(00000.107*m3)',
  ]);
  assert.deepEqual(
    channels.map(({ name, displayName, valueType, unit, address }) => [
      name,
      displayName,
      valueType,
      unit,
      address.position,
    ]),
    [
      ['1-0:1.8.1', 'Imported active energy, tariff 1', 'DOUBLE', 'kWh', undefined],
      ['1-0:32.7.0', 'Voltage L1', 'DOUBLE', 'V', undefined],
      ['C.1.0', 'Meter number', 'STRING', undefined, undefined],
      ['13.7.0', 'Power factor', 'DOUBLE', undefined, undefined],
      ['0.9.1', undefined, 'STRING', undefined, undefined],
      ['0-1:24.2.1', undefined, 'DOUBLE', 'm3', 1],
    ],
  );
});

test('each code becomes one channel, without empty values and those of earlier periods', () => {
  const sets = parseReadout('1.8.0(1*kWh)\r\n1.8.0(2*kWh)\r\n1.8.0*01(3*kWh)\r\n0.0.0()\r\nno code(4)\r\n');
  assert.deepEqual(
    listCurrentSets(sets).map(({ text, values }) => [text, values]),
    [['1.8.0', ['1*kWh']]],
  );
});

test('what a meter makes up stays within the limits of the configuration', () => {
  const codes = Array.from({ length: 1000 }, (_, at) => `${at}.8.0(1*kWh)`);
  assert.equal(listCurrentSets(parseReadout(codes.join('\r\n'))).length, 300);
  const identification = parseIdentification(`/XYZ5${'a'.repeat(5000)}`, 300);
  const { displayName = '' } = toMeterAsset({ meter: '1'.repeat(32), identification, sets: [] });
  assert.ok(displayName.length <= 128);
});

test('an asset is named after manufacturer and type, and its channels name the meter', () => {
  const { pid, displayName, channels } = propose(['1.8.0(1*kWh)'], '12345678');
  assert.deepEqual([pid, displayName], ['mt382-1000-12345678', 'Iskraemeco MT382-1000 12345678']);
  assert.equal(channels[0]?.address.meter, '12345678');
});

test('an identification names the manufacturer where it is known', () => {
  const describe = (line: string) => describeMeter(parseIdentification(line, 300) ?? assert.fail()).text;
  assert.equal(describe('/ESY5Q3DA1004 V3.02'), 'EasyMeter Q3DA1004 V3.02, mode C, 9600 bit/s');
  assert.equal(describe('/XYZ1abc'), 'XYZ abc, mode C, 600 bit/s');
});
