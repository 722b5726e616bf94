import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { systemRandom } from '../../../../../daemon/base/random.ts';
import { AssetAccess } from '../../../../../daemon/plant/access/asset-access.ts';
import { AssetRegistry } from '../../../../../daemon/plant/asset/asset-registry.ts';
import { checkPlant } from '../../../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../../../daemon/base/slices.ts';
import { createAssetSearchRoutes } from '../../../../../daemon/server/rest/plant/asset-search-routes.ts';
import type { ClientAnswer } from '../../../../support/https-client.ts';
import { createLastWrites } from '../../../../support/last-writes.ts';
import { createSlicingClock, ManualClock } from '../../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../../support/memory-logger.ts';
import { createScriptedFactory } from '../../../../support/scripted-driver.ts';
import { openApplication, toIdentity } from '../../http/application-fixture.ts';

const channel = (name: string, others: object = {}) => ({
  name,
  type: 'READ',
  valueType: 'FLOAT',
  address: {},
  ...others,
});

async function openSearch(
  t: TestContext,
  clock = new ManualClock(),
): Promise<(query: string) => Promise<ClientAnswer>> {
  const factory = createScriptedFactory();
  const registry = new AssetRegistry({
    factories: () => [factory],
    driverDirectory: '/nonexistent',
    onChange: () => undefined,
    logger: createMemoryLogger(),
    clock,
    lastWrites: createLastWrites(clock),
    random: systemRandom,
  });
  const plant = finish(
    checkPlant([factory], {
      drivers: [{ pid: 'line', type: 'scripted', line: '1' }],
      assets: [
        {
          pid: 'boiler',
          driver: 'line',
          channels: [channel('outFlow'), channel('flowTemperature', { unit: 'degC' }), channel('level')],
        },
        {
          pid: 'flowMeter',
          driver: 'line',
          displayName: 'Zähler',
          channels: [channel('total', { displayName: 'Durchfluß' })],
        },
      ],
    }),
  );
  assert.ok(plant.value !== undefined);
  await registry.apply(plant.value);
  const access = new AssetAccess({ registry, identities: { find: toIdentity }, clock });
  const { send } = await openApplication(t, createAssetSearchRoutes(access, clock));
  return (query) =>
    send('GET', `/services/assets/_search?${query}`, { headers: { Authorization: 'assets' } });
}

test('names that begin with the text come first, assets before channels, and an asset does not bring its channels', async (t) => {
  const search = await openSearch(t);
  assert.deepEqual((await search('text=FLOW')).json, [
    { asset: 'flowMeter', displayName: 'Zähler' },
    { asset: 'boiler', channel: 'flowTemperature', unit: 'degC' },
    { asset: 'boiler', channel: 'outFlow' },
  ]);
  assert.deepEqual((await search('text=boiler')).json, [{ asset: 'boiler' }]);
});

test('every word has to be there: of the asset or of the channel, by name or display name', async (t) => {
  const search = await openSearch(t);
  const level = [{ asset: 'boiler', channel: 'level' }];
  assert.deepEqual((await search('text=boiler/lev')).json, level);
  assert.deepEqual((await search('text=lev+boil')).json, level);
  assert.deepEqual((await search('text=level+meter')).json, []);
  const total = [{ asset: 'flowMeter', channel: 'total', displayName: 'Durchfluß' }];
  assert.deepEqual((await search(`text=${encodeURIComponent('durchfluß')}`)).json, total);
});

test('the number of results is limited, and a text without words finds nothing', async (t) => {
  const search = await openSearch(t);
  assert.equal(((await search('text=flow&limit=2')).json as readonly unknown[]).length, 2);
  assert.deepEqual((await search('text=%20/')).json, []);
  for (const query of ['', 'text=', 'text=a&limit=0', `text=${'a'.repeat(201)}`, 'text=a&other=1'])
    assert.equal((await search(query)).status, 400, query);
});

test('others have their turn between the assets of a search', async (t) => {
  let turns = 0;
  const clock = createSlicingClock(() => (turns += 1));
  const search = await openSearch(t, clock);
  turns = 0;
  assert.equal(((await search('text=flow')).json as readonly unknown[]).length, 3);
  assert.ok(turns >= 4, String(turns));
});
