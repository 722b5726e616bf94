import assert from 'node:assert/strict';
import { test } from 'node:test';

import { planChange } from '../../../daemon/configuration/change-plan.ts';
import { checkDocument } from '../../../daemon/configuration/managed-document.ts';
import { finish } from '../../../daemon/base/slices.ts';
import type {
  ManagedConfiguration,
  ManagedDocument,
} from '../../../daemon/configuration/managed-document.ts';
import { FACTORIES, PLANT } from './plant-fixture.ts';

const NOTHING = { added: [], changed: [], removed: [], restartedConnections: [], cutsOff: [] };

function configure(document: ManagedDocument): ManagedConfiguration {
  const { value, faults } = finish(checkDocument(FACTORIES, document));
  assert.ok(value, JSON.stringify(faults));
  return value;
}

test('planChange ignores a default that is written out', () => {
  const [driver] = PLANT.drivers;
  const spelled = { ...PLANT, drivers: [{ ...driver, port: 502 }], rest: { allowedPorts: [] } };
  assert.deepEqual(finish(planChange(FACTORIES, configure(PLANT), configure(spelled))), NOTHING);
});

test('planChange names what is added, removed and changed', () => {
  const after = {
    rest: { basicAuthenticationEnabled: true },
    drivers: [
      { pid: 'line1', type: 'bench', host: 'elsewhere' },
      { pid: 'line2', type: 'bench', host: 'b' },
    ],
    assets: [],
  };
  assert.deepEqual(finish(planChange(FACTORIES, configure(PLANT), configure(after))), {
    added: ['drivers/line2'],
    changed: ['rest/basicAuthenticationEnabled', 'drivers/line1'],
    removed: ['assets/boiler'],
    restartedConnections: ['line1'],
    cutsOff: ['asset boiler'],
    findings: [{ code: 'LOST_ASSET', message: 'asset boiler', parameters: { asset: 'boiler' } }],
  });
});

test('planChange restarts no connection whose driver takes the change while it stands', () => {
  const after = { ...PLANT, drivers: [{ ...PLANT.drivers[0], port: 503 }] };
  const adapting = FACTORIES.map((factory) => ({ ...factory, canAdapt: () => true }));
  assert.deepEqual(finish(planChange(adapting, configure(PLANT), configure(after))), {
    ...NOTHING,
    changed: ['drivers/line1'],
  });
  const { restartedConnections } = finish(planChange(FACTORIES, configure(PLANT), configure(after)));
  assert.deepEqual(restartedConnections, ['line1']);
});

test('planChange restarts no connection for a change of its assets', () => {
  const after = { ...PLANT, assets: [{ ...PLANT.assets[0], channels: [] }] };
  assert.deepEqual(finish(planChange(FACTORIES, configure(PLANT), configure(after))), {
    ...NOTHING,
    changed: ['assets/boiler'],
    cutsOff: ['reads of flow of asset boiler'],
    findings: [
      {
        code: 'LOST_READS',
        message: 'reads of flow of asset boiler',
        parameters: { channels: ['flow'], asset: 'boiler' },
      },
    ],
  });
});

test('a plan is made item by item, so that others have their turn in between', () => {
  const list = (unit: string) =>
    Array.from({ length: 100 }, (_, index) => ({
      ...PLANT.assets[0],
      pid: `asset${index}`,
      channels: PLANT.assets[0]?.channels.map((channel) => ({ ...channel, unit })),
    }));
  const [before, after] = ['a', 'b'].map((unit) => configure({ ...PLANT, assets: list(unit) }));
  assert.ok(before !== undefined && after !== undefined);
  const work = planChange(FACTORIES, before, after);
  let turns = 0;
  let step = work.next();
  for (; step.done !== true; step = work.next()) turns += 1;
  // Each asset is compared, and searched for channels that are lost.
  assert.ok(turns >= 200, String(turns));
  assert.equal(step.value.changed.length, 100);
});
