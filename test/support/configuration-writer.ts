import { systemClock } from '../../daemon/base/clock.ts';
import { openStore } from '../../daemon/base/store/store.ts';
import { ConfigurationStore } from '../../daemon/configuration/store/configuration-store.ts';
import { configurationMigrations, SnapshotStore } from '../../daemon/configuration/store/snapshot-store.ts';
import { createDriverFactories } from '../../drivers/index.ts';
import { createMemoryLogger } from './memory-logger.ts';

/*
 * Puts the banner of its second parameter in force, in the store that its first one names; with a third parameter as a
 * change that needs confirmation. Runs in its own process, so that it can be killed in between.
 */
const [file = '', message = '', unconfirmed] = process.argv.slice(2);
const store = openStore(file, [configurationMigrations]);
const configuration = new ConfigurationStore({
  snapshots: new SnapshotStore(store, systemClock),
  factories: createDriverFactories,
  createMissingIdentity: () => Promise.resolve(false),
  logger: createMemoryLogger(),
  clock: systemClock,
});
await configuration.provision([]);
await configuration.change({
  basis: undefined,
  edit: () => ({ banners: { preLogin: { message } } }),
  isDryRun: false,
  needsConfirmation: unconfirmed !== undefined,
});
store.close();
