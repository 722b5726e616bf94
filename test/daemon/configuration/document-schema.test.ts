import assert from 'node:assert/strict';
import { test } from 'node:test';

import { z } from '../../../daemon/base/schema.ts';
import { describeDocument } from '../../../daemon/configuration/document-schema.ts';
import { LIST_SECTIONS, OBJECT_SECTIONS } from '../../../daemon/configuration/managed-document.ts';
import { createDriverFactories } from '../../../drivers/index.ts';
import { FACTORIES, PLANT } from './plant-fixture.ts';

test('the description has every section, and allows no other', () => {
  const { properties, additionalProperties } = describeDocument(FACTORIES);
  assert.deepEqual(Object.keys(properties as object).sort(), [...OBJECT_SECTIONS, ...LIST_SECTIONS].sort());
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
