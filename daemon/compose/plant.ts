import path from 'node:path';

import { AssetRegistry } from '../plant/asset/asset-registry.ts';
import { LastWrites } from '../plant/asset/write/last-writes.ts';
import type { DriverRegistry } from '../software/bridge/driver-registry.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { RandomSource } from '../base/random.ts';
import type { Store } from '../base/store/store.ts';
import type { EventLog } from '../server/event/event-log.ts';
import { createPlantReporter } from '../server/event/plant-reporter.ts';

interface PlantOptions {
  readonly kinds: Pick<DriverRegistry, 'list'>;
  readonly events: Pick<EventLog, 'publish'>;
  readonly store: Store;
  readonly dataDirectory: string;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** Constructs the assets, and the reporter that publishes events of their connections. */
export function composePlant({ kinds, events, store, dataDirectory, logger, clock, random }: PlantOptions) {
  const reporter = createPlantReporter((event) => events.publish(event));
  const registry = new AssetRegistry({
    factories: () => kinds.list(),
    driverDirectory: path.join(dataDirectory, 'drivers'),
    onChange: (change) => reporter.note(change),
    lastWrites: new LastWrites({ store, clock }),
    logger,
    clock,
    random,
  });
  return { registry, reporter };
}
