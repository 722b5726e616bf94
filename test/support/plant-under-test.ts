import assert from 'node:assert/strict';

import { AssetRegistry } from '../../daemon/plant/asset/asset-registry.ts';
import type { LastWrites } from '../../daemon/plant/asset/write/last-writes.ts';
import { checkPlant } from '../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../daemon/base/slices.ts';
import { systemClock } from '../../daemon/base/clock.ts';
import { systemRandom } from '../../daemon/base/random.ts';
import { createDriverFactories } from '../../drivers/index.ts';
import { createLastWrites } from './last-writes.ts';
import { createMemoryLogger } from './memory-logger.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';

/** Applies drivers and assets with the drivers of the gateway; they are closed at the end of the test. */
export async function openPlant(
  t: Owner,
  document: { readonly drivers: readonly object[]; readonly assets: readonly object[] },
  lastWrites: LastWrites = createLastWrites(systemClock),
): Promise<AssetRegistry> {
  const factories = createDriverFactories();
  const registry = new AssetRegistry({
    factories: () => factories,
    driverDirectory: createTemporaryDirectory(t),
    onChange: () => undefined,
    lastWrites,
    logger: createMemoryLogger(),
    clock: systemClock,
    random: systemRandom,
  });
  t.after(() => registry.stop());
  const checked = finish(checkPlant(factories, document));
  assert.equal(checked.faults, undefined);
  if (checked.faults !== undefined) throw new RangeError('the plant has faults');
  await registry.apply(checked.value);
  return registry;
}
