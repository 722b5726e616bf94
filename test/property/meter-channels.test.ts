import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { createChannelSchema } from '../../daemon/channel/channel.ts';
import { listCurrentSets, toMeterAsset } from '../../drivers/serial/meter/meter-channels.ts';
import { findMeterValue } from '../../drivers/serial/meter/meter-value.ts';
import { parseReadout } from '../../drivers/serial/meter/readout.ts';
import { addressSchema } from '../../drivers/serial/serial-address.ts';
import { propertyTest } from './property-test.ts';

const code = fc.oneof(
  fc.constantFrom('1.8.0', '1-0:1.8.1*255', 'F.F', 'C.1.0', '0-1:24.2.1', '1.8.0*01', '999.999.999'),
  fc.string({ maxLength: 8 }),
);
const value = fc.oneof(
  fc.constantFrom(
    '0001.5*kWh',
    '23:16:43',
    '54800102',
    '',
    '1*2*3',
    '0.5*',
    '1e9*W',
    '00.5* \u0001',
    '170102161005W',
  ),
  fc.string({ maxLength: 8, unit: 'binary' }),
);
const line = fc.tuple(code, fc.array(value, { maxLength: 3 }));

propertyTest(
  'whatever a meter sends, the channels proposed for it are valid, unique and readable',
  fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
    const text = lines.map(([head, values]) => `${head}${values.map((each) => `(${each})`).join('')}`);
    const sets = parseReadout(text.join('\r\n'));
    const { channels = [] } = toMeterAsset({ meter: '12', identification: undefined, sets });
    assert.equal(channels.length, listCurrentSets(sets).length);
    const schema = createChannelSchema(addressSchema);
    const names = channels.map((channel) => {
      const { name, address, valueType } = schema.parse(channel);
      const { failure } = findMeterValue(sets, { ...address, obis: address.obis ?? '' }, valueType);
      assert.equal(failure, undefined);
      return name;
    });
    assert.equal(new Set(names).size, names.length);
  }),
);
