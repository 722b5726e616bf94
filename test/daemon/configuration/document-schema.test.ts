import assert from 'node:assert/strict';
import { test } from 'node:test';

import { z } from '../../../daemon/base/schema.ts';
import { describeDocument } from '../../../daemon/configuration/document-schema.ts';
import { LIST_SECTIONS, OBJECT_SECTIONS } from '../../../daemon/configuration/managed-document.ts';
import { createDriverFactories } from '../../../drivers/index.ts';
import { listUnportablePatterns, validateElsewhere } from '../../support/json-schema.ts';
import { needs } from '../../support/tests-that-need.ts';
import { FACTORIES, PLANT } from './plant-fixture.ts';

test('the description has every section, that of provision files included, and allows no other', () => {
  const { properties, additionalProperties } = describeDocument(FACTORIES);
  assert.deepEqual(
    Object.keys(properties as object).sort(),
    [...OBJECT_SECTIONS, ...LIST_SECTIONS, 'identities'].sort(),
  );
  assert.equal(additionalProperties, false);
});

test('a validator that uses the description accepts a valid plant and refuses an invalid one', () => {
  const schema = z.fromJSONSchema(describeDocument(FACTORIES));
  assert.deepEqual(schema.safeParse(PLANT).error, undefined);
  const [driver] = PLANT.drivers;
  const [asset] = PLANT.assets;
  const [channel] = asset?.channels ?? [];
  const wrong = [
    { ...PLANT, color: 'red' },
    { ...PLANT, drivers: [{ ...driver, color: 'red' }] },
    { ...PLANT, drivers: [{ ...driver, type: 'other' }] },
    { ...PLANT, drivers: [{ ...driver, host: 1 }] },
    { ...PLANT, assets: [{ ...asset, channels: [{ ...channel, address: { offset: -1 } }] }] },
    { ...PLANT, rest: { allowedPorts: [0] } },
  ];
  for (const document of wrong) {
    assert.equal(schema.safeParse(document).success, false, JSON.stringify(document));
  }
});

test('the drivers of the gateway can be described', () => {
  const factories = createDriverFactories();
  const text = JSON.stringify(describeDocument(factories));
  for (const { type } of factories) assert.ok(text.includes(`"const":"${type}"`), type);
});

test('every pattern of the description can be compiled by ECMAScript without flags, by Python and by RE2', () => {
  assert.deepEqual(listUnportablePatterns(describeDocument(createDriverFactories())), []);
  assert.deepEqual(
    listUnportablePatterns({ a: [{ pattern: '^\\p{Cc}$' }, { pattern: '^[\\x00-\\x1f]$' }] }),
    ['^\\p{Cc}$'],
  );
});

test('a validator of another make draws the same line', needs('jsonschema'), () => {
  const schema = describeDocument(createDriverFactories());
  const address = { unitId: 1, table: 'HOLDING_REGISTERS', offset: 100, dataType: 'INT16' };
  const channel = { name: 'flöw', type: 'READ', valueType: 'FLOAT', valueScale: 0.1, address };
  const plant = {
    identities: [{ name: 'scada', permissions: ['rest.assets'], password: 'secret' }],
    drivers: [
      { pid: 'line1', type: 'modbus', host: '192.0.2.7' },
      { pid: 'bus', type: 'modbus', transport: 'rtu', device: '/dev/ttyS0', baudRate: 9600 },
      {
        pid: 'panel',
        type: 'serial',
        device: '/dev/ttyS1',
        framing: { type: 'delimiter', delimiter: '\\r' },
      },
    ],
    assets: [
      { pid: 'boiler', driver: 'line1', channels: [channel] },
      { pid: 'meter', driver: 'line1', template: 'example', parameters: { unitId: 3 } },
      { pid: 'other', driver: 'line1', template: 'example', channels: [{ name: 'power', unit: 'kW' }] },
    ],
  };
  const [driver] = plant.drivers;
  const [asset] = plant.assets;
  const documents = [
    {},
    plant,
    { ...plant, color: 'red' },
    { ...plant, identities: [{ name: 'scada', color: 'red' }] },
    { ...plant, drivers: [{ ...driver, pid: 'a b' }] },
    { ...plant, drivers: [{ ...driver, pid: 'a\u0085b' }] },
    { ...plant, drivers: [{ ...driver, baudRate: 9600 }] },
    { ...plant, assets: [{ ...asset, channels: [{ ...channel, name: 'a/b' }] }] },
    { ...plant, assets: [{ ...asset, channels: [{ name: 'power', unit: 'kW' }] }] },
    { ...plant, assets: [{ ...asset, parameters: { unitId: 3 } }] },
    { ...plant, assets: [{ ...asset, template: 'example', parameters: { unitId: [3] } }] },
    { ...plant, assets: [{ ...asset, channels: [{ ...channel, address: { ...address, offset: -1 } }] }] },
  ];
  assert.deepEqual(validateElsewhere(schema, documents), [
    true,
    true,
    ...documents.slice(2).map(() => false),
  ]);
});
