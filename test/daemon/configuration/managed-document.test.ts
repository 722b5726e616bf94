import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatPath } from '../../../daemon/base/schema.ts';
import { checkDocument } from '../../../daemon/configuration/managed-document.ts';
import { finish } from '../../../daemon/base/slices.ts';
import { FACTORIES, PLANT } from './plant-fixture.ts';

test('an empty document has every default', () => {
  const { value } = finish(checkDocument(FACTORIES, {}));
  assert.equal(value?.rest.sessionInactivityIntervalSeconds, 900);
  assert.equal(value?.banners.preLogin.enabled, false);
  assert.equal(value?.passwordStrength.minimumLength, 8);
  assert.deepEqual(value?.plant, { drivers: [], assets: [] });
});

test('a document becomes a plant with the defaults of the drivers, and stays unchanged', () => {
  const { value } = finish(checkDocument(FACTORIES, PLANT));
  assert.deepEqual(
    value?.plant.drivers.map(({ pid, type, settings }) => ({ pid, type, settings })),
    [{ pid: 'line1', type: 'bench', settings: { host: '192.0.2.7', port: 502 } }],
  );
  assert.equal(value?.plant.assets[0]?.channels[0]?.isEnabled, true);
});

test('every error of every section is listed at once', () => {
  const { faults = [] } = finish(
    checkDocument(FACTORIES, {
      rest: { basicAuthenticationEnabled: 'yes', sessionInactivityIntervalSecond: 1 },
      banners: { preLogin: { message: 5 } },
      passwordStrength: { minimumLength: 0 },
      drivers: [{ pid: 'line1', type: 'bench', port: 0 }],
      assets: [{ pid: 'boiler', driver: 'line2' }],
      colour: 'red',
    }),
  );
  assert.deepEqual(faults.map((fault) => formatPath(fault.path)).sort(), [
    'assets[0].driver',
    'banners.preLogin.message',
    'colour',
    'drivers[0].host',
    'drivers[0].port',
    'passwordStrength.minimumLength',
    'rest.basicAuthenticationEnabled',
    'rest.sessionInactivityIntervalSecond',
  ]);
  const misspelt = faults.find(({ path }) => path[1] === 'sessionInactivityIntervalSecond');
  assert.match(misspelt?.message ?? '', /did you mean "sessionInactivityIntervalSeconds"/);
});

for (const value of [null, [], 'text', 5]) {
  test(`a document that is ${JSON.stringify(value)} is refused`, () => {
    assert.deepEqual(finish(checkDocument(FACTORIES, value)).faults?.[0]?.path, []);
  });
}
